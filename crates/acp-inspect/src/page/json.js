// JSON with colours. The number of elements is bounded: the rest of a long text is one text node.

import { button, make } from "./dom.js";
import { count } from "./format.js";
import { visible } from "./text.js";

const MOST_PARTS = 1500;
const MOST_CHARACTERS = 20_000;
const PART = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/g;

// Returns the text of a message in lines, or as it is if it is not JSON.
export function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

// Makes a box with a text. A long one is cut until the person wants all of it.
export function code(text, name = "code") {
  const shown = visible(text);
  const box = make("pre", name);
  box.tabIndex = 0;
  if (shown.length <= MOST_CHARACTERS) {
    box.append(coloured(shown));
    return box;
  }
  box.append(coloured(shown.slice(0, MOST_CHARACTERS)));
  const all = button(`Show all ${count(shown.length)} characters`, () => {
    all.remove();
    box.textContent = shown;
  });
  return make("div", "long", box, all);
}

function coloured(text) {
  const parts = document.createDocumentFragment();
  let at = 0;
  for (const found of text.matchAll(PART)) {
    if (parts.childElementCount >= MOST_PARTS) break;
    parts.append(text.slice(at, found.index));
    const [whole, string, colon] = found;
    const kind = string ? (colon ? "key" : "string") : /[\d]/.test(whole[0] === "-" ? whole[1] : whole[0]) ? "number" : "word";
    const part = document.createElement("span");
    part.className = `json-${kind}`;
    part.textContent = string ?? whole;
    parts.append(part, colon ?? "");
    at = found.index + whole.length;
  }
  parts.append(text.slice(at));
  return parts;
}
