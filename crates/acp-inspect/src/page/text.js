// Text that shows what it holds. Characters without a look of their own, which move a cursor, hide
// text or turn its direction, are written as JSON escapes.

const UNSEEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb]|[\u{e0000}-\u{e0fff}]|\p{Cs}/gu;

const escape = (found) =>
  Array.from({ length: found.length }, (_, at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, "0")}`).join("");

export const visible = (text) => text.replace(UNSEEN, escape);

// Cuts a text for one line.
export function brief(text, most) {
  const line = text.length > most ? `${text.slice(0, most)}…` : text;
  return visible(line.replace(/\s+/g, " "));
}

// Makes text of any JSON. `String` fails for an object with a `toString` of its own.
export const plain = (value) => (typeof value === "string" ? value : JSON.stringify(value) ?? "");
