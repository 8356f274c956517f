// A scripted agent on the TypeScript SDK that calls an MCP server of its client. The first word of the prompt chooses the
// script (see ../README.md).
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk/unstable";

const caller = new acp.McpOverAcpCaller({ clientInfo: { name: "typescript-sdk-agent", version: "0" } });
const sessions = new Map();

/** The code of the error that a promise is rejected with. */
const codeOf = (promise) => promise.then(() => "none", (error) => error.code);

const tool = (name, args = {}) => ({ name, arguments: args, _meta: { progressToken: name } });

const textOf = ({ result }) => result.content.map(({ text }) => text).join("");

const scripts = {
  async discover(server) {
    const { result } = await server.request("server/discover");
    const { result: listed } = await server.request("tools/list");
    return { versions: result.supportedVersions, tools: listed.tools.map(({ name }) => name) };
  },

  async call(server) {
    const echoed = await server.request("tools/call", tool("echo", { text: "Grüße 🙂", list: [1, null] }));
    const failed = await server.request("tools/call", tool("fail"));
    return { echoed: JSON.parse(textOf(echoed)), failed: failed.result.isError, text: textOf(failed) };
  },

  async progress(server) {
    const told = [];
    const onNotification = ({ method, params }) => told.push([method, params.progressToken, params.progress]);
    const outcome = await server.request("tools/call", tool("count"), { onNotification });
    return { told, text: textOf(outcome) };
  },

  async cancel(server) {
    const controller = new AbortController();
    const onNotification = () => controller.abort();
    const options = { onNotification, signal: controller.signal };
    const code = await codeOf(server.request("tools/call", tool("hold"), options));
    // Whether the server has seen it.
    return { code, cancelled: textOf(await server.request("tools/call", tool("cancelled"))) };
  },

  /** Errors of MCP: each is the content of an answer, whatever its code. */
  async errors(server) {
    const old = { "io.modelcontextprotocol/protocolVersion": "2025-11-25" };
    const outcomes = {
      unknownTool: await server.request("tools/call", tool("none")),
      unknownMethod: await server.request("no/such"),
      refused: await server.request("tools/call", tool("refuse")),
      oldVersion: await server.request("tools/list", { _meta: old }),
      initialize: await server.request("initialize", { protocolVersion: "2025-11-25" }),
    };
    const codes = Object.entries(outcomes).map(([name, { error }]) => [name, error.code]);
    return { ...Object.fromEntries(codes), data: outcomes.refused.error.data };
  },

  /** Errors of ACP: the request did not get to a server. */
  async refusals(server, client) {
    const { message } = acp.methods.client.mcp;
    const { serverId } = server;
    const _meta = acp.withMcpRequestMeta()._meta;
    const hold = { serverId, requestId: "twice", method: "tools/call", params: { ...tool("hold"), _meta } };
    const controller = new AbortController();
    const first = codeOf(client.request(message, hold, { cancellationSignal: controller.signal }));
    const duplicate = await codeOf(client.request(message, hold));
    controller.abort();
    return {
      unknown: await codeOf(caller.request(client, "no-such-server", "tools/list")),
      malformed: await codeOf(client.request(message, { serverId, requestId: "1" })),
      duplicate,
      first: await first,
    };
  },
};

async function prompt({ params, client }) {
  const servers = sessions.get(params.sessionId);
  const script = scripts[params.prompt[0]?.text];
  if (!servers || !script) throw acp.RequestError.invalidParams(undefined, "no such session, or no such script");
  const { serverId } = servers.find(acp.isMcpServerAcp);
  const request = (method, rest, options) => caller.request(client, serverId, method, rest, options);
  const text = JSON.stringify(await script({ serverId, request }, client));
  await client.notify(acp.methods.client.session.update, {
    sessionId: params.sessionId,
    update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
  });
  return { stopReason: "end_turn" };
}

acp
  .agent({ name: "interop-mcp-agent" })
  .onRequest(acp.methods.agent.initialize, () => ({
    protocolVersion: acp.PROTOCOL_VERSION,
    agentCapabilities: { mcpCapabilities: { acp: true } },
    agentInfo: { name: "typescript-sdk-agent", version: "0" },
  }))
  .onRequest(acp.methods.agent.session.new, ({ params }) => {
    const sessionId = `ts-${sessions.size + 1}`;
    sessions.set(sessionId, params.mcpServers);
    return { sessionId };
  })
  .onRequest(acp.methods.agent.session.prompt, prompt)
  .onNotification(acp.methods.agent.mcp.message, caller.handleNotification)
  .connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
