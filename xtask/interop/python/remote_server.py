"""A scripted agent on the Python SDK, over HTTP and WebSocket (see ../README.md). Prints its address."""

import asyncio
import socket

import acp
from acp.http.asgi import create_asgi_app
from acp.schema import AgentCapabilities, PermissionOption, ToolCallUpdate
from hypercorn.asyncio import serve
from hypercorn.config import Config

# The sessions of all connections: what was said in each.
SESSIONS = {}


class ScriptedAgent:
    def __init__(self, client):
        self.client = client
        self.cancelled = {}
        self.scripts = {"stream": self.stream, "permission": self.permission, "wait": self.wait}

    def on_connect(self, client):
        self.client = client

    async def initialize(self, protocol_version, **_):
        capabilities = AgentCapabilities(load_session=True)
        return acp.InitializeResponse(protocol_version=acp.PROTOCOL_VERSION, agent_capabilities=capabilities)

    async def new_session(self, cwd, **_):
        session_id = f"py-{len(SESSIONS) + 1}"
        SESSIONS[session_id] = []
        return acp.NewSessionResponse(session_id=session_id)

    async def load_session(self, cwd, session_id, **_):
        for text in SESSIONS[session_id]:
            await self.client.session_update(session_id, acp.update_agent_message_text(text))
        return acp.LoadSessionResponse()

    async def prompt(self, session_id, prompt, **_):
        cancelled = self.cancelled[session_id] = asyncio.Event()
        await self.scripts[prompt[0].text](session_id)
        return acp.PromptResponse(stop_reason="cancelled" if cancelled.is_set() else "end_turn")

    async def cancel(self, session_id, **_):
        if event := self.cancelled.get(session_id):
            event.set()

    async def say(self, session_id, text):
        SESSIONS[session_id].append(text)
        await self.client.session_update(session_id, acp.update_agent_message_text(text))

    async def stream(self, session_id):
        for word in ("one ", "two ", "three"):
            await self.say(session_id, word)

    async def permission(self, session_id):
        response = await self.client.request_permission(
            session_id=session_id,
            tool_call=ToolCallUpdate(tool_call_id="edit-1", title="Edit notes.txt", kind="edit"),
            options=[
                PermissionOption(option_id="opt-yes", name="Yes", kind="allow_once"),
                PermissionOption(option_id="opt-no", name="No", kind="reject_once"),
            ],
        )
        outcome = response.outcome
        await self.say(session_id, f"answer: {getattr(outcome, 'option_id', outcome.outcome)}")

    async def wait(self, session_id):
        await self.say(session_id, "waiting")
        await self.cancelled[session_id].wait()


async def main():
    listener = socket.create_server(("127.0.0.1", 0))
    config = Config()
    config.bind = [f"fd://{listener.fileno()}"]
    config.errorlog = config.accesslog = None
    print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    await serve(create_asgi_app(ScriptedAgent), config)


asyncio.run(main())
