// The line about a failure. It goes with the next success of a person's act.

import { byId } from "./dom.js";
import { visible } from "./text.js";

export function tell(error) {
  const line = byId("problem");
  line.textContent = visible(error.message);
  line.hidden = false;
}

export function settled() {
  byId("problem").hidden = true;
}

// Says something to people who listen to the page instead of looking at it.
export function announce(text) {
  byId("status").textContent = text;
}
