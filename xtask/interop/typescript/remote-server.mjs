// A scripted agent on the TypeScript SDK, over HTTP and WebSocket (see ../README.md). Prints its address.
import { createServer } from "node:http";
import * as acp from "@agentclientprotocol/sdk";
import { createNodeHttpHandler, createNodeWebSocketUpgradeHandler } from "@agentclientprotocol/sdk/experimental/node";
import { AcpServer } from "@agentclientprotocol/sdk/experimental/server";
import { WebSocketServer } from "ws";

/** The sessions of all connections: what was said in each, and its running turn. */
const sessions = new Map();

const chunk = (text) => ({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });

const scripts = {
  async stream(turn) {
    for (const word of ["one ", "two ", "three"]) await turn.say(word);
  },

  async permission(turn) {
    const toolCall = { toolCallId: "edit-1", title: "Edit notes.txt", kind: "edit", status: "pending" };
    const options = [
      { optionId: "opt-yes", name: "Yes", kind: "allow_once" },
      { optionId: "opt-no", name: "No", kind: "reject_once" },
    ];
    const { outcome } = await turn.ask({ toolCall, options });
    await turn.say(`answer: ${outcome.optionId ?? outcome.outcome}`);
  },

  async wait(turn) {
    await turn.say("waiting");
    await new Promise((resolve) => turn.cancelled.addEventListener("abort", resolve));
  },
};

async function prompt({ params: { sessionId, prompt }, client }) {
  const session = sessions.get(sessionId);
  if (!session) throw acp.RequestError.resourceNotFound(sessionId);
  session.abort = new AbortController();
  await scripts[prompt[0].text]({
    cancelled: session.abort.signal,
    ask: (request) => client.request(acp.methods.client.session.requestPermission, { sessionId, ...request }),
    say: (text) => {
      session.said.push(text);
      return client.notify(acp.methods.client.session.update, { sessionId, update: chunk(text) });
    },
  });
  return { stopReason: session.abort.signal.aborted ? "cancelled" : "end_turn" };
}

async function load({ params: { sessionId }, client }) {
  const session = sessions.get(sessionId);
  if (!session) throw acp.RequestError.resourceNotFound(sessionId);
  for (const text of session.said) {
    await client.notify(acp.methods.client.session.update, { sessionId, update: chunk(text) });
  }
  return {};
}

const agent = acp
  .agent({ name: "interop-agent" })
  .onRequest(acp.methods.agent.initialize, () => ({
    protocolVersion: acp.PROTOCOL_VERSION,
    agentCapabilities: { loadSession: true },
  }))
  .onRequest(acp.methods.agent.session.new, () => {
    const sessionId = `ts-${sessions.size + 1}`;
    sessions.set(sessionId, { said: [] });
    return { sessionId };
  })
  .onRequest(acp.methods.agent.session.load, load)
  .onRequest(acp.methods.agent.session.prompt, prompt)
  .onNotification(acp.methods.agent.session.cancel, ({ params }) => sessions.get(params.sessionId)?.abort?.abort());

const server = new AcpServer({ agent });
const http = createServer(createNodeHttpHandler(server));
http.on("upgrade", createNodeWebSocketUpgradeHandler(server, new WebSocketServer({ noServer: true })));
http.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${http.address().port}`));
