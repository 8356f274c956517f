// A part of the connection as a sequence diagram.

import { byId } from "./dom.js";

const MOST = 500;

export function startSequence() {
  byId("part").addEventListener("submit", (event) => {
    event.preventDefault();
    showSequence();
  });
}

// Shows the part from one message to another in the form, and draws it.
export function chooseSequence(from, to) {
  const { elements } = byId("part");
  elements.from.value = from;
  elements.to.value = Math.min(to, from + MOST - 1);
}

export function showSequence() {
  const { from, to } = byId("part").elements;
  const address = `/api/sequence.svg?${new URLSearchParams({ from: from.value || 1, to: to.value || 1, fold: 1 })}`;
  byId("diagram").src = address;
  byId("svg").href = address;
}
