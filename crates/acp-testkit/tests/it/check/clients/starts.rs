//! The starts of an agent by a client in memory.

use std::io;
use std::sync::{Arc, Mutex};

use acp_client::Transport;
use acp_testkit::check::AgentStart;
use acp_testkit::{Outbox, ScriptedPeer, Writer, relay};
use serde_json::json;
use tokio::io::{AsyncBufReadExt, BufReader, duplex};
use tokio::sync::mpsc;

use super::client::{Base, Habit};
use crate::check::ROOM;
use crate::check::mutant::{Fault, Memory};

/// The starts of one client.
#[derive(Clone)]
pub(super) struct Starts {
    pub(super) to: mpsc::UnboundedSender<AgentStart>,
    pub(super) fault: Fault,
    pub(super) base: Base,
}

impl Starts {
    /// Starts the agent. A relay breaks the client's lines.
    pub(super) fn agent(&self) -> Transport {
        let (checker, to_checker) = duplex(ROOM);
        let (client, to_client) = duplex(ROOM);
        let memory = Arc::new(Mutex::new(Memory::default()));
        let (fault, base) = (self.fault, self.base);
        let filter = move |writer: Writer, line: &[u8], out: &mut Outbox| {
            let line = announced(base, writer, line);
            fault.filter(&mut memory.lock().unwrap(), writer, &line, out);
        };
        tokio::spawn(relay(to_checker, to_client, filter));
        let (end, closed) = mpsc::unbounded_channel();
        end.send(self.base != Base::With(Habit::Kills)).unwrap();
        // A checker that has gone away wants no more.
        let _ = self.to.send(AgentStart::new(ScriptedPeer::from_stream(checker)).closed_by(closed));
        Transport::from_stream(client)
    }

    /// Starts a login and returns its exit code.
    pub(super) async fn login(&self, words: Vec<String>, variable: Option<String>) -> io::Result<u8> {
        let (checker, process) = duplex(ROOM);
        let start = AgentStart::new(ScriptedPeer::from_stream(checker)).login(words, variable);
        let _ = self.to.send(start);
        let mut code = String::new();
        BufReader::new(process).read_line(&mut code).await?;
        Ok(code.trim().parse().unwrap_or(1))
    }
}

/// Announces the extension that a client has, and the logins that the test plays: acp-client
/// announces neither over streams in memory.
fn announced(base: Base, writer: Writer, line: &[u8]) -> Vec<u8> {
    let mut message: serde_json::Value = serde_json::from_slice(line).unwrap_or_default();
    let full = matches!(base, Base::Full | Base::With(_));
    if full && writer == Writer::Second && message["method"] == "initialize" {
        let (member, terminal) = match message["params"]["protocolVersion"].as_u64() {
            Some(2) => ("capabilities", json!({})),
            _ => ("clientCapabilities", json!(true)),
        };
        let offered = &mut message["params"][member];
        offered["_meta"] = json!({"acme.dev/notes": true});
        offered["auth"] = json!({"terminal": terminal});
        return message.to_string().into_bytes();
    }
    line.to_vec()
}
