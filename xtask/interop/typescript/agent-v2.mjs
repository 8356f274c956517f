// A scripted agent on the TypeScript SDK's router, which serves both versions: version 1 by `agent.mjs`, version 2 here. The
// first word of the prompt chooses the script (see ../README.md).
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk/experimental/v2";
import { app as v1 } from "./agent.mjs";

const sessions = new Map();

const scripts = {
  async stream(turn) {
    for (const word of ["one ", "two ", "three"]) await turn.say(word);
    turn.keepAnswer("one two three");
    const toolCallId = "list-1";
    const update = (members) => turn.update({ sessionUpdate: "tool_call_update", toolCallId, ...members });
    await update({ title: "List files", kind: "search", status: "pending" });
    await update({ status: "in_progress" });
    const content = { type: "content", content: { type: "text", text: "notes.txt" } };
    await turn.update({ sessionUpdate: "tool_call_content_chunk", toolCallId, content });
    await update({ status: "completed" });
  },

  /** Says something, and then takes it back for something else. */
  async replace(turn) {
    await turn.say("first");
    const content = [{ type: "text", text: "second" }];
    await turn.update({ sessionUpdate: "agent_message", messageId: turn.messageId, content });
    turn.keepAnswer("second");
  },

  async permission(turn) {
    const toolCall = { toolCallId: "edit-1", title: "Edit notes.txt", kind: "edit", status: "pending" };
    await turn.update({ sessionUpdate: "tool_call_update", ...toolCall });
    await turn.state({ state: "requires_action" });
    const { outcome } = await turn.request(acp.methods.client.session.requestPermission, {
      title: "Edit notes.txt?",
      subject: { type: "tool_call", toolCall },
      options: [
        { optionId: "opt-always", name: "Always", kind: "allow_always" },
        { optionId: "opt-yes", name: "Yes", kind: "allow_once" },
        { optionId: "opt-no", name: "No", kind: "reject_once" },
      ],
    });
    const chosen = outcome.outcome === "selected" ? outcome.optionId : outcome.outcome;
    await turn.state({ state: "running" });
    const ends = { "opt-yes": "completed", "opt-always": "completed", cancelled: "cancelled" };
    const status = ends[chosen] ?? "failed";
    await turn.update({ sessionUpdate: "tool_call_update", toolCallId: toolCall.toolCallId, status });
    await turn.say(`answer: ${chosen}`);
  },

  async wait(turn) {
    await turn.say("waiting");
    if (!turn.cancelled.aborted) {
      await new Promise((resolve) => turn.cancelled.addEventListener("abort", resolve));
    }
  },
};

/** The session of a request. */
function sessionOf({ sessionId }) {
  const session = sessions.get(sessionId);
  if (!session) throw acp.RequestError.sessionNotFound(sessionId);
  return session;
}

function prompt({ params, client }) {
  const { sessionId } = params;
  const session = sessionOf(params);
  session.abort = new AbortController();
  session.turns += 1;
  const userMessage = { sessionUpdate: "user_message", messageId: `user-${session.turns}`, content: params.prompt };
  const messageId = `agent-${session.turns}`;
  const update = (update) => client.notify(acp.methods.client.session.update, { sessionId, update });
  const turn = {
    messageId,
    update,
    cancelled: session.abort.signal,
    request: (method, rest) => client.request(method, { sessionId, ...rest }),
    state: (state) => update({ sessionUpdate: "state_update", ...state }),
    say: (text) => update({ sessionUpdate: "agent_message_chunk", messageId, content: { type: "text", text } }),
    keepAnswer: (text) =>
      session.history.push({ sessionUpdate: "agent_message", messageId, content: [{ type: "text", text }] }),
  };
  const script = scripts[params.prompt[0]?.text?.split(" ")[0]];
  if (!script) throw acp.RequestError.invalidParams(undefined, "the prompt starts with no known script word");
  session.history.push(userMessage);
  const run = async () => {
    await turn.update(userMessage);
    await turn.state({ state: "running" });
    await script(turn);
    await turn.state({ state: "idle", stopReason: turn.cancelled.aborted ? "cancelled" : "end_turn" });
  };
  // The answer goes first: it says that the prompt was taken, and the turn is the work after it.
  setImmediate(run);
  return { messageId: userMessage.messageId };
}

async function resume({ params, client }) {
  const { sessionId } = params;
  const session = sessionOf(params);
  const update = (update) => client.notify(acp.methods.client.session.update, { sessionId, update });
  if (params.replayFrom) for (const kept of session.history) await update(kept);
  await update({ sessionUpdate: "state_update", state: "idle" });
  return {};
}

const v2 = acp
  .agent({ name: "interop-agent-v2" })
  .onRequest(acp.methods.agent.initialize, () => ({
    protocolVersion: acp.PROTOCOL_VERSION,
    capabilities: { session: {} },
    info: { name: "typescript-sdk-agent", version: "2.4.0" },
  }))
  .onRequest(acp.methods.agent.session.new, ({ params }) => {
    const sessionId = `ts-${sessions.size + 1}`;
    sessions.set(sessionId, { cwd: params.cwd, turns: 0, history: [] });
    return { sessionId };
  })
  .onRequest(acp.methods.agent.session.list, () => ({
    sessions: [...sessions].map(([sessionId, { cwd }]) => ({ sessionId, cwd })),
  }))
  .onRequest(acp.methods.agent.session.resume, resume)
  .onRequest(acp.methods.agent.session.close, ({ params }) => {
    sessions.get(params.sessionId)?.abort?.abort();
    return {};
  })
  .onRequest(acp.methods.agent.session.prompt, prompt)
  .onNotification(acp.methods.agent.session.cancel, ({ params }) => sessions.get(params.sessionId)?.abort?.abort());

acp
  .agentProtocolRouter()
  .withV1(v1)
  .withV2(v2)
  .connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
