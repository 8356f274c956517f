"""The scripted agent of the benches on the Python SDK; the script is that of src/bin/connections/script.rs."""

import asyncio

import acp
from acp.schema import AgentCapabilities, FileEditToolCallContent

TEXT = "The failing test compares two paths that differ only by a symlink, so I will canonicalize both of these."
FILE = "/project/src/paths.rs"


def code(word):
    line = f'    let {word} = read("{word}.toml")?;\n'
    return line * (100_000 // len(line))


class Scripted:
    def __init__(self):
        self.client = None
        self.sessions = 0

    def on_connect(self, client):
        self.client = client

    async def initialize(self, protocol_version, **_):
        return acp.InitializeResponse(
            protocol_version=acp.PROTOCOL_VERSION, agent_capabilities=AgentCapabilities()
        )

    async def new_session(self, cwd, mcp_servers=None, **_):
        self.sessions += 1
        return acp.NewSessionResponse(session_id=f"sess_{self.sessions:011}")

    async def prompt(self, session_id, prompt, **_):
        word, *numbers = prompt[0].text.split("\n", 1)[0].split(" ")
        count = int(numbers[0]) if numbers else 1
        if word == "say":
            for _ in range(count):
                await self.client.session_update(session_id, acp.update_agent_message_text(TEXT))
        elif word == "diffs":
            old, new = code("settings"), code("options")
            for _ in range(count):
                diff = FileEditToolCallContent(type="diff", path=FILE, old_text=old, new_text=new)
                await self.client.session_update(session_id, acp.update_tool_call("call_0017", content=[diff]))
        elif word == "read":
            await self.read(session_id, count, int(numbers[1]))
        return acp.PromptResponse(stop_reason="end_turn")

    async def read(self, session_id, count, wide):
        left = iter(range(count))

        async def worker():
            for _ in left:
                await self.client.read_text_file(session_id=session_id, path=FILE)

        await asyncio.gather(*(worker() for _ in range(wide)))

    async def cancel(self, session_id, **_):
        pass


asyncio.run(acp.run_agent(Scripted()))
