// A row of the timeline. Its elements are made once and used for one message after another.

import { make, write } from "./dom.js";
import { count, duration, share, size, time } from "./format.js";
import { brief } from "./text.js";

export const HEIGHT = 28;

const MARKS = { schema: "Does not fit the type of the protocol" };

export class Row {
  constructor() {
    this.seq = cell("seq");
    this.time = cell("time");
    this.way = cell("way");
    this.arrow = make("i", "arrow");
    this.way.append(this.arrow);
    this.kind = cell("kind");
    this.what = cell("what");
    this.name = make("b", "name");
    this.about = make("span", "about");
    this.marks = make("span", "marks");
    this.id = make("span", "id");
    this.number = make("span", "number-of");
    // Spaces, because the parts are read aloud as one text.
    this.what.append(this.name, " ", this.id, " ", this.number, " ", this.marks, " ", this.about);
    this.latency = cell("latency");
    this.bar = make("i", "bar");
    this.took = make("span");
    this.latency.append(this.took, this.bar);
    this.size = cell("size");
    this.node = make("div", "row", this.seq, this.time, this.way, this.kind, this.what, this.latency, this.size);
    this.node.setAttribute("role", "row");
    this.shown = null;
  }

  // Shows a row at a place of the list.
  show(row, at, lanes) {
    this.node.style.transform = `translateY(${at * HEIGHT}px)`;
    if (this.shown === row) return;
    this.shown = row;
    this.node.id = `row-${row.seq}`;
    this.node.setAttribute("aria-rowindex", row.seq + 1);
    this.node.dataset.kind = row.error ? "error" : row.kind;
    write(this.seq, count(row.seq));
    write(this.time, time(row.micros));
    this.#way(row, lanes);
    write(this.kind, row.error ? "error" : row.kind);
    write(this.name, brief(nameOf(row), 80));
    write(this.id, row.id === null ? "" : `#${brief(row.id, 24)}`);
    write(this.number, row.cluster ? `× ${count(row.cluster.count)}` : "");
    write(this.about, brief(row.about ?? "", 160));
    write(this.marks, row.marks.length > 0 ? row.marks.join(" ") : "");
    this.marks.title = row.marks.map((mark) => MARKS[mark] ?? mark).join(", ");
    write(this.took, duration(row.latency));
    this.bar.hidden = row.latency === null;
    if (row.latency !== null) this.bar.style.width = `${share(row.latency) * 76}px`;
    this.bar.dataset.pace = row.latency >= 1e6 ? "slow" : "fast";
    write(this.size, size(row.bytes));
  }

  choose(isChosen, isMarked) {
    if (isChosen) this.node.setAttribute("aria-selected", "true");
    else this.node.removeAttribute("aria-selected");
    this.node.classList.toggle("marked", isMarked);
  }

  // Lets the next show draw everything anew.
  forget() {
    this.shown = null;
  }

  // Draws the arrow between two lanes.
  #way(row, lanes) {
    const [from, to] = [lanes.indexOf(row.from), lanes.indexOf(row.to)];
    const place = (lane) => ((lane + 0.5) / lanes.length) * 100;
    const [left, right] = [Math.min(from, to), Math.max(from, to)];
    this.arrow.style.left = `${place(left)}%`;
    this.arrow.style.width = `${place(right) - place(left)}%`;
    this.arrow.dataset.to = from < to ? "right" : "left";
    this.way.setAttribute("aria-label", `${row.from} to ${row.to}`);
  }
}

function cell(name) {
  const node = make("span", name);
  node.setAttribute("role", "gridcell");
  return node;
}

const nameOf = (row) => row.update ?? row.method ?? (row.kind === "other" ? "not a message" : "(no method)");
