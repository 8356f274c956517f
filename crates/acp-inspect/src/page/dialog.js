// The one dialog of the page: it holds a comparison, an export or the keys.

import { byId } from "./dom.js";

export function openDialog(title, ...content) {
  byId("dialog-title").textContent = title;
  byId("dialog-body").replaceChildren(...content);
  if (!byId("dialog").open) byId("dialog").showModal();
}

export const closeDialog = () => byId("dialog").close();

export function startDialog() {
  byId("dialog-close").addEventListener("click", closeDialog);
  byId("dialog").addEventListener("close", () => {
    // The event comes late: the dialog may be open again.
    if (!byId("dialog").open) byId("dialog-body").replaceChildren();
  });
  byId("dialog").addEventListener("click", (event) => {
    if (event.target === byId("dialog")) closeDialog();
  });
}
