// The choice of messages, as the form has it.

import { byId, make } from "./dom.js";
import { get } from "./api.js";
import { brief } from "./text.js";

// A person is still typing within this time.
const PAUSE = 200;

// Returns the members of a query, without those that choose nothing.
export function chosen() {
  const query = {};
  for (const [name, value] of new FormData(byId("filter"))) {
    if (value !== "") query[name] = value;
  }
  return query;
}

// Returns true if the form leaves messages out.
export function chooses() {
  return Object.keys(chosen()).some((name) => name !== "fold");
}

export function clear() {
  const fold = byId("filter").elements.fold.checked;
  byId("filter").reset();
  byId("filter").elements.fold.checked = fold;
}

// Calls `changed` after each change of the form.
export function startFilter(lanes, changed) {
  byId("lane").append(...lanes.map((lane) => option(lane, lane)));
  let timer = 0;
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(changed, PAUSE);
  };
  byId("filter").addEventListener("input", later);
  byId("filter").addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(timer);
    changed();
  });
  for (const [id, fill] of [["session", fillSessions], ["method", fillMethods]]) {
    byId(id).addEventListener("focus", () => fill().catch(() => {}));
  }
}

function option(value, label) {
  const node = make("option", "", label);
  node.value = value;
  return node;
}

async function fillSessions() {
  const select = byId("session");
  const known = new Set(Array.from(select.options, (entry) => entry.value));
  const sessions = await get("/api/sessions");
  const added = sessions.filter(({ id }) => id && !known.has(id)).slice(0, 200);
  select.append(...added.map(({ id, title }) => option(id, brief(title ?? id, 40))));
}

async function fillMethods() {
  const { methods } = await get("/api/statistics");
  const names = new Set(methods.map(({ method }) => method).filter(Boolean));
  byId("methods").replaceChildren(...Array.from(names).slice(0, 200).map((name) => option(name, name)));
}
