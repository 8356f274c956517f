"""A scripted agent on the Python SDK. The first word of the prompt chooses the script (see ../README.md)."""

import asyncio
from importlib.metadata import version
from pathlib import Path

import acp
from acp.schema import AgentCapabilities, Implementation, PermissionOption, ToolCallUpdate


class ScriptedAgent:
    def __init__(self):
        self.client = None
        self.fs = None
        self.folders = {}
        self.cancelled = {}
        self.scripts = {
            "stream": self.stream,
            "permission": self.permission,
            "files": self.files,
            "refusals": self.refusals,
            "wait": self.wait,
        }

    def on_connect(self, client):
        self.client = client

    async def initialize(self, protocol_version, client_capabilities=None, client_info=None, **_):
        self.fs = client_capabilities.fs if client_capabilities else None
        return acp.InitializeResponse(
            protocol_version=acp.PROTOCOL_VERSION,
            agent_capabilities=AgentCapabilities(),
            agent_info=Implementation(name="python-sdk-agent", version=version("agent-client-protocol")),
        )

    async def new_session(self, cwd, mcp_servers=None, **_):
        session_id = f"py-{len(self.folders) + 1}"
        self.folders[session_id] = cwd
        return acp.NewSessionResponse(session_id=session_id)

    async def prompt(self, session_id, prompt, **_):
        script = self.scripts.get(prompt[0].text.split(" ")[0])
        if session_id not in self.folders or script is None:
            raise acp.RequestError.invalid_params({"details": "unknown session or script word"})
        cancelled = self.cancelled[session_id] = asyncio.Event()
        await script(session_id)
        return acp.PromptResponse(stop_reason="cancelled" if cancelled.is_set() else "end_turn")

    async def cancel(self, session_id, **_):
        if event := self.cancelled.get(session_id):
            event.set()

    async def say(self, session_id, text):
        await self.client.session_update(session_id, acp.update_agent_message_text(text))

    async def stream(self, session_id):
        for word in ("one ", "two ", "three"):
            await self.say(session_id, word)
        call = acp.start_tool_call("list-1", "List files", kind="search", status="pending")
        await self.client.session_update(session_id, call)
        await self.client.session_update(session_id, acp.update_tool_call("list-1", status="in_progress"))
        content = [acp.tool_content(acp.text_block("notes.txt"))]
        await self.client.session_update(
            session_id, acp.update_tool_call("list-1", status="completed", content=content)
        )

    async def permission(self, session_id):
        call = acp.start_tool_call("edit-1", "Edit notes.txt", kind="edit", status="pending")
        await self.client.session_update(session_id, call)
        response = await self.client.request_permission(
            session_id=session_id,
            tool_call=ToolCallUpdate(tool_call_id="edit-1", title="Edit notes.txt", kind="edit"),
            options=[
                PermissionOption(option_id="opt-always", name="Always", kind="allow_always"),
                PermissionOption(option_id="opt-yes", name="Yes", kind="allow_once"),
                PermissionOption(option_id="opt-no", name="No", kind="reject_once"),
            ],
        )
        outcome = response.outcome
        chosen = outcome.option_id if outcome.outcome == "selected" else outcome.outcome
        status = "completed" if chosen in ("opt-yes", "opt-always") else "failed"
        await self.client.session_update(session_id, acp.update_tool_call("edit-1", status=status))
        await self.say(session_id, f"answer: {chosen}")

    async def files(self, session_id):
        if not (self.fs and self.fs.read_text_file and self.fs.write_text_file):
            return await self.say(session_id, "no file system")
        folder = Path(self.folders[session_id])
        file = await self.client.read_text_file(session_id=session_id, path=str(folder / "notes.txt"))
        await self.client.write_text_file(
            session_id=session_id, path=str(folder / "copy.txt"), content=file.content.upper()
        )
        await self.say(session_id, "copied")

    async def refusals(self, session_id):
        codes = []
        for path in ("missing.txt", "../outside.txt"):
            try:
                await self.client.read_text_file(session_id=session_id, path=f"{self.folders[session_id]}/{path}")
                codes.append("read")
            except acp.RequestError as error:
                codes.append(error.code)
        await self.say(session_id, f"missing: {codes[0]}, outside: {codes[1]}")

    async def wait(self, session_id):
        await self.say(session_id, "waiting")
        await self.cancelled[session_id].wait()


asyncio.run(acp.run_agent(ScriptedAgent()))
