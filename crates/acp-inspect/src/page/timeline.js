// The timeline: a list of which only the rows in view are elements.

import { byId, make, write } from "./dom.js";
import { tell } from "./problem.js";
import { Loaded } from "./loaded.js";
import { chooses } from "./filter.js";
import { visible } from "./text.js";
import { HEIGHT, Row } from "./row.js";

// Rows above and below the view that are elements too.
const MARGIN = 6;
// More rows are loaded when the view is this near to an end.
const NEAR = 60;

export class Timeline {
  #loaded = new Loaded();
  #pool = [];
  #lanes;
  #opened;
  #moved;
  #isGrowing = false;
  // The place of the view after the last scroll.
  #top = 0;
  messages = 0;
  chosen = 0;
  marked = 0;
  isFollowing = false;

  // `opened` is called with the row that a person opens, `moved` with the first row in view.
  constructor(lanes, opened, moved) {
    this.#lanes = [];
    this.#opened = opened;
    this.#moved = moved;
    this.grid = byId("grid");
    this.list = byId("rows");
    this.grid.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    this.list.addEventListener("click", (event) => {
      const row = this.#pool.find(({ node }) => node.contains(event.target));
      if (row) this.choose(row.shown.seq, true);
    });
    this.#addLanes(lanes);
    new ResizeObserver(() => this.#draw()).observe(this.grid);
  }

  // Loads anew, after the choice of messages has changed.
  async reload() {
    if (this.isFollowing) return this.toEnd();
    await this.#loaded.around(this.chosen || 1);
    this.#reveal(this.chosen || 1);
  }

  // Takes the number of messages, and shows new ones where they are in view.
  async grow(messages) {
    this.messages = messages;
    this.grid.setAttribute("aria-rowcount", chooses() ? -1 : messages + 1);
    if (this.#isGrowing) return;
    this.#isGrowing = true;
    try {
      let seen;
      do {
        seen = this.messages;
        await this.#catchUp(seen);
      } while (this.messages > seen || (this.isFollowing && !this.#loaded.isAtEnd));
    } finally {
      this.#isGrowing = false;
    }
  }

  async #catchUp(messages) {
    // New messages far below the rows that a person reads are only counted.
    if (!this.isFollowing && !this.#isNearEnd()) return;
    const left = await this.#loaded.down(messages, this.isFollowing);
    if (left === null) return;
    this.#draw();
    if (this.isFollowing) this.#scrollTo(this.grid.scrollHeight);
    else if (left > 0) this.#scrollTo(this.grid.scrollTop - left * HEIGHT);
  }

  follow(isFollowing) {
    this.isFollowing = isFollowing;
    byId("follow").setAttribute("aria-pressed", isFollowing);
    if (isFollowing) return this.toEnd();
  }

  async toEnd() {
    await this.#loaded.latest(this.messages);
    this.#draw();
    this.#scrollTo(this.grid.scrollHeight);
  }

  // Scrolls for the page, and not for a person.
  #scrollTo(top) {
    this.grid.scrollTop = top;
    this.#top = this.grid.scrollTop;
  }

  // Goes to a message that may be far away.
  async goTo(seq) {
    this.follow(false);
    if (this.#loaded.indexOf(seq) < 0) await this.#loaded.around(seq);
    this.#reveal(seq);
  }

  // Chooses a row, and opens its message if a person asks for that.
  choose(seq, opens) {
    this.chosen = seq;
    this.#draw();
    if (opens) this.#opened(seq);
  }

  // Chooses the row some steps away. Returns it.
  step(steps) {
    const rows = this.#loaded.rows;
    if (rows.length === 0) return null;
    const at = this.#loaded.indexOf(this.chosen);
    const from = at < 0 ? this.#firstInView() - Math.sign(steps) : at;
    const row = rows[Math.min(rows.length - 1, Math.max(0, from + steps))];
    if (steps < 0 && this.isFollowing) this.follow(false);
    this.chosen = row.seq;
    this.#reveal(row.seq);
    return row;
  }

  async toStart() {
    await this.goTo(1);
    this.chosen = this.#loaded.rows[0]?.seq ?? 0;
    this.#draw();
  }

  row(seq) {
    return this.#loaded.rows[this.#loaded.indexOf(seq)];
  }

  get pageOfRows() {
    return Math.max(1, Math.floor(this.grid.clientHeight / HEIGHT) - 2);
  }

  #firstInView() {
    return Math.floor(this.grid.scrollTop / HEIGHT);
  }

  #reveal(seq) {
    this.#draw();
    const at = this.#loaded.indexOf(seq);
    if (at < 0) return;
    const [top, room] = [at * HEIGHT, this.grid.clientHeight - HEIGHT];
    const view = this.grid.scrollTop;
    if (top < view || top + HEIGHT > view + room) this.#scrollTo(top - Math.min(room / 3, 200));
    this.#draw();
  }

  #scrolled() {
    this.#draw();
    const { scrollTop, scrollHeight, clientHeight } = this.grid;
    // Only a person scrolls up. The end goes away by itself, too, where rows are added below it.
    const isUp = scrollTop < this.#top - 1 && scrollTop + clientHeight < scrollHeight - 2 * HEIGHT;
    this.#top = scrollTop;
    if (this.isFollowing && isUp) this.follow(false);
    this.#more().catch(tell);
  }

  async #more() {
    if (this.#firstInView() < NEAR && !this.#loaded.isAtStart) {
      const added = await this.#loaded.up();
      // The list is as high as its rows before the view moves in it.
      this.#draw();
      if (added > 0) this.#scrollTo(this.grid.scrollTop + added * HEIGHT);
      this.#draw();
    } else {
      await this.grow(this.messages);
    }
  }

