// A part of the connection as a file.

import { ask } from "./api.js";
import { closeDialog, openDialog } from "./dialog.js";
import { button, make } from "./dom.js";
import { announce } from "./problem.js";
import { brief } from "./text.js";

const FORMS = [
  ["redacted", "A recording without secrets, to share", "redacted.ndjson"],
  ["mock", "A script that plays the agent, for acp mock", "mock.toml"],
];

// Asks for the part and its form. The part begins as the messages from one to another.
export function openExport(first, last) {
  const [from, to] = [number("From message", first), number("to", last)];
  const says = make("p", "hint");
  says.setAttribute("role", "status");
  const choices = FORMS.map(([kind, label, name]) => {
    const save = async () => {
      says.textContent = "";
      try {
        const answer = await ask("/api/export", { kind, from: from.field.value, to: to.field.value });
        keep(await answer.blob(), name);
        closeDialog();
        announce(`${name} was saved.`);
      } catch (error) {
        says.textContent = brief(error.message, 500);
      }
    };
    return make("p", "choice", button(`Save ${name}`, save), make("span", "", label));
  });
  openDialog("Export", make("p", "tools", from.label, to.label), ...choices, says);
}

function number(name, value) {
  const field = make("input");
  Object.assign(field, { type: "number", min: 1, value });
  return { field, label: make("label", "", `${name} `, field) };
}

function keep(blob, name) {
  const link = make("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
