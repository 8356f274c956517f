// A scripted agent on the TypeScript SDK. The first word of the prompt chooses the script (see ../README.md).
import { readFileSync } from "node:fs";
import { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import * as acp from "@agentclientprotocol/sdk";

const sessions = new Map();
let clientFs = {};

const scripts = {
  async stream(turn) {
    for (const word of ["one ", "two ", "three"]) await turn.say(word);
    const toolCallId = "list-1";
    await turn.update({ sessionUpdate: "tool_call", toolCallId, title: "List files", kind: "search", status: "pending" });
    await turn.update({ sessionUpdate: "tool_call_update", toolCallId, status: "in_progress" });
    const text = { type: "text", text: "notes.txt" };
    await turn.update({
      sessionUpdate: "tool_call_update",
      toolCallId,
      status: "completed",
      content: [{ type: "content", content: text }],
    });
  },

  async permission(turn) {
    const toolCall = { toolCallId: "edit-1", title: "Edit notes.txt", kind: "edit", status: "pending" };
    await turn.update({ sessionUpdate: "tool_call", ...toolCall });
    const { outcome } = await turn.request(acp.methods.client.session.requestPermission, {
      toolCall,
      options: [
        { optionId: "opt-always", name: "Always", kind: "allow_always" },
        { optionId: "opt-yes", name: "Yes", kind: "allow_once" },
        { optionId: "opt-no", name: "No", kind: "reject_once" },
      ],
    });
    const chosen = outcome.outcome === "selected" ? outcome.optionId : outcome.outcome;
    const allowed = chosen === "opt-yes" || chosen === "opt-always";
    const status = allowed ? "completed" : "failed";
    await turn.update({ sessionUpdate: "tool_call_update", toolCallId: toolCall.toolCallId, status });
    await turn.say(`answer: ${chosen}`);
  },

  async files(turn) {
    if (!clientFs.readTextFile || !clientFs.writeTextFile) return turn.say("no file system");
    const { content } = await turn.request(acp.methods.client.fs.readTextFile, { path: `${turn.cwd}/notes.txt` });
    await turn.request(acp.methods.client.fs.writeTextFile, {
      path: `${turn.cwd}/copy.txt`,
      content: content.toUpperCase(),
    });
    await turn.say("copied");
  },

  async refusals(turn) {
    const codes = [];
    for (const path of [`${turn.cwd}/missing.txt`, `${turn.cwd}/../outside.txt`]) {
      await turn.request(acp.methods.client.fs.readTextFile, { path }).then(
        () => codes.push("read"),
        (error) => codes.push(error.code),
      );
    }
    await turn.say(`missing: ${codes[0]}, outside: ${codes[1]}`);
  },

  async wait(turn) {
    await turn.say("waiting");
    await new Promise((resolve) => turn.cancelled.addEventListener("abort", resolve));
  },
};

async function prompt({ params, client }) {
  const session = sessions.get(params.sessionId);
  if (!session) throw acp.RequestError.sessionNotFound(params.sessionId);
  session.abort = new AbortController();
  const turn = {
    cwd: session.cwd,
    cancelled: session.abort.signal,
    request: (method, rest) => client.request(method, { sessionId: params.sessionId, ...rest }),
    update: (update) =>
      client.notify(acp.methods.client.session.update, { sessionId: params.sessionId, update }),
    say: (text) =>
      turn.update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } }),
  };
  const script = scripts[params.prompt[0]?.text?.split(" ")[0]];
  if (!script) throw acp.RequestError.invalidParams(undefined, "the prompt starts with no known script word");
  await script(turn);
  return { stopReason: session.abort.signal.aborted ? "cancelled" : "end_turn" };
}

const { version } = JSON.parse(
  readFileSync(new URL("./node_modules/@agentclientprotocol/sdk/package.json", import.meta.url)),
);

/** The agent, which `agent-v2.mjs` serves as well. */
export const app = acp
  .agent({ name: "interop-agent" })
  .onRequest(acp.methods.agent.initialize, ({ params }) => {
    clientFs = params.clientCapabilities?.fs ?? {};
    return {
      protocolVersion: acp.PROTOCOL_VERSION,
      agentCapabilities: {},
      agentInfo: { name: "typescript-sdk-agent", version },
    };
  })
  .onRequest(acp.methods.agent.session.new, ({ params }) => {
    const sessionId = `ts-${sessions.size + 1}`;
    sessions.set(sessionId, { cwd: params.cwd });
    return { sessionId };
  })
  .onRequest(acp.methods.agent.session.prompt, prompt)
  .onNotification(acp.methods.agent.session.cancel, ({ params }) => sessions.get(params.sessionId)?.abort?.abort());

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  app.connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
}
