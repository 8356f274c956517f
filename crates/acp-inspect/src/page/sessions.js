// Sessions, each as people read it. One page of items is shown at a time.

import { get } from "./api.js";
import { button, byId, make } from "./dom.js";
import { count } from "./format.js";
import { item } from "./item.js";
import { tell } from "./problem.js";
import { brief } from "./text.js";

const PAGE = 60;
const MOST_SESSIONS = 200;

export class Sessions {
  #acts;
  #chosen = null;
  // The places where the pages before this one begin.
  #places = [0];
  // An answer to an earlier question is thrown away.
  #asked = 0;
  #known = 0;
  // The place of the next page, if there is one.
  #next = null;
  #made = new Map();

  constructor(acts) {
    this.#acts = acts;
  }

  get chosen() {
    return this.#chosen;
  }

  async show() {
    const sessions = await get("/api/sessions");
    this.#list(sessions);
    await this.#page();
  }

  // Shows what is new. A person who reads the end goes on with it.
  async grow() {
    const box = byId("transcript");
    const isAtEnd = box.scrollTop + box.clientHeight > box.scrollHeight - 60;
    await this.show();
    if (!isAtEnd) return;
    if (this.#next !== null) {
      this.#places.push(this.#next);
      await this.#page();
    }
    box.scrollTop = box.scrollHeight;
  }

  #list(sessions) {
    // A session that was opened just now is the one that a person wants.
    if (sessions.length > this.#known) this.#choose(sessions.at(-1).id);
    this.#known = sessions.length;
    const list = byId("session-list");
    const place = Array.from(list.children).indexOf(document.activeElement);
    const entries = sessions.slice(-MOST_SESSIONS).map((session) => this.#entry(session));
    if (entries.length === 0) entries.push(make("p", "hint", "There is no session yet."));
    list.replaceChildren(...entries);
    if (place >= 0) list.children[place]?.focus();
  }

  #entry({ id, title, turns, first, last }) {
    const label = make("b", "", brief(title ?? id ?? "", 60));
    const about = make("span", "", `${turns} ${turns === 1 ? "turn" : "turns"}, #${count(first)} to #${count(last)}`);
    const entry = button("", () => {
      this.#choose(id);
      this.show().catch(tell);
    });
    entry.replaceChildren(label, about);
    if (id === this.#chosen) entry.setAttribute("aria-current", "true");
    return entry;
  }

  #choose(id) {
    this.#chosen = id;
    this.#places = [0];
  }

  async #page() {
    if (this.#chosen === null) return;
    this.#asked += 1;
    const [id, after, asked] = [this.#chosen, this.#places.at(-1), this.#asked];
    const { items, more, next } = await get(`/api/sessions/${encodeURIComponent(id)}`, { after, limit: PAGE });
    if (asked !== this.#asked) return;
    this.#next = more ? next : null;
    const turn = (places) => () => {
      this.#places = places;
      this.#page().then(() => byId("transcript").scrollTo(0, 0)).catch(tell);
    };
    const parts = items.map((entry) => this.#item(id, entry));
    this.#made = new Map(parts.map((part) => [part.key, part]));
    const nodes = parts.map(({ node }) => node);
    if (this.#places.length > 1) nodes.unshift(button("Earlier", turn(this.#places.slice(0, -1)), "turn"));
    if (more) nodes.push(button("Later", turn([...this.#places, next]), "turn"));
    if (items.length === 0) nodes.push(make("p", "hint", "Nothing was said in this session yet."));
    arrange(byId("transcript"), nodes);
  }

  // Makes an item, or takes the one that is there if it is the same. What a person has opened stays open.
  #item(id, entry) {
    const [key, text] = [`${id} ${entry.seq}`, JSON.stringify(entry)];
    const known = this.#made.get(key);
    if (known?.text === text) return known;
    return { key, text, node: item(entry, this.#acts) };
  }
}

// Gives a box its children, without touching those that are in place.
function arrange(box, nodes) {
  const wanted = new Set(nodes);
  for (const child of Array.from(box.children)) if (!wanted.has(child)) child.remove();
  nodes.forEach((node, at) => {
    if (box.children[at] !== node) box.insertBefore(node, box.children[at] ?? null);
  });
}
