// The pane with one message: facts, remarks, acts and its text.

import { get } from "./api.js";
import { button, byId, make } from "./dom.js";
import { count, duration, size, time } from "./format.js";
import { code, pretty } from "./json.js";
import { brief } from "./text.js";

// Shows a message. `acts` are the things that a person can do with it.
export async function showMessage(seq, acts) {
  const pane = byId("message");
  pane.dataset.seq = seq;
  const message = await get(`/api/messages/${seq}`);
  // The person has gone on to another message.
  if (pane.dataset.seq !== String(seq)) return;
  const text = code(pretty(message.text));
  pane.replaceChildren(head(message.row, acts), facts(message, acts), ...remarks(message), tools(message, acts), text);
  pane.hidden = false;
  byId("timeline").classList.add("has-message");
}

export function hideMessage() {
  byId("message").hidden = true;
  byId("message").dataset.seq = "";
  byId("message").replaceChildren();
  byId("timeline").classList.remove("has-message");
}

export const shownMessage = () => Number(byId("message").dataset.seq) || 0;

function head(row, acts) {
  const kind = row.error ? "error" : row.kind;
  const badge = make("span", "badge", kind);
  badge.dataset.kind = kind;
  const close = button("Close", acts.close, "quiet");
  close.title = "Close (Escape)";
  const name = brief(row.method ?? "not a message", 120);
  return make("header", "", make("h2", "", `#${count(row.seq)} ${name}`), badge, close);
}

function facts({ row, length }, acts) {
  const list = make("dl", "facts");
  const fact = (name, ...value) => list.append(make("div", "", make("dt", "", name), make("dd", "", ...value)));
  fact("Way", `${row.from} → ${row.to}`);
  fact("Time", `${time(row.micros)} s`);
  if (row.latency !== null) fact("Latency", duration(row.latency));
  fact("Size", size(length));
  if (row.id !== null) fact("Id", brief(row.id, 80));
  if (row.session) fact("Session", brief(row.session, 80));
  if (row.update) fact("Update", brief(row.update, 80));
  if (row.pair) {
    const other = row.kind === "request" ? "Answer" : "Request";
    fact(other, button(`#${count(row.pair)}`, () => acts.go(row.pair), "link"));
  }
  return list;
}

// The marks of the schema and of the rules.
function remarks({ findings, rules, row }) {
  const list = make("ul", "findings");
  for (const { path, says } of findings) {
    list.append(make("li", "", make("code", "", brief(path, 200)), " ", brief(says, 500)));
  }
  for (const { id, strength, says, rule } of rules) {
    const item = make("li", "", make("code", "", `${id} ${strength}`), " ", brief(says, 500));
    item.title = rule;
    list.append(item);
  }
  if (row.kind === "other") list.append(make("li", "", "This line is not a message of JSON-RPC."));
  if (list.childElementCount === 0) return [];
  list.setAttribute("aria-label", "Remarks");
  return [list];
}

function tools({ row, call, cut }, acts) {
  const bar = make("div", "tools");
  if (call) bar.append(button("Copy as acp call", () => acts.copy(call, "The command was copied.")));
  bar.append(button("Copy JSON", () => acts.copyLine(row.seq)));
  const marked = acts.marked();
  if (marked && marked !== row.seq) {
    bar.append(button(`Compare with #${count(marked)}`, () => acts.compare(marked, row.seq)));
  }
  const mark = button(marked === row.seq ? "Marked" : "Mark to compare", () => acts.mark(row.seq));
  mark.setAttribute("aria-pressed", marked === row.seq);
  bar.append(mark);
  if (acts.edit && row.from === "client") bar.append(button("Edit and send", () => acts.edit(row.seq)));
  const raw = make("a", "button", cut ? "Save the whole line" : "Save");
  raw.href = `/api/messages/${row.seq}/raw`;
  raw.download = `message-${row.seq}.json`;
  bar.append(raw);
  if (cut) bar.append(make("p", "hint", "Below is its beginning."));
  return bar;
}
