// One item of a transcript: words of a side, a tool call, a plan, usage, or an end.

import { button, folded, make } from "./dom.js";
import { lines } from "./compare.js";
import { count } from "./format.js";
import { code } from "./json.js";
import { brief } from "./text.js";

const MOST_WORDS = 8000;
const SPEAKERS = { user: "User", agent: "Agent", thought: "Thought", permission: "Permission", plan: "Plan" };
const STEPS = new Map([["completed", "✓"], ["in_progress", "▸"], ["pending", "○"]]);

export function item(entry, acts) {
  const made = parts(entry);
  const link = button(`#${count(entry.seq)}`, () => acts.go(entry.seq), "link place");
  link.title = "Show in the timeline";
  const box = make("section", "item", link, ...made);
  box.dataset.kind = entry.kind;
  return box;
}

// A message that cannot be drawn never hides the others.
function parts(entry) {
  const makers = { tool, plan, usage, end, permission };
  try {
    return (makers[entry.kind] ?? words)(entry);
  } catch {
    return [make("p", "hint", "This message cannot be shown here. The timeline has it as it is.")];
  }
}

function speaker(name) {
  return make("h3", "", SPEAKERS[name] ?? name);
}

function words({ kind, text }) {
  return [speaker(kind), prose(text ?? "")];
}

function prose(text) {
  if (text.length <= MOST_WORDS) return make("div", "prose", text);
  const box = make("div", "prose", text.slice(0, MOST_WORDS));
  const all = button(`Show all ${count(text.length)} characters`, () => box.replaceChildren(make("span", "", text)));
  return make("div", "long", box, all);
}

function tool({ tool: { id, title, kind, status, input, output, texts, diffs, cut } }) {
  const state = make("span", "badge", brief(status ?? "pending", 40).replaceAll("_", " "));
  state.dataset.status = status ?? "pending";
  const name = make("h3", "", brief(title ?? id ?? "tool call", 200), state);
  const parts = [name, make("p", "hint", `Tool call${kind ? `, ${brief(kind, 40)}` : ""}`)];
  for (const text of texts ?? []) parts.push(prose(text));
  for (const diff of diffs ?? []) parts.push(difference(diff));
  if (cut?.texts || cut?.diffs) parts.push(make("p", "hint cut", "The rest of its output is left out here. The timeline has all of it."));
  if (input !== null && input !== undefined) parts.push(folded("Input", () => code(JSON.stringify(input, null, 2))));
  if (output !== null && output !== undefined) parts.push(folded("Output", () => code(JSON.stringify(output, null, 2))));
  return parts;
}

function difference({ path, rows }) {
  const [added, removed] = ["right", "left"].map((mark) => rows.filter((row) => row.mark === mark).length);
  const head = make("figcaption", "", make("code", "", brief(path ?? "", 300)), ` +${count(added)} −${count(removed)}`);
  return make("figure", "", head, lines(rows));
}

function plan({ plan: entries }) {
  const list = make("ol", "plan");
  for (const { content, status } of (entries ?? []).slice(0, 200)) {
    const state = make("span", "unseen", `${brief(status ?? "", 40).replaceAll("_", " ")}: `);
    const sign = make("span", "sign", STEPS.get(status) ?? "·");
    sign.ariaHidden = "true";
    const step = make("li", "", sign, state, brief(content ?? "", 500));
    step.dataset.status = status;
    list.append(step);
  }
  return [speaker("plan"), list];
}

function usage({ usage: { used, size, cost } }) {
  const parts = [];
  if (Number.isFinite(used) && Number.isFinite(size) && size > 0) {
    const meter = make("meter");
    Object.assign(meter, { max: size, value: used });
    meter.setAttribute("aria-label", "Context");
    parts.push(meter, make("span", "", `${count(used)} of ${count(size)} tokens`));
  }
  if (Number.isFinite(cost?.amount)) parts.push(make("span", "", `${cost.amount} ${brief(cost.currency ?? "", 8)}`));
  return [make("div", "usage", ...parts)];
}

function end({ text, usage: used }) {
  const tokens = used?.totalTokens ? `, ${count(used.totalTokens)} tokens` : "";
  return [make("div", "turn-end", `${brief(text ?? "The turn has ended", 200).replaceAll("_", " ")}${tokens}`)];
}

function permission({ text, options, answer }) {
  const parts = [speaker("permission"), make("div", "prose", brief(text ?? "", 500))];
  const list = make("p", "options");
  for (const option of (options ?? []).slice(0, 20)) {
    const badge = make("span", "badge", brief(option.name ?? option.optionId ?? "", 80));
    if (option.optionId === answer) badge.dataset.status = "chosen";
    list.append(badge);
  }
  parts.push(list, make("p", "hint", answerText(options, answer)));
  return parts;
}

function answerText(options, answer) {
  if (answer === null || answer === undefined) return "It was not answered.";
  const option = (options ?? []).find(({ optionId }) => optionId === answer);
  return option ? `The answer: ${brief(option.name ?? answer, 80)}.` : `The answer: ${brief(answer, 80)}.`;
}
