"""An MCP server on either version of the Python SDK: `server.py stdio|http|sse`. Over HTTP it prints its address."""

import socket
import sys

try:
    from mcp.server.mcpserver import MCPServer
except ImportError:  # version 1
    from mcp.server.fastmcp import FastMCP as MCPServer

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


def serve(app) -> None:
    import uvicorn

    listener = socket.create_server(("127.0.0.1", 0))
    print("http://127.0.0.1:{}".format(listener.getsockname()[1]), flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])


match sys.argv[1]:
    case "http":
        serve(server.streamable_http_app())
    case "sse":
        serve(server.sse_app())
    case _:
        server.run()
