//! The servers: how each is started, how it is reached, and which eras of MCP it has.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::interop::layout::Layout;

/// A server, started in one way.
pub(super) struct Peer {
    pub(super) name: &'static str,
    pub(super) binding: Binding,
    program: Program,
    args: &'static [&'static str],
    pub(super) eras: Eras,
    /// Words of the error when a client and the server have no era in common; empty when the server
    /// has both.
    pub(super) refusal: &'static str,
}

/// How a server is reached; over HTTP, with the path of its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binding {
    Stdio,
    /// Streamable.
    Http(&'static str),
    /// HTTP+SSE of 2024-11-05, and given as such.
    Sse(&'static str),
    /// HTTP+SSE, given as a server that is reached by streamable HTTP: it has to be found out.
    SseAsHttp(&'static str),
    /// Streamable, given as HTTP+SSE.
    HttpAsSse(&'static str),
}

#[derive(Clone, Copy)]
enum Program {
    Node,
    /// The virtual environment of this name.
    Python(&'static str),
    /// A program of the package that uses rmcp.
    Rust(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Eras {
    Legacy,
    Modern,
    Both,
    /// Both, over a transport of the legacy era: a client that has both as well opens it as such.
    BothOverSse,
}

impl Binding {
    /// The column of the page.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Stdio => "stdio",
            Self::Http(_) | Self::HttpAsSse(_) => "HTTP",
            Self::Sse(_) | Self::SseAsHttp(_) => "HTTP+SSE",
        }
    }

    /// The trait that sets it apart from others of the same name.
    pub(super) const fn described(self) -> &'static str {
        match self {
            Self::SseAsHttp(_) => "HTTP+SSE, given as HTTP",
            Self::HttpAsSse(_) => "HTTP, given as HTTP+SSE",
            _ => self.name(),
        }
    }
}

impl Peer {
    /// The command that starts it; its working directory is the folder of the servers.
    pub(super) fn command(&self, layout: &Layout) -> Command {
        let folder = layout.installed("mcp");
        let mut command = match self.program {
            Program::Node => Command::new("node"),
            Program::Python(environment) => Command::new(python(&folder.join(environment))),
            Program::Rust(name) => Command::new(layout.peer_binary(name)),
        };
        command.args(self.args).current_dir(folder);
        command
    }

    /// A line that says which one it is.
    pub(super) fn line(&self) -> String {
        format!("{}, {}", self.name, self.binding.described())
    }
}

/// The interpreter of a virtual environment.
pub(in crate::interop) fn python(environment: &Path) -> PathBuf {
    environment.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" })
}

const EVERYTHING: &str = "node_modules/@modelcontextprotocol/server-everything/dist/index.js";
const FILESYSTEM: &str = "node_modules/@modelcontextprotocol/server-filesystem/dist/index.js";

const NODE: Program = Program::Node;
const PYTHON_1: Program = Program::Python("v1");
const PYTHON_2: Program = Program::Python("v2");
const RMCP_1: Program = Program::Rust("rmcp-1");
const RMCP_3: Program = Program::Rust("rmcp-3");

const STDIO: Binding = Binding::Stdio;
const HTTP: Binding = Binding::Http("/mcp");
const SSE: Binding = Binding::Sse("/sse");
const HTTP_AS_SSE: Binding = Binding::HttpAsSse("/mcp");
const SSE_AS_HTTP: Binding = Binding::SseAsHttp("/sse");

/// The error about a server that does not answer the probe as a modern one does, with its answer.
const LEGACY: &str = "speaks only versions of MCP that begin with `initialize`";
/// The error about a server that ends when its first message is not `initialize`.
const EXITED: &str = "it exited when it was sent `server/discover`";
/// The error when the server lists its versions.
const NOT_IN_COMMON: &str = "no version of MCP in common";

#[rustfmt::skip]
pub(super) const PEERS: [Peer; 26] = [
    peer("server-everything 2026.8.31", STDIO, NODE, &[EVERYTHING], Eras::Legacy, LEGACY),
    peer("server-everything 2026.8.31", HTTP, NODE, &["--require", "./loopback.cjs", EVERYTHING, "streamableHttp"], Eras::Legacy, LEGACY),
    peer("server-everything 2026.8.31", SSE, NODE, &["--require", "./loopback.cjs", EVERYTHING, "sse"], Eras::Legacy, LEGACY),
    peer("server-everything 2026.8.31", SSE_AS_HTTP, NODE, &["--require", "./loopback.cjs", EVERYTHING, "sse"], Eras::Legacy, LEGACY),
    peer("server-filesystem 2026.8.31", STDIO, NODE, &[FILESYSTEM, "root"], Eras::Legacy, LEGACY),
    peer("TypeScript SDK 2.4.0, both eras", STDIO, NODE, &["server.mjs", "dual", "stdio"], Eras::Both, ""),
    peer("TypeScript SDK 2.4.0, both eras", HTTP, NODE, &["server.mjs", "dual", "http"], Eras::Both, ""),
    peer("TypeScript SDK 2.4.0, modern only", STDIO, NODE, &["server.mjs", "modern", "stdio"], Eras::Modern, NOT_IN_COMMON),
    peer("TypeScript SDK 2.4.0, modern only", HTTP, NODE, &["server.mjs", "modern", "http"], Eras::Modern, NOT_IN_COMMON),
    peer("TypeScript SDK 2.4.0, modern only", HTTP_AS_SSE, NODE, &["server.mjs", "modern", "http"], Eras::Modern, NOT_IN_COMMON),
    peer("Python SDK 1.30.0", STDIO, PYTHON_1, &["server.py", "stdio"], Eras::Legacy, LEGACY),
    peer("Python SDK 1.30.0", HTTP, PYTHON_1, &["server.py", "http"], Eras::Legacy, LEGACY),
    peer("Python SDK 1.30.0", SSE, PYTHON_1, &["server.py", "sse"], Eras::Legacy, LEGACY),
    peer("Python SDK 1.30.0", SSE_AS_HTTP, PYTHON_1, &["server.py", "sse"], Eras::Legacy, LEGACY),
    peer("Python SDK 2.3.0", STDIO, PYTHON_2, &["server.py", "stdio"], Eras::Both, ""),
    peer("Python SDK 2.3.0", HTTP, PYTHON_2, &["server.py", "http"], Eras::Both, ""),
    peer("Python SDK 2.3.0", SSE, PYTHON_2, &["server.py", "sse"], Eras::BothOverSse, ""),
    // The way to HTTP+SSE leads over a refused `initialize`.
    peer("Python SDK 2.3.0", SSE_AS_HTTP, PYTHON_2, &["server.py", "sse"], Eras::Legacy, LEGACY),
    peer("rmcp 3.9.0, both eras", STDIO, RMCP_3, &["dual", "stdio"], Eras::Both, ""),
    peer("rmcp 3.9.0, both eras", HTTP, RMCP_3, &["dual", "http"], Eras::Both, ""),
    peer("rmcp 3.9.0, modern only", STDIO, RMCP_3, &["modern", "stdio"], Eras::Modern, NOT_IN_COMMON),
    peer("rmcp 3.9.0, modern only", HTTP, RMCP_3, &["modern", "http"], Eras::Modern, NOT_IN_COMMON),
    peer("rmcp 3.9.0, legacy only", STDIO, RMCP_3, &["legacy", "stdio"], Eras::Legacy, NOT_IN_COMMON),
    peer("rmcp 3.9.0, legacy only", HTTP, RMCP_3, &["legacy", "http"], Eras::Legacy, NOT_IN_COMMON),
    peer("rmcp 3.9.0, legacy only", HTTP_AS_SSE, RMCP_3, &["legacy", "http"], Eras::Legacy, NOT_IN_COMMON),
    peer("rmcp 1.8.0", STDIO, RMCP_1, &[], Eras::Legacy, EXITED),
];

const fn peer(
    name: &'static str,
    binding: Binding,
    program: Program,
    args: &'static [&'static str],
    eras: Eras,
    refusal: &'static str,
) -> Peer {
    Peer { name, binding, program, args, eras, refusal }
}
