"""An MCP server on version 1 of the Python SDK."""

from mcp.server.fastmcp import FastMCP

server = FastMCP("python")


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
