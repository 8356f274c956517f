"""A scripted client on the Python SDK: `client.py <scenario> -- <agent command>` (see ../README.md)."""

import asyncio
import functools
import json
import sys
from pathlib import Path

import acp
from acp.schema import (
    AllowedOutcome,
    ClientCapabilities,
    DeniedOutcome,
    FileSystemCapabilities,
    Implementation,
)

LINE_LIMIT = 64 * 1024 * 1024


def wire(model):
    """The value as the SDK would send it on: what its types kept of the agent's message."""
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


def answered(handler):
    """A request handler whose answers `settle` waits for."""

    @functools.wraps(handler)
    async def counted(self, **params):
        self.answering += 1
        try:
            return await handler(self, **params)
        finally:
            self.answering -= 1
            if self.answering == 0:
                self.idle.set()

    return counted


class ScriptedClient:
    def __init__(self, scenario):
        self.scenario = scenario
        self.report = {"turns": [], "permissions": [], "reads": [], "writes": [], "late": []}
        self.agent = None
        self.session_id = None
        self.wanted = None
        self.updates = self.report["late"]
        self.cancel_sent = False
        self.over = asyncio.Event()
        self.answering = 0
        self.idle = asyncio.Event()

    def on_connect(self, agent):
        self.agent = agent

    async def happened(self, event):
        """Sends `session/cancel` once, the first time the event happens that the turn names in `cancelOn`."""
        if self.cancel_sent or not self.wanted or self.wanted.get("cancelOn") != event:
            return
        self.cancel_sent = True
        await self.agent.cancel(session_id=self.session_id)

    async def session_update(self, session_id, update, **_):
        self.updates.append(wire(update))
        await self.happened(update.session_update)

    @answered
    async def request_permission(self, session_id, tool_call, options, **_):
        request = {"toolCall": wire(tool_call), "options": [wire(option) for option in options]}
        self.report["permissions"].append({"sessionId": session_id, **request})
        await self.happened("permission")
        if self.cancel_sent:
            if self.wanted.get("holdAnswer"):
                await self.over.wait()
            return acp.RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        chosen = next(option for option in options if option.kind == self.wanted["permission"])
        outcome = AllowedOutcome(outcome="selected", option_id=chosen.option_id)
        return acp.RequestPermissionResponse(outcome=outcome)

    @answered
    async def read_text_file(self, session_id, path, line=None, limit=None, **_):
        self.report["reads"].append(path)
        await self.happened("read")
        return acp.ReadTextFileResponse(content=Path(path).read_text())

    @answered
    async def write_text_file(self, session_id, path, content, **_):
        self.report["writes"].append(path)
        await self.happened("write")
        Path(path).write_text(content)
        return acp.WriteTextFileResponse()

    async def run_turn(self, wanted):
        self.wanted, self.updates, self.cancel_sent = wanted, [], False
        self.over.clear()
        if wanted.get("cancelBefore"):
            await self.agent.cancel(session_id=self.session_id)
        response = await self.agent.prompt(
            session_id=self.session_id, prompt=[acp.text_block(wanted["prompt"])]
        )
        turn = {"stopReason": response.stop_reason, "updates": self.updates}
        self.wanted, self.updates = None, self.report["late"]
        self.over.set()
        self.report["turns"].append(turn)

    async def converse(self):
        try:
            initialized = await self.initialize(self.scenario.get("protocolVersion", acp.PROTOCOL_VERSION))
        except acp.RequestError:
            # An agent of version 2 refuses the form of version 1 under the number 2. The connection lives on.
            if "protocolVersion" not in self.scenario:
                raise
            initialized = await self.initialize(acp.PROTOCOL_VERSION)
        self.report["initialize"] = wire(initialized)
        session = await self.agent.new_session(cwd=self.scenario["cwd"], mcp_servers=[])
        self.report["session"] = wire(session)
        self.session_id = session.session_id
        for wanted in self.scenario["turns"]:
            await self.run_turn(wanted)
        await self.settle()

    async def initialize(self, version):
        fs = self.scenario["fs"]
        capabilities = ClientCapabilities(fs=FileSystemCapabilities(read_text_file=fs, write_text_file=fs))
        return await self.agent.initialize(
            protocol_version=version,
            client_capabilities=capabilities,
            client_info=Implementation(name="python-sdk-client", version="1.0.0"),
        )

    async def settle(self):
        """A round trip after the last answer: all that either side sent before has arrived then."""
        while self.answering:
            self.idle.clear()
            await self.idle.wait()
        await self.agent.new_session(cwd=self.scenario["cwd"], mcp_servers=[])


async def main():
    separator = sys.argv.index("--")
    client = ScriptedClient(json.loads(sys.argv[1]))
    command = sys.argv[separator + 1 :]
    transport = {"stderr": None, "limit": LINE_LIMIT}
    async with acp.spawn_agent_process(client, *command, transport_kwargs=transport):
        try:
            await client.converse()
        except acp.RequestError as error:
            client.report["error"] = {"code": error.code, "message": str(error)}
    print(json.dumps(client.report))


asyncio.run(main())
