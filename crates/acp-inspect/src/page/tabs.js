// The views of the page, of which one is shown.

import { byId } from "./dom.js";

const NAMES = ["timeline", "sessions", "statistics", "capabilities", "sequence"];

export const shownTab = () => NAMES.find((name) => !byId(name).hidden);

// Shows a view. `shows` has a function for each view that is made anew when it is shown.
let shows = {};

export function startTabs(functions) {
  shows = functions;
  NAMES.forEach((name, at) => {
    const tab = byId(`tab-${name}`);
    tab.addEventListener("click", () => showTab(name));
    tab.addEventListener("keydown", ({ key }) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
      const to = { Home: 0, End: NAMES.length - 1 }[key] ?? (step && (at + step + NAMES.length) % NAMES.length);
      if (to === undefined) return;
      showTab(NAMES[to]);
      byId(`tab-${NAMES[to]}`).focus();
    });
  });
}

export function showTab(name) {
  for (const other of NAMES) {
    byId(other).hidden = other !== name;
    byId(`tab-${other}`).setAttribute("aria-selected", other === name);
    byId(`tab-${other}`).tabIndex = other === name ? 0 : -1;
  }
  shows[name]?.();
}

// Shows the view at a place in the row of tabs.
export function showTabAt(at) {
  if (NAMES[at]) showTab(NAMES[at]);
}
