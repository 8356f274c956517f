// Two messages, line by line.

import { get } from "./api.js";
import { openDialog } from "./dialog.js";
import { make } from "./dom.js";
import { count } from "./format.js";

const MOST_LINES = 2000;
const SIGNS = { same: " ", left: "−", right: "+", gap: "⋯" };

export async function compare(left, right) {
  const { rows } = await get("/api/compare", { left, right });
  const isSame = rows.every(({ mark }) => mark === "same");
  const legend = make(
    "p",
    "hint",
    isSame ? "Both say the same." : `− is only in #${count(left)}, + is only in #${count(right)}.`,
  );
  openDialog(`#${count(left)} and #${count(right)}`, legend, lines(rows));
}

// Makes the lines of a difference. Each has a sign, because colour alone would not do for everybody.
export function lines(rows) {
  const box = make("div", "difference");
  for (const { mark, text } of rows.slice(0, MOST_LINES)) {
    const line = make("div", "line", make("span", "sign", SIGNS[mark] ?? " "), make("span", "", text));
    line.dataset.mark = mark;
    box.append(line);
  }
  if (rows.length > MOST_LINES) box.append(make("p", "hint", `${count(rows.length - MOST_LINES)} more lines are not shown.`));
  return box;
}
