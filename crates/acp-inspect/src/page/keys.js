// The keys of the page, and their list.

import { openDialog } from "./dialog.js";
import { byId, make } from "./dom.js";
import { showTabAt, shownTab } from "./tabs.js";
import { tell } from "./problem.js";

const KEYS = [
  ["j  ↓", "next message"],
  ["k  ↑", "message before"],
  ["PageDown  PageUp", "a page on, a page back"],
  ["g  Home", "first message"],
  ["G  End", "last message"],
  ["Enter", "open the message"],
  ["p", "go to its answer, or to its request"],
  ["/", "search"],
  ["f", "follow the connection"],
  ["e", "errors only"],
  ["y", "copy as acp call"],
  ["m", "mark to compare"],
  ["c", "compare with the marked message"],
  ["x", "export"],
  ["1 to 5", "views"],
  ["Escape", "close, or back to the list"],
  ["?", "these keys"],
];

// A cookie, because each run of the program has a port of its own: other stores would forget it.
const OFF = "acp_inspect_signs=off";
const areSignsOff = () => document.cookie.split("; ").includes(OFF);

// Makes the switch for keys of one character, which people who speak to their machine press by accident.
function signs() {
  const box = make("input");
  Object.assign(box, { type: "checkbox", checked: !areSignsOff() });
  box.addEventListener("change", () => {
    document.cookie = `${OFF}; SameSite=Strict; Path=/; Max-Age=${box.checked ? 0 : 31_536_000}`;
  });
  return make("p", "tools", make("label", "toggle", box, "Letters, digits and signs are keys"));
}

export function openKeys() {
  const list = make("dl", "keys");
  for (const [keys, says] of KEYS) {
    const names = keys.split("  ").map((key) => make("kbd", "", key));
    list.append(make("div", "", make("dt", "", ...names), make("dd", "", says)));
  }
  openDialog("Keys", signs(), list);
}

// Listens to the keys. `timeline` moves, and `acts` has the acts that keys stand for.
export function startKeys(timeline, acts) {
  const grid = keysOfGrid(timeline, acts);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || byId("dialog").open) return;
    const { target, key } = event;
    if (key === "Escape") return leave(acts);
    if (target.matches("input:not([type=checkbox]), select, textarea")) {
      if (target === byId("search") && (key === "Enter" || key === "ArrowDown")) byId("grid").focus();
      return;
    }
    if (key.length === 1 && areSignsOff()) return;
    const act = common(acts, key) ?? (shownTab() === "timeline" ? grid(key, target) : null);
    if (!act) return;
    event.preventDefault();
    Promise.resolve(act()).catch(tell);
  });
}

function common(acts, key) {
  if (key === "?") return openKeys;
  if (key === "/") return acts.search;
  if (/^[1-5]$/.test(key)) return () => showTabAt(Number(key) - 1);
  return null;
}

function keysOfGrid(timeline, acts) {
  const step = (steps) => () => acts.moved(timeline.step(steps));
  const page = (sign) => () => acts.moved(timeline.step(sign * timeline.pageOfRows));
  const letters = {
    j: step(1),
    k: step(-1),
    g: () => timeline.toStart(),
    G: acts.last,
    p: acts.pair,
    f: acts.follow,
    e: acts.errors,
    y: acts.copyCall,
    m: acts.mark,
    c: acts.compare,
    x: acts.export,
  };
  // These scroll and press where the list is not in focus.
  const others = {
    ArrowDown: step(1),
    ArrowUp: step(-1),
    PageDown: page(1),
    PageUp: page(-1),
    Home: () => timeline.toStart(),
    End: acts.last,
    Enter: acts.open,
  };
  return (key, target) => letters[key] ?? (target === timeline.grid || target === document.body ? others[key] : null);
}

function leave(acts) {
  document.activeElement?.blur();
  acts.close();
  byId("grid").focus({ preventScroll: true });
}
