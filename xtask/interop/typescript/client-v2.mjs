// A scripted client of version 2 on the TypeScript SDK: `client-v2.mjs <scenario> -- <agent command>` (see ../README.md).
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk/experimental/v2";

const separator = process.argv.indexOf("--");
const scenario = JSON.parse(process.argv[2]);
const [command, ...args] = process.argv.slice(separator + 1);
const { agent: methods, client: ours } = acp.methods;

const report = { turns: [], permissions: [], late: [] };
let agent;
let sessionId;
let turn;
/** Updates outside of a turn. */
let between = [];

/** Sends `session/cancel` once, the first time the event happens that the turn names in `cancelOn`. */
async function happened(event) {
  if (!turn || turn.cancelled || turn.wanted.cancelOn !== event) return;
  turn.cancelled = true;
  await agent.notify(methods.session.cancel, { sessionId });
}

async function update({ params: { update } }) {
  (turn?.updates ?? between).push(update);
  await happened(update.sessionUpdate);
  if (!turn || update.sessionUpdate !== "state_update") return;
  if (update.state !== "idle") turn.active = true;
  // A turn ends with the first change to idle.
  else if (turn.active) turn.end(update.stopReason);
}

async function permission({ params }) {
  report.permissions.push(params);
  await happened("permission");
  if (turn?.cancelled && turn.wanted.holdAnswer) await turn.over;
  if (!turn || turn.cancelled) return { outcome: { outcome: "cancelled" } };
  const option = params.options.find(({ kind }) => kind === turn.wanted.permission);
  if (!option) throw acp.RequestError.invalidParams(undefined, `no option of kind ${turn.wanted.permission}`);
  return { outcome: { outcome: "selected", optionId: option.optionId } };
}

async function runTurn(wanted) {
  if (wanted.cancelBefore) await agent.notify(methods.session.cancel, { sessionId });
  let end;
  const over = new Promise((resolve) => (end = resolve));
  turn = { wanted, updates: [], active: false, cancelled: false, over, end };
  const prompt = [{ type: "text", text: wanted.prompt }];
  const { messageId } = await agent.request(methods.session.prompt, { sessionId, prompt });
  const stopReason = await over;
  const { updates } = turn;
  turn = undefined;
  report.turns.push({ messageId, stopReason, updates });
}

const { cwd } = scenario;
const steps = {
  list: async () => (await agent.request(methods.session.list, {})).sessions,
  close: () => agent.request(methods.session.close, { sessionId }).then(() => true),
  resume: () => resumed({}),
  replay: () => resumed({ replayFrom: { type: "start" } }),
};

/** Resumes the session; the updates that came with it. */
async function resumed(members) {
  between = [];
  await agent.request(methods.session.resume, { sessionId, cwd, ...members });
  // A round trip: the SDK may give an answer out before it has given out all updates that came before it.
  await agent.request(methods.session.list, {});
  return between;
}

async function converse(context) {
  agent = context;
  report.initialize = await agent.request(methods.initialize, {
    protocolVersion: acp.PROTOCOL_VERSION,
    capabilities: {},
    info: { name: "typescript-sdk-client", version: "2.4.0" },
  });
  report.session = await agent.request(methods.session.new, { cwd });
  sessionId = report.session.sessionId;
  for (const wanted of scenario.turns) await runTurn(wanted);
  for (const step of scenario.then ?? []) report[step] = await steps[step]();
  // A round trip: all that either side sent before has arrived then.
  await agent.request(methods.session.new, { cwd });
}

const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const exited = once(child, "exit");
const app = acp
  .client({ name: "interop-client-v2" })
  .onNotification(ours.session.update, update)
  .onRequest(ours.session.requestPermission, permission);
try {
  await app.connectWith(acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)), converse);
} catch (error) {
  report.error = { code: error?.code, message: String(error?.message ?? error) };
}
child.stdin.end();
await exited;
console.log(JSON.stringify(report));
