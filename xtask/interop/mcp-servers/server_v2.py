"""An MCP server on version 2 of the Python SDK."""

from mcp.server.mcpserver import MCPServer

server = MCPServer("python")


@server.tool()
def add(a: int, b: int) -> int:
    return a + b


@server.prompt()
def ask(what: str) -> str:
    return what


@server.resource("notes://all")
def notes() -> str:
    return "nothing yet"


server.run()
