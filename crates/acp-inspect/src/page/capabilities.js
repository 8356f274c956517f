// Both sides of the connection, as they have said in `initialize`.

import { get } from "./api.js";
import { byId, folded, make } from "./dom.js";
import { code } from "./json.js";
import { brief, plain } from "./text.js";

const MOST_LINES = 200;
// Members that the head of a side shows.
const HEAD = ["protocolVersion", "clientInfo", "agentInfo", "info", "_meta"];

export async function showCapabilities() {
  const { client, agent } = await get("/api/capabilities");
  byId("capabilities").replaceChildren(side("Client", client), side("Agent", agent));
}

function side(name, said) {
  const title = make("h2", "", name);
  if (said === null || typeof said !== "object") {
    return make("section", "side", title, make("p", "hint", "It has not said anything of itself yet."));
  }
  const info = said.clientInfo ?? said.agentInfo ?? said.info ?? {};
  const called = [info.title ?? info.name, info.version].filter(Boolean).map((part) => brief(plain(part), 80)).join(" ");
  const version = make("p", "", `Version ${brief(plain(said.protocolVersion ?? "?"), 20)} of the protocol`);
  const list = make("dl", "abilities");
  walk(list, said, 0);
  const all = folded("As JSON", () => code(JSON.stringify(said, null, 2)));
  return make("section", "side", title, called ? make("p", "called", called) : null, version, list, all);
}

// Makes a line for each member, in the order of their names, and deeper ones below their own.
function walk(list, value, depth) {
  const members = Array.isArray(value) ? Object.entries(value) : Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1));
  for (const [name, member] of members) {
    if (list.childElementCount >= MOST_LINES) return;
    if (depth === 0 && HEAD.includes(name)) continue;
    const isDeep = member !== null && typeof member === "object" && Object.keys(member).length > 0 && depth < 4;
    const line = make("div", "", make("dt", "", label(value, name, member)), make("dd", "", isDeep ? "" : state(member)));
    line.dataset.depth = depth;
    line.dataset.state = member === true ? "yes" : member === false || member === null ? "no" : "said";
    list.append(line);
    if (isDeep) walk(list, member, depth + 1);
  }
}

// An item of a list has the name that it gives itself.
function label(owner, name, member) {
  const own = Array.isArray(owner) ? member?.name ?? member?.id : null;
  return brief(plain(own ?? name), 80);
}

function state(member) {
  if (member === true) return "✓ yes";
  if (member === false || member === null) return "✗ no";
  // An ability without settings of its own is stated by an empty object.
  if (typeof member === "object") return Array.isArray(member) ? "none" : "✓ yes";
  return brief(plain(member), 200);
}