  #isNearEnd() {
    return this.#firstInView() + this.pageOfRows > this.#loaded.rows.length - NEAR;
  }

  #draw() {
    const { rows } = this.#loaded;
    const height = `${rows.length * HEIGHT}px`;
    if (this.list.style.height !== height) this.list.style.height = height;
    const nothing = this.messages === 0 ? "Nothing was said yet." : "No message is like that.";
    byId("nothing").hidden = rows.length > 0;
    write(byId("nothing"), nothing);
    // The view may be below the rows, where there are fewer than before.
    const begin = Math.min(rows.length, Math.max(0, this.#firstInView() - MARGIN));
    const end = Math.min(rows.length, begin + this.pageOfRows + 2 + 2 * MARGIN);
    this.#resize(end - begin);
    this.#addLanes(rows.slice(begin, end).flatMap(({ from, to }) => [from, to]));
    // The order of the elements is that of the messages, because it is the order of reading aloud.
    this.#pool.forEach((row, place) => {
      const at = begin + place;
      row.show(rows[at], at, this.#lanes);
      const { seq, cluster } = rows[at];
      const has = (wanted) => wanted >= seq && wanted <= (cluster?.last ?? seq);
      row.choose(has(this.chosen), has(this.marked));
    });
    const chosen = this.#pool.find(({ node }) => node.hasAttribute("aria-selected"));
    if (chosen) this.grid.setAttribute("aria-activedescendant", chosen.node.id);
    else this.grid.removeAttribute("aria-activedescendant");
    this.#moved(rows[Math.max(0, this.#firstInView())]);
  }

  // Adds lanes that are new. A live connection may have one later.
  #addLanes(names) {
    const added = names.filter((name, at) => !this.#lanes.includes(name) && names.indexOf(name) === at);
    if (added.length === 0) return;
    this.#lanes.push(...added);
    this.grid.style.setProperty("--lanes", this.#lanes.length);
    byId("lanes").replaceChildren(...this.#lanes.map(laneHead));
    this.#pool.forEach((row) => row.forget());
  }

  // Has as many rows as are in view.
  #resize(wanted) {
    while (this.#pool.length > wanted) this.#pool.pop().node.remove();
    while (this.#pool.length < wanted) {
      const row = new Row();
      this.#pool.push(row);
      this.list.append(row.node);
    }
  }
}

// Lanes have names of programs, which may be long.
function laneHead(lane) {
  const head = make("span", "", visible(lane));
  head.title = visible(lane);
  return head;
}
