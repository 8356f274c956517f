// The rows that the page holds: a stretch of the chosen ones, at most MOST. The others are at the
// server, on its disk.

import { get } from "./api.js";
import { chosen } from "./filter.js";

const PAGE = 200;
const MOST = 600;
// The page jumps to the end if it is more messages behind than this.
const FAR = 1000;

export class Loaded {
  rows = [];
  isAtStart = true;
  isAtEnd = false;
  // All messages up to this one were looked at for the rows.
  #scanned = 0;
  // Answers to questions of an earlier choice are thrown away.
  #choice = 0;
  #isAsking = false;
  #current = Promise.resolve();

  // Loads the rows around a message: it, or the next one that is chosen, becomes a row.
  around(seq) {
    const places = [{ before: seq }, { after: seq - 1 }];
    return this.#load(places, ([above, below]) => {
      this.rows = joined(above.rows, below.rows);
      this.isAtStart = !above.more;
      this.#below(below, 0);
    });
  }

  // Loads the last rows.
  latest(messages) {
    return this.#load([{ before: messages + 1 }], ([found]) => {
      this.rows = found.rows;
      this.isAtStart = !found.more;
      this.isAtEnd = true;
      this.#scanned = messages;
    });
  }

  // Loads rows above the first. Returns their number.
  async up() {
    const first = this.rows[0];
    if (!first || this.isAtStart || this.#isAsking) return 0;
    let added = 0;
    await this.#load([{ before: first.seq }], ([found]) => {
      const before = this.rows.length;
      this.rows = joined(found.rows, this.rows);
      added = this.rows.length - before;
      this.isAtStart = !found.more;
      if (this.rows.length <= MOST) return;
      this.rows.length = MOST;
      this.isAtEnd = false;
      this.#scanned = lastOf(this.rows.at(-1));
    });
    return added;
  }

  // Loads rows below the last, or new ones. Returns the number of rows that have left at the top, or
  // null if nothing has changed.
  async down(messages, isFollowing) {
    while (this.#isAsking) await this.#current.catch(() => {});
    if (this.isAtEnd && this.#scanned >= messages) return null;
    if (isFollowing && messages - this.#scanned > FAR && !chosen().text) {
      await this.latest(messages);
      return 0;
    }
    // A stream that ends the rows may go on: its row is made anew.
    const last = this.rows.at(-1);
    const goesOn = last?.update?.endsWith("_chunk") && lastOf(last) === this.#scanned;
    const after = goesOn ? last.seq - 1 : this.#scanned;
    let left = null;
    await this.#load([{ after }], ([found]) => {
      const kept = goesOn && found.rows.length > 0 ? this.rows.slice(0, -1) : this.rows;
      const rows = kept.concat(found.rows);
      left = Math.max(0, rows.length - MOST);
      this.rows = rows.slice(left);
      if (left > 0) this.isAtStart = false;
      this.#below(found, messages);
    });
    return left;
  }

  indexOf(seq) {
    return this.rows.findIndex((row) => row.seq <= seq && seq <= lastOf(row));
  }

  #below(found, messages) {
    this.isAtEnd = !found.more;
    const last = lastOf(this.rows.at(-1));
    this.#scanned = found.more ? last : Math.max(last, messages);
  }

  #load(places, take) {
    this.#choice += 1;
    this.#isAsking = true;
    this.#current = this.#answered(places, take, this.#choice);
    return this.#current;
  }

  async #answered(places, take, choice) {
    try {
      const found = await Promise.all(places.map(ask));
      if (choice === this.#choice) take(found);
    } finally {
      if (choice === this.#choice) this.#isAsking = false;
    }
  }
}

function ask(place) {
  return get("/api/rows", { limit: PAGE, ...chosen(), ...place });
}

const lastOf = (row) => row?.cluster?.last ?? row?.seq ?? 0;

// Joins two stretches. A stream that was cut between them becomes one row again.
function joined(above, below) {
  const [last, first] = [above.at(-1), below[0]];
  const isOne =
    last?.update?.endsWith("_chunk") &&
    chosen().fold === "1" &&
    first?.update === last.update &&
    first.session === last.session &&
    lastOf(last) + 1 === first.seq;
  if (!isOne) return above.concat(below);
  const number = (row) => row.cluster?.count ?? 1;
  const cluster = { first: last.seq, last: lastOf(first), count: number(last) + number(first) };
  return [...above.slice(0, -1), { ...last, cluster }, ...below.slice(1)];
}
