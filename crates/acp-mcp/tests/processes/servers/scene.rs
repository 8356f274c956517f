//! The surroundings of a case.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use acp_mcp::{Builder, Event, Events, Implementation, McpSession, Timeouts};
use acp_types::v1::{McpServer, McpServerStdio};
use serde_json::Value;
use tempfile::TempDir;

/// A time longer than any case takes.
pub const WAY_OUT: Duration = Duration::from_secs(120);
const LONG: Duration = Duration::from_secs(60);
const SHORT: Duration = Duration::from_millis(50);

pub struct Scene {
    folder: TempDir,
    pub timeouts: Timeouts,
}

impl Scene {
    pub fn new() -> Self {
        let timeouts = Timeouts::default().probe(LONG).initialize(LONG).connect(LONG * 2).shutdown(LONG);
        Self { folder: tempfile::tempdir().unwrap(), timeouts }
    }

    /// Creates a scene with a short time for the probe, for servers that do not answer it.
    pub fn impatient() -> Self {
        let scene = Self::new();
        Self { timeouts: scene.timeouts.probe(SHORT), ..scene }
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns a server of this program, with the mode as its name.
    pub fn server(&self, mode: &str) -> McpServer {
        let program = std::env::current_exe().unwrap().to_str().unwrap().to_owned();
        let log = self.file(mode).to_str().unwrap().to_owned();
        McpServerStdio::new(mode, program, ["--serve".to_owned(), mode.to_owned(), log], []).into()
    }

    /// Returns a server that a shell script starts. `$0` is this program, and `"$@"` its arguments.
    #[cfg(unix)]
    pub fn shell(&self, mode: &str, script: &str) -> McpServer {
        let McpServer::Stdio(server) = self.server(mode) else { unreachable!() };
        let mut args = vec!["-c".to_owned(), script.to_owned(), server.command.clone()];
        args.extend(server.args.clone());
        McpServerStdio::new(mode, "/bin/sh", args, []).into()
    }

    pub fn builder(&self) -> Builder {
        McpSession::builder(Implementation::new("tests", "0")).timeouts(self.timeouts.clone())
    }

    pub async fn connect(&self, mode: &str) -> McpSession {
        self.builder().connect_all(&[self.server(mode)]).await
    }

    /// Returns the messages that the server has received: methods, and `(answer)` for messages
    /// without one.
    pub fn log(&self, mode: &str) -> Vec<String> {
        let method = |message: &Value| message["method"].as_str().unwrap_or("(answer)").to_owned();
        self.messages(mode).iter().map(method).collect()
    }

    pub fn messages(&self, mode: &str) -> Vec<Value> {
        let log = fs::read_to_string(self.file(mode)).unwrap_or_default();
        log.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// Describes the only server of a session in a line.
pub fn status(session: &McpSession) -> String {
    let server = &session.servers()[0];
    match server.status() {
        acp_mcp::ServerStatus::Connected(info) => format!("{} {}", info.era, info.version),
        acp_mcp::ServerStatus::Failed(error) => format!("failed: {error}"),
        status => format!("{status:?}"),
    }
}

/// Reads events until one fulfils a condition.
pub async fn wait_for(events: &mut Events, is_it: impl Fn(&Event) -> bool) -> Event {
    loop {
        let event = events.next().await.expect("the session is there");
        if is_it(&event) {
            return event;
        }
    }
}
