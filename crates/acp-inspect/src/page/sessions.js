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

  constructor(acts) {
    this.#acts = acts;
  }

  async show() {
    const sessions = await get("/api/sessions");
    const entries = sessions.slice(-MOST_SESSIONS).map((session) => this.#entry(session));
    byId("session-list").replaceChildren(...entries);
    if (entries.length === 0) byId("session-list").append(make("p", "hint", "There is no session yet."));
    if (this.#chosen === null && sessions.length > 0) this.#choose(sessions.at(-1).id);
    await this.#page();
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
    for (const entry of byId("session-list").children) entry.removeAttribute("aria-current");
    byId("session-list").lastElementChild?.setAttribute("aria-current", "true");
  }

  async #page() {
    if (this.#chosen === null) return;
    this.#asked += 1;
    const [id, after, asked] = [this.#chosen, this.#places.at(-1), this.#asked];
    const { items, more, next } = await get(`/api/sessions/${encodeURIComponent(id)}`, { after, limit: PAGE });
    if (asked !== this.#asked) return;
    const turn = (places) => () => {
      this.#places = places;
      this.#page().then(() => byId("transcript").scrollTo(0, 0)).catch(tell);
    };
    const parts = items.map((entry) => item(entry, this.#acts));
    if (this.#places.length > 1) parts.unshift(button("Earlier", turn(this.#places.slice(0, -1)), "turn"));
    if (more) parts.push(button("Later", turn([...this.#places, next]), "turn"));
    if (items.length === 0) parts.push(make("p", "hint", "Nothing was said in this session yet."));
    byId("transcript").replaceChildren(...parts);
  }
}
