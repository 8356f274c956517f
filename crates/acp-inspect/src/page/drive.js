// The acts of a person who is the client: prompts, answers, and messages of their own.

import { get, post } from "./api.js";
import { closeDialog, openDialog } from "./dialog.js";
import { button, byId, make } from "./dom.js";
import { count } from "./format.js";
import { pretty } from "./json.js";
import { announce, settled, tell } from "./problem.js";
import { brief, visible } from "./text.js";

export class Drive {
  #session;
  // The questions that are shown, by their numbers.
  #questions = new Map();

  // `session` returns the id of the session that is shown.
  constructor(session) {
    this.#session = session;
    byId("composer").hidden = false;
    byId("new-session").hidden = false;
    byId("new-session").addEventListener("click", () => this.act({ act: "open" }));
    byId("cancel").addEventListener("click", () => this.#cancel());
    byId("composer").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#prompt();
    });
    byId("prompt").addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.#prompt();
    });
  }

  // Does an act. Returns true if the server has taken it.
  async act(body) {
    try {
      await post("/api/act", body);
      settled();
      return true;
    } catch (error) {
      tell(error);
      return false;
    }
  }

  async #prompt() {
    const [session, text] = [this.#session(), byId("prompt").value];
    if (text.trim() === "") return;
    if (session === null) return tell(new Error("Open a session first: New session."));
    if (await this.act({ act: "prompt", session, text })) byId("prompt").value = "";
  }

  async #cancel() {
    const session = this.#session();
    if (session !== null && (await this.act({ act: "cancel", session }))) announce("The turn was cancelled.");
  }

  // Shows the questions that wait. One that cannot be read hides no other, and is tried again.
  async ask(seqs) {
    const made = await Promise.all(seqs.map((seq) => this.#question(seq)));
    this.#questions = new Map(made.map((question, at) => [seqs[at], question]));
    const nodes = made.map(({ node }) => node);
    const box = byId("asks");
    const isShown = nodes.length === box.childElementCount && nodes.every((node, at) => node === box.children[at]);
    if (!isShown) box.replaceChildren(...nodes);
    box.hidden = nodes.length === 0;
  }

  async #question(seq) {
    const known = this.#questions.get(seq);
    if (known?.isRead) return known;
    try {
      return { isRead: true, node: this.#drawn(seq, await get(`/api/asks/${seq}`)) };
    } catch {
      return known ?? { isRead: false, node: this.#drawn(seq, { title: `something that cannot be shown, #${seq}`, options: [] }) };
    }
  }

  #drawn(seq, { title, description, command, options }) {
    const answer = (option) => async () => {
      const isDone = await this.act({ act: "answer", seq, option });
      if (isDone) announce("The question was answered.");
    };
    const buttons = options.map(({ optionId, name, kind }) => {
      const choice = button(brief(name ?? optionId, 80), answer(optionId));
      choice.dataset.kind = kind ?? "";
      return choice;
    });
    const says = make("p", "", make("b", "", "The agent asks: "), brief(title ?? "something", 300));
    const about = [];
    // Version 2 describes a question, and names the command that it is about.
    if (description) about.push(make("p", "hint", brief(description, 1000)));
    if (command) {
      const line = make("code", "", brief(command.command ?? "", 1000));
      about.push(make("p", "hint", line, ` in ${brief(command.cwd ?? "", 300)}`));
    }
    return make("div", "ask", says, ...about, make("div", "options", ...buttons, button("Withdraw", answer(null), "quiet")));
  }

  // Lets the person edit a message and send it again.
  async edit(seq) {
    const { text, cut } = await get(`/api/messages/${seq}`);
    if (cut) return announce("The message is too long to be edited here.");
    const field = make("textarea", "edited");
    field.value = visible(pretty(text));
    field.setAttribute("aria-label", "Message");
    field.spellcheck = false;
    const says = make("p", "hint", "A request is sent with a new id.");
    says.setAttribute("role", "status");
    const send = async () => {
      try {
        await post("/api/act", { act: "send", text: field.value });
        closeDialog();
        announce("The message was sent.");
      } catch (error) {
        says.textContent = visible(error.message);
      }
    };
    openDialog(`Send #${count(seq)} again`, field, make("p", "tools", button("Send", send), says));
    field.focus();
  }
}
