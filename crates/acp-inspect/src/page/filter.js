// The choice of messages, as the form has it.

import { byId, make } from "./dom.js";
import { get } from "./api.js";
import { brief } from "./text.js";

// A person is still typing within this time.
const PAUSE = 200;
const MOST_SESSIONS = 200;

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
  addOptions("lane", lanes);
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
  for (const [id, fill] of [["session", fillSessions], ["method", fillMethods], ["lane", fillLanes]]) {
    byId(id).addEventListener("focus", () => fill().catch(() => {}));
  }
}

function option(value, label) {
  const node = make("option", "", label);
  node.value = value;
  return node;
}

// Adds those that are not there yet, so that the chosen one stays.
function addOptions(id, values, labels = values) {
  const known = new Set(Array.from(byId(id).options, ({ value }) => value));
  byId(id).append(...values.map((value, at) => option(value, labels[at])).filter(({ value }) => !known.has(value)));
}

async function fillLanes() {
  addOptions("lane", (await get("/api/state")).lanes);
}

async function fillSessions() {
  const sessions = (await get("/api/sessions")).filter(({ id }) => id).slice(-MOST_SESSIONS);
  addOptions("session", sessions.map(({ id }) => id), sessions.map(({ id, title }) => brief(title ?? id, 40)));
}

async function fillMethods() {
  const { methods } = await get("/api/statistics");
  const names = new Set(methods.map(({ method }) => method).filter(Boolean));
  byId("methods").replaceChildren(...Array.from(names).slice(0, 200).map((name) => option(name, name)));
}
