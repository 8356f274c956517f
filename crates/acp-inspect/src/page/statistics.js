// Counts and latencies by method, in the order that a person chooses.

import { get } from "./api.js";
import { button, byId, make } from "./dom.js";
import { count, duration, share } from "./format.js";
import { brief } from "./text.js";

const COLUMNS = [
  ["method", "Method"],
  ["direction", "Direction"],
  ["count", "Count"],
  ["errors", "Errors"],
  ["p50", "p50"],
  ["p99", "p99"],
];
const MOST_LINES = 500;

export class Statistics {
  #lines = [];
  #order = { by: "count", isDown: true };

  async show() {
    this.#lines = (await get("/api/statistics")).methods;
    this.#draw();
  }

  #draw() {
    const focused = Array.from(byId("statistics").querySelectorAll("th button")).indexOf(document.activeElement);
    const { by, isDown } = this.#order;
    const sorted = this.#lines.toSorted((left, right) => (isDown ? -1 : 1) * compared(left[by], right[by]));
    const body = make("tbody", "", ...sorted.slice(0, MOST_LINES).map(line));
    const table = make("table", "", make("caption", "unseen", "Methods"), make("thead", "", this.#heads()), body);
    const rest = sorted.length > MOST_LINES ? [make("p", "hint", `${count(sorted.length - MOST_LINES)} more methods are not shown.`)] : [];
    if (sorted.length === 0) rest.push(make("p", "hint", "Nothing was said yet."));
    byId("statistics").replaceChildren(make("div", "wide", table), ...rest);
    if (focused >= 0) byId("statistics").querySelectorAll("th button")[focused].focus();
  }

  #heads() {
    const heads = COLUMNS.map(([name, label]) => {
      const head = make("th", name === "method" || name === "direction" ? "" : "number");
      head.scope = "col";
      const isOrder = this.#order.by === name;
      head.ariaSort = isOrder ? (this.#order.isDown ? "descending" : "ascending") : "none";
      head.append(
        button(label, () => {
          this.#order = { by: name, isDown: isOrder ? !this.#order.isDown : name !== "method" };
          this.#draw();
        }),
      );
      return head;
    });
    return make("tr", "", ...heads);
  }
}

function compared(left, right) {
  if (typeof left === "number" || typeof right === "number") return (left ?? -1) - (right ?? -1);
  return String(left ?? "").localeCompare(String(right ?? ""));
}

function line({ method, direction, count: number, errors, p50, p99 }) {
  const name = make("th", "", brief(method ?? "(no method)", 120));
  name.scope = "row";
  const failed = make("td", errors > 0 ? "number failed" : "number", count(errors));
  return make("tr", "", name, make("td", "", direction), make("td", "number", count(number)), failed, latency(p50), latency(p99));
}

function latency(micros) {
  const cell = make("td", "number latency", make("span", "", duration(micros) || "–"));
  if (micros === null) return cell;
  const bar = make("i", "bar");
  bar.style.width = `${share(micros) * 86}px`;
  bar.dataset.pace = micros >= 1e6 ? "slow" : "fast";
  cell.append(bar);
  return cell;
}
