// A scripted client on the TypeScript SDK: `client.mjs <scenario> -- <agent command>` (see ../README.md).
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";

const separator = process.argv.indexOf("--");
const scenario = JSON.parse(process.argv[2]);
const [command, ...args] = process.argv.slice(separator + 1);

const report = { turns: [], permissions: [], reads: [], writes: [] };
const late = [];
let agent;
let sessionId;
let turn;
let cancelSent = false;
const answering = new Set();

/** A request handler whose answers `settle` waits for. */
function answered(handler) {
  return (request) => {
    const answer = handler(request).finally(() => answering.delete(answer));
    answering.add(answer);
    return answer;
  };
}

/** A round trip after the last answer: all that either side sent before has arrived then. */
async function settle() {
  await Promise.allSettled(answering);
  await agent.request(acp.methods.agent.session.new, { cwd: scenario.cwd, mcpServers: [] });
}

/** Sends `session/cancel` once, the first time the event happens that the turn names in `cancelOn`. */
async function happened(event) {
  if (cancelSent || turn?.wanted.cancelOn !== event) return;
  cancelSent = true;
  await agent.notify(acp.methods.agent.session.cancel, { sessionId });
}

async function update({ params }) {
  (turn?.updates ?? late).push(params.update);
  await happened(params.update.sessionUpdate);
}

async function permission({ params }) {
  report.permissions.push(params);
  await happened("permission");
  if (cancelSent && turn.wanted.holdAnswer) await turn.over;
  if (cancelSent) return { outcome: { outcome: "cancelled" } };
  const option = params.options.find(({ kind }) => kind === turn.wanted.permission);
  if (!option) throw acp.RequestError.invalidParams(undefined, `no option of kind ${turn.wanted.permission}`);
  return { outcome: { outcome: "selected", optionId: option.optionId } };
}

async function read({ params }) {
  report.reads.push(params.path);
  await happened("read");
  return { content: await readFile(params.path, "utf8") };
}

async function write({ params }) {
  report.writes.push(params.path);
  await happened("write");
  await writeFile(params.path, params.content);
  return {};
}

async function runTurn(wanted) {
  let end;
  turn = { wanted, updates: [], over: new Promise((resolve) => (end = resolve)) };
  cancelSent = false;
  if (wanted.cancelBefore) await agent.notify(acp.methods.agent.session.cancel, { sessionId });
  const prompt = [{ type: "text", text: wanted.prompt }];
  const { stopReason } = await agent.request(acp.methods.agent.session.prompt, { sessionId, prompt });
  const { updates } = turn;
  turn = undefined;
  end();
  report.turns.push({ stopReason, updates });
}

// An agent of version 2 refuses the form of version 1 under the number 2. The connection lives on.
async function initialize(protocolVersion) {
  try {
    return await agent.request(acp.methods.agent.initialize, {
      protocolVersion,
      clientCapabilities: { fs: { readTextFile: scenario.fs, writeTextFile: scenario.fs } },
      clientInfo: { name: "typescript-sdk-client", version: "1.0.0" },
    });
  } catch (error) {
    if (protocolVersion === acp.PROTOCOL_VERSION) throw error;
    return initialize(acp.PROTOCOL_VERSION);
  }
}

async function converse(context) {
  agent = context;
  report.initialize = await initialize(scenario.protocolVersion ?? acp.PROTOCOL_VERSION);
  report.session = await agent.request(acp.methods.agent.session.new, { cwd: scenario.cwd, mcpServers: [] });
  sessionId = report.session.sessionId;
  for (const wanted of scenario.turns) await runTurn(wanted);
  await settle();
}

const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const exited = once(child, "exit");
const app = acp
  .client({ name: "interop-client" })
  .onNotification(acp.methods.client.session.update, update)
  .onRequest(acp.methods.client.session.requestPermission, answered(permission));
if (scenario.fs) {
  app.onRequest(acp.methods.client.fs.readTextFile, answered(read));
  app.onRequest(acp.methods.client.fs.writeTextFile, answered(write));
}
try {
  await app.connectWith(acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)), converse);
} catch (error) {
  report.error = { code: error?.code, message: String(error?.message ?? error) };
}
child.stdin.end();
await exited;
console.log(JSON.stringify({ ...report, late }));
