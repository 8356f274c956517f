//! The server of a case: a process, or a site at an address.

use std::fs::{self, OpenOptions};
use std::io::{BufRead as _, Write as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use acp_mcp::{Builder, Implementation, McpSession, Server, Timeouts};
use acp_types::v1::{McpServer, McpServerHttp, McpServerStdio};
use serde_json::Value;
use tempfile::TempDir;

use super::fake::{Fake, Say};
use super::http::Site;

/// A time longer than any case takes.
pub const WAY_OUT: Duration = Duration::from_secs(180);
const LONG: Duration = Duration::from_secs(60);

/// The transport that carries the messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    Stdio,
    Http,
}

/// One server, `fake`, and the messages that it has received.
pub struct Place {
    pub timeouts: Timeouts,
    entry: McpServer,
    kind: Kind,
}

enum Kind {
    Process(TempDir),
    Site(Arc<Site>),
}

impl Place {
    pub async fn new(binding: Binding, config: Value) -> Self {
        let timeouts = Timeouts::default().probe(LONG).initialize(LONG).connect(LONG * 2).shutdown(LONG);
        let (entry, kind) = match binding {
            Binding::Stdio => {
                let folder = tempfile::tempdir().unwrap();
                let program = std::env::current_exe().unwrap().to_str().unwrap().to_owned();
                let log = log_in(&folder).to_str().unwrap().to_owned();
                let arguments = ["--serve-fake".to_owned(), config.to_string(), log];
                (McpServerStdio::new("fake", program, arguments, []).into(), Kind::Process(folder))
            }
            Binding::Http => {
                let site = Site::start(config).await;
                (McpServerHttp::new("fake", &site.url, []).into(), Kind::Site(site))
            }
        };
        Self { timeouts, entry, kind }
    }

    pub fn entry(&self) -> McpServer {
        self.entry.clone()
    }

    pub fn builder(&self) -> Builder {
        McpSession::builder(Implementation::new("tests", "0")).timeouts(self.timeouts.clone())
    }

    pub async fn connect(&self) -> McpSession {
        self.builder().connect_all(&[self.entry()]).await
    }

    /// Connects the server and lists its tools.
    pub async fn server(&self) -> (McpSession, Server) {
        let session = self.connect().await;
        session.tools().await;
        let server = session.servers().remove(0);
        assert!(server.info().is_some(), "{:?}", server.status());
        (session, server)
    }

    /// Returns the messages that came in; over HTTP also `(closed)` with the id of a request whose
    /// stream was closed.
    pub fn messages(&self) -> Vec<Value> {
        match &self.kind {
            Kind::Process(folder) => {
                let log = fs::read_to_string(log_in(folder)).unwrap_or_default();
                log.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
            }
            Kind::Site(site) => site.messages(),
        }
    }

    /// Returns the methods of the messages.
    pub fn log(&self) -> Vec<String> {
        self.messages()
            .iter()
            .map(|message| message["method"].as_str().unwrap_or("(answer)").to_owned())
            .collect()
    }

    pub fn count(&self, method: &str) -> usize {
        self.log().iter().filter(|logged| *logged == method).count()
    }

    pub const fn site(&self) -> Option<&Arc<Site>> {
        match &self.kind {
            Kind::Site(site) => Some(site),
            Kind::Process(_) => None,
        }
    }

    /// Waits until the messages of the server fulfil a condition.
    pub async fn until(&self, is_so: impl Fn(&[Value]) -> bool) {
        // Another process writes the log, so there is nothing to wait on.
        while !is_so(&self.messages()) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

fn log_in(folder: &TempDir) -> PathBuf {
    folder.path().join("log")
}

/// Serves as the process.
pub fn serve(config: &str, log: &str) {
    let is_opening =
        |line: &&str| ["\"server/discover\"", "\"initialize\""].iter().any(|method| line.contains(method));
    let before = fs::read_to_string(log).unwrap_or_default().lines().filter(is_opening).count();
    let mut fake = Fake::new(serde_json::from_str(config).unwrap(), before as u64 + 1);
    let mut log = OpenOptions::new().create(true).append(true).open(log).unwrap();
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        log.write_all(format!("{line}\n").as_bytes()).unwrap();
        let message: Value = serde_json::from_str(&line).unwrap();
        let listeners = fake.listeners();
        for say in fake.on(&message) {
            match say {
                Say::Answer(message) | Say::Tell(message) | Say::ToListener(_, message) => {
                    println!("{message}")
                }
                // A stream has no end of its own here, but it can be cancelled.
                Say::Break => {
                    listeners.iter().for_each(|listener| println!("{}", super::fake::cancelled(listener)))
                }
                Say::Progress(token) => drop(std::thread::spawn(move || {
                    for at in 0.. {
                        println!("{}", super::fake::progress(&token, at));
                        std::thread::sleep(Duration::from_millis(5));
                    }
                })),
                Say::End => std::process::exit(7),
            }
        }
    }
}
