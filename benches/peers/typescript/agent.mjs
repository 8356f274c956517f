// The scripted agent of the benches on the TypeScript SDK; the script is that of src/bin/connections/script.rs.
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";

const TEXT =
  "The failing test compares two paths that differ only by a symlink, so I will canonicalize both of these.";
const FILE = "/project/src/paths.rs";
let sessions = 0;

function code(word) {
  const line = `    let ${word} = read("${word}.toml")?;\n`;
  return line.repeat(Math.floor(100_000 / line.length));
}

async function prompt({ params: { sessionId, prompt }, client }) {
  const [word, first, second] = (prompt[0]?.text ?? "").split("\n")[0].split(" ");
  const count = Number(first ?? 1);
  const update = (update) => client.notify(acp.methods.client.session.update, { sessionId, update });
  if (word === "say") {
    for (let i = 0; i < count; i++) {
      await update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: TEXT } });
    }
  } else if (word === "diffs") {
    const [oldText, newText] = [code("settings"), code("options")];
    for (let i = 0; i < count; i++) {
      const content = [{ type: "diff", path: FILE, oldText, newText }];
      await update({ sessionUpdate: "tool_call_update", toolCallId: "call_0017", content });
    }
  } else if (word === "read") {
    let left = count;
    const worker = async () => {
      while (left-- > 0) await client.request(acp.methods.client.fs.readTextFile, { sessionId, path: FILE });
    };
    await Promise.all(Array.from({ length: Number(second ?? 1) }, worker));
  }
  return { stopReason: "end_turn" };
}

acp
  .agent({ name: "bench" })
  .onRequest(acp.methods.agent.initialize, () => ({
    protocolVersion: acp.PROTOCOL_VERSION,
    agentCapabilities: {},
  }))
  .onRequest(acp.methods.agent.session.new, () => ({ sessionId: `sess_${String(++sessions).padStart(11, "0")}` }))
  .onRequest(acp.methods.agent.session.prompt, prompt)
  .connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
