"""A scripted client on the Python SDK: `remote_client.py <ws or http> <url>` (see ../README.md)."""

import asyncio
import contextlib
import json
import os
import sys

import acp
from acp.http import create_http_stream
from acp.schema import AllowedOutcome
from acp.ws import create_websocket_stream

LIMIT = 8
WAY, URL = sys.argv[1:]


class ScriptedClient:
    def __init__(self):
        self.texts = {}
        self.heard = {}

    def on_connect(self, agent):
        pass

    async def session_update(self, session_id, update, **_):
        # A history has what the user said, too.
        if update.session_update != "agent_message_chunk":
            return
        self.texts[session_id] = self.texts.get(session_id, "") + update.content.text
        if event := self.heard.get(session_id):
            event.set()

    async def request_permission(self, session_id, tool_call, options, **_):
        chosen = next(option for option in options if option.kind == "allow_once")
        outcome = AllowedOutcome(outcome="selected", option_id=chosen.option_id)
        return acp.RequestPermissionResponse(outcome=outcome)


async def in_time(answer, what):
    try:
        return await asyncio.wait_for(answer, LIMIT)
    except asyncio.TimeoutError:
        raise RuntimeError(f"{what} is not answered") from None


class Connection:
    """A connection of its own, whose text is kept by session."""

    def __init__(self, client, agent):
        self.client = client
        self.agent = agent

    async def open(self):
        session = await in_time(self.agent.new_session(cwd="/", mcp_servers=[]), "session/new")
        return session.session_id

    async def load(self, session_id):
        await in_time(self.agent.load_session(cwd="/", session_id=session_id, mcp_servers=[]), "session/load")
        return self.client.texts.get(session_id, "")

    async def prompt(self, session_id, text):
        """The stop reason, and the text that was there when it came."""
        self.client.texts[session_id] = ""
        turn = self.agent.prompt(session_id=session_id, prompt=[acp.text_block(text)])
        response = await in_time(turn, "session/prompt")
        return f"{response.stop_reason}: {self.client.texts[session_id]}"

    async def waiting(self, session_id):
        """A turn that waits to be cancelled, once it does."""
        heard = self.client.heard[session_id] = asyncio.Event()
        turn = asyncio.ensure_future(self.prompt(session_id, "wait"))
        await in_time(heard.wait(), "the update")
        return turn

    async def cancelled(self, session_id, turn):
        await self.agent.cancel(session_id=session_id)
        expect(await turn, "cancelled: waiting")


@contextlib.asynccontextmanager
async def connected():
    transport = await create_websocket_stream(URL) if WAY == "ws" else create_http_stream(URL)
    client = ScriptedClient()
    agent = acp.connect_to_agent(client, transport)
    try:
        await in_time(agent.initialize(protocol_version=acp.PROTOCOL_VERSION), "initialize")
        yield Connection(client, agent)
    finally:
        await agent.close()


def expect(found, wanted):
    if found != wanted:
        raise RuntimeError(f"got `{found}` instead of `{wanted}`")


async def turn():
    async with connected() as agent:
        expect(await agent.prompt(await agent.open(), "stream"), "end_turn: one two three")


async def permission():
    async with connected() as agent:
        expect(await agent.prompt(await agent.open(), "permission"), "end_turn: answer: opt-yes")


async def cancel():
    async with connected() as agent:
        session = await agent.open()
        await agent.cancelled(session, await agent.waiting(session))


async def two():
    async with connected() as agent:
        first, second = await agent.open(), await agent.open()
        running = await agent.waiting(first)
        expect(await agent.prompt(second, "stream"), "end_turn: one two three")
        expect(await agent.prompt(second, "permission"), "end_turn: answer: opt-yes")
        await agent.cancelled(first, running)


async def load():
    async with connected() as agent:
        session = await agent.open()
        await agent.prompt(session, "stream")
    async with connected() as agent:
        expect(await agent.load(session), "one two three")
        expect(await agent.prompt(session, "stream"), "end_turn: one two three")


async def main():
    report = {}
    for case in (turn, permission, cancel, two, load):
        try:
            await asyncio.wait_for(case(), 2 * LIMIT)
            report[case.__name__] = "ok"
        except asyncio.TimeoutError:
            report[case.__name__] = "the case does not end"
        except Exception as error:
            data = getattr(error, "data", None)
            report[case.__name__] = f"{error}" + (f" {json.dumps(data)}" if data else "")
    print(json.dumps(report), flush=True)
    # Whatever still hangs has been reported.
    os._exit(0)


asyncio.run(main())
