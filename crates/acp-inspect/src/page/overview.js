// The whole connection in one strip: how much was said when, with errors. A slider moves in it.

import { get } from "./api.js";
import { byId } from "./dom.js";
import { count, time } from "./format.js";

const BUCKETS = 240;

export class Overview {
  #buckets = [];
  #micros = 0;
  #drawn = -1;

  // `chosen` is called with the number of the message that a person goes to.
  constructor(chosen) {
    this.place = byId("place");
    this.canvas = byId("density");
    this.place.addEventListener("input", () => {
      const bucket = this.#buckets[Number(this.place.value)];
      if (bucket) chosen(bucket.first);
      this.#say();
    });
    new ResizeObserver(() => this.#draw()).observe(this.canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#draw());
  }

  async grow(messages) {
    if (messages === this.#drawn) return;
    const { buckets, micros } = await get("/api/overview", { buckets: BUCKETS });
    this.#buckets = buckets;
    this.#micros = micros;
    this.#drawn = messages;
    this.place.max = Math.max(0, buckets.length - 1);
    this.#draw();
    this.#say();
  }

  // Puts the slider to the first row in view.
  follow(row) {
    if (!row || this.#micros === 0 || document.activeElement === this.place) return;
    const at = Math.floor((row.micros / this.#micros) * this.#buckets.length);
    this.place.value = Math.min(at, this.#buckets.length - 1);
    this.#say();
  }

  #say() {
    const bucket = this.#buckets[Number(this.place.value)];
    if (!bucket) return;
    const at = time((this.#micros * Number(this.place.value)) / this.#buckets.length);
    this.place.setAttribute("aria-valuetext", `${at} s, message ${count(bucket.first)}`);
  }

  #draw() {
    const { canvas } = this;
    const scale = devicePixelRatio;
    canvas.width = canvas.clientWidth * scale;
    canvas.height = canvas.clientHeight * scale;
    const paint = canvas.getContext("2d");
    if (!paint || this.#buckets.length === 0) return;
    const colours = getComputedStyle(document.documentElement);
    const most = Math.max(...this.#buckets.map((bucket) => bucket.count), 1);
    const wide = canvas.width / this.#buckets.length;
    this.#buckets.forEach((bucket, at) => {
      if (bucket.count === 0) return;
      // A single message is seen beside a thousand.
      const high = Math.max(3 * scale, canvas.height * (Math.log1p(bucket.count) / Math.log1p(most)));
      paint.fillStyle = colours.getPropertyValue(bucket.errors > 0 ? "--error" : "--density");
      paint.fillRect(at * wide, canvas.height - high, Math.max(1, wide - scale), high);
    });
  }
}
