// A scripted client on the TypeScript SDK that provides MCP servers: `mcp-client.mjs <scenario> -- <agent command>` (see
// ../README.md).
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk/unstable";
import { fromMcpServer } from "@agentclientprotocol/sdk/experimental/mcp-server";
import { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

const separator = process.argv.indexOf("--");
const scenario = JSON.parse(process.argv[2]);
const [command, ...args] = process.argv.slice(separator + 1);

const report = { turns: [], cancelled: 0 };
const answering = new Set();
const provider = new acp.McpOverAcpProvider();
let turn;

const text = (value) => ({ content: [{ type: "text", text: value }] });

/** A server on the SDK of MCP, with a tool for each thing that can happen to a call. */
function far() {
  const server = new McpServer({ name: "far", version: "0" });
  const progress = ({ mcpReq }, number) =>
    mcpReq.notify({
      method: "notifications/progress",
      params: { progressToken: mcpReq._meta?.progressToken, progress: number, total: 3 },
    });
  const anything = { inputSchema: z.object({}).catchall(z.any()) };
  server.registerTool("echo", anything, (given) => text(JSON.stringify(given)));
  server.registerTool("count", anything, async (_, ctx) => {
    for (const number of [1, 2, 3]) await progress(ctx, number);
    return text("3");
  });
  server.registerTool("hold", anything, async (_, ctx) => {
    await progress(ctx, 1);
    const { signal } = ctx.mcpReq;
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
    report.cancelled += 1;
    return text("cancelled");
  });
  server.registerTool("fail", anything, () => ({ ...text("it broke"), isError: true }));
  return server;
}

/** A server that answers by hand, and wrongly. */
async function raw({ method, params }) {
  const listed = (tools) => tools.map((name) => ({ name, inputSchema: { type: "object" } }));
  const complete = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
  switch (method) {
    case "server/discover":
      return {
        result: { ...complete, supportedVersions: [acp.MCP_PROTOCOL_VERSION], capabilities: { tools: {} } },
      };
    case "tools/list":
      return { result: { ...complete, tools: listed(["refuse", "crash"]) } };
    default:
      if (params.name === "refuse") throw new acp.McpProtocolError(-33001, "not an error of ACP", { by: "refuse" });
      throw new Error("it crashed");
  }
}

async function update({ params }) {
  turn?.updates.push(params.update);
  const { sessionUpdate, content } = params.update;
  // A tool call that has something to show has told of its progress.
  if (!turn?.cancelOnProgress || sessionUpdate !== "tool_call_update" || !content) return;
  turn.cancelOnProgress = false;
  await turn.agent.notify(acp.methods.agent.session.cancel, { sessionId: params.sessionId });
}

/** Answers as the provider does. A subscription is answered at the end only. */
function message(request) {
  const answer = provider.handleRequest(request).finally(() => answering.delete(answer));
  if (request.params.method !== "subscriptions/listen") answering.add(answer);
  return answer;
}

/** Round trips after the last answer, and after what is answered then: all that either side sent has arrived. */
async function settle(agent) {
  const trip = () => agent.request(acp.methods.agent.session.new, { cwd: scenario.cwd, mcpServers: [] });
  await trip();
  await Promise.allSettled(answering);
  await trip();
}

async function converse(agent) {
  report.initialize = await agent.request(acp.methods.agent.initialize, {
    protocolVersion: acp.PROTOCOL_VERSION,
    clientCapabilities: {},
    clientInfo: { name: "typescript-sdk-client", version: "1.0.0" },
  });
  const registered = {
    far: provider.registerServer(agent, { name: "far", handler: fromMcpServer(far).handler }),
    raw: provider.registerServer(agent, { name: "raw", handler: raw }),
  };
  const declared = {
    far: registered.far.declaration,
    raw: registered.raw.declaration,
    gone: { type: "acp", name: "gone", serverId: "no-such-server" },
  };
  const mcpServers = scenario.servers.map((name) => declared[name]);
  const { sessionId } = await agent.request(acp.methods.agent.session.new, { cwd: scenario.cwd, mcpServers });
  for (const wanted of scenario.turns) {
    if (wanted.dispose) await registered[wanted.dispose].dispose();
    turn = { agent, updates: [], cancelOnProgress: wanted.cancelOnProgress };
    const prompt = [{ type: "text", text: wanted.prompt }];
    const ended = await agent.request(acp.methods.agent.session.prompt, { sessionId, prompt }).then(
      ({ stopReason }) => ({ stopReason }),
      ({ code, message }) => ({ error: { code, message } }),
    );
    report.turns.push({ ...ended, updates: turn.updates });
  }
  await settle(agent);
}

const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const exited = once(child, "exit");
const app = acp
  .client({ name: "interop-mcp-client" })
  .onNotification(acp.methods.client.session.update, update)
  .onRequest(acp.methods.client.mcp.message, message);
try {
  await app.connectWith(acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)), converse);
} catch (error) {
  report.error = { code: error?.code, message: String(error?.message ?? error) };
}
child.stdin.end();
await exited;
console.log(JSON.stringify(report));
