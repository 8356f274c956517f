// A scripted client on the TypeScript SDK: `remote-client.mjs <ws or http> <url>` (see ../README.md).
import * as acp from "@agentclientprotocol/sdk";
import { createHttpStream } from "@agentclientprotocol/sdk/experimental/http-client";
import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client";
import WebSocket from "ws";

const LIMIT = 8000;
const [way, url] = process.argv.slice(2);
const { agent: methods } = acp.methods;

/** Fails when something takes too long. */
function inTime(promise, what) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} is not answered`)), LIMIT);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** A connection of its own, whose text is kept by session. */
async function connected(converse) {
  const texts = {};
  const heard = {};
  const app = acp
    .client({ name: "interop-client" })
    .onNotification(acp.methods.client.session.update, ({ params: { sessionId, update } }) => {
      // A history has what the user said, too.
      if (update.sessionUpdate !== "agent_message_chunk") return;
      texts[sessionId] = (texts[sessionId] ?? "") + update.content.text;
      heard[sessionId]?.();
    })
    .onRequest(acp.methods.client.session.requestPermission, ({ params }) => {
      const { optionId } = params.options.find(({ kind }) => kind === "allow_once");
      return { outcome: { outcome: "selected", optionId } };
    });
  const stream = way === "ws" ? createWebSocketStream(url, { WebSocket }) : createHttpStream(url);
  return app.connectWith(stream, async (agent) => {
    const request = (method, params) => inTime(agent.request(method, params), method);
    await request(methods.initialize, { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities: {} });
    const session = (sessionId) => ({
      id: sessionId,
      /** The stop reason, and the text that was there when it came. */
      async prompt(text) {
        texts[sessionId] = "";
        const prompt = [{ type: "text", text }];
        const { stopReason } = await request(methods.session.prompt, { sessionId, prompt });
        return `${stopReason}: ${texts[sessionId]}`;
      },
      waiting: () => new Promise((resolve) => (heard[sessionId] = resolve)),
      cancel: () => agent.notify(methods.session.cancel, { sessionId }),
    });
    return converse({
      async open() {
        return session((await request(methods.session.new, { cwd: "/", mcpServers: [] })).sessionId);
      },
      async load(sessionId) {
        await request(methods.session.load, { sessionId, cwd: "/", mcpServers: [] });
        return [session(sessionId), texts[sessionId] ?? ""];
      },
    });
  });
}

function expect(found, wanted) {
  if (found !== wanted) throw new Error(`got \`${found}\` instead of \`${wanted}\``);
}

async function cancelled(session) {
  const waiting = session.waiting();
  const turn = session.prompt("wait");
  await inTime(Promise.race([waiting, turn]), "the update");
  return { end: async () => (await session.cancel(), expect(await turn, "cancelled: waiting")) };
}

const cases = {
  turn: () => connected(async (agent) => expect(await (await agent.open()).prompt("stream"), "end_turn: one two three")),
  permission: () =>
    connected(async (agent) => expect(await (await agent.open()).prompt("permission"), "end_turn: answer: opt-yes")),
  cancel: () => connected(async (agent) => (await cancelled(await agent.open())).end()),
  two: () =>
    connected(async (agent) => {
      const [first, second] = [await agent.open(), await agent.open()];
      const turn = await cancelled(first);
      expect(await second.prompt("stream"), "end_turn: one two three");
      expect(await second.prompt("permission"), "end_turn: answer: opt-yes");
      await turn.end();
    }),
  async load() {
    const id = await connected(async (agent) => {
      const session = await agent.open();
      await session.prompt("stream");
      return session.id;
    });
    await connected(async (agent) => {
      const [session, text] = await agent.load(id);
      expect(text, "one two three");
      expect(await session.prompt("stream"), "end_turn: one two three");
    });
  },
};

const report = {};
for (const [name, run] of Object.entries(cases)) {
  try {
    await inTime(run(), "the case");
    report[name] = "ok";
  } catch (error) {
    const data = error?.data === undefined ? "" : ` ${JSON.stringify(error.data)}`;
    report[name] = `${error?.message ?? error}${data}`;
  }
}
console.log(JSON.stringify(report));
process.exit(0);
