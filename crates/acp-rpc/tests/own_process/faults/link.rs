//! The ways to the far end: in memory, or through the pipes of another process.

use std::process::Stdio;

use acp_rpc::{Noise, Options, Peer, Transport, connect};
use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;

use super::process::{FAULT, LIMITS, PORT, ROLE};
use crate::common::{Lab, Wire, soon};

/// The place of the peer under test, and the way between it and the wire.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Link {
    /// In this process, as a server, behind a pipe in memory.
    Memory,
    /// In this process, as a client that reads another program, behind a pipe in memory.
    MemoryToProgram,
    /// In a child process, serving its stdin and stdout.
    ChildServes,
    /// In this process, as the client of a hostile child process.
    ChildIsHostile,
}

pub(crate) struct Connection {
    pub(crate) wire: Wire,
    pub(crate) subject: Subject,
}

/// The peer under test.
pub(crate) enum Subject {
    Here { lab: Lab, peer: Peer, driver: JoinHandle<acp_rpc::CloseReason> },
    Child(Child),
}

impl Link {
    pub(crate) const ALL: [Self; 4] =
        [Self::Memory, Self::MemoryToProgram, Self::ChildServes, Self::ChildIsHostile];

    pub(crate) const fn answers_noise(self) -> bool {
        matches!(self, Self::Memory | Self::ChildServes)
    }

    pub(crate) async fn connect(self, limits: &[(&str, usize)]) -> Connection {
        match self {
            Self::Memory | Self::MemoryToProgram => {
                let (near, far) = tokio::io::duplex(64 * 1024);
                self.here(Transport::from_stream(near), Wire::new(far), limits)
            }
            Self::ChildServes => child_serves(limits),
            Self::ChildIsHostile => {
                let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
                let port = listener.local_addr().unwrap().port();
                let command = acp_rpc::Command::new(std::env::current_exe().unwrap())
                    .env(ROLE, "relay")
                    .env(PORT, port.to_string());
                let (transport, _child) = Transport::process(command).unwrap();
                let (stream, _) = soon("the child", listener.accept()).await.unwrap();
                stream.set_nodelay(true).unwrap();
                self.here(transport, Wire::new(stream), limits)
            }
        }
    }

    fn here(self, transport: Transport, wire: Wire, limits: &[(&str, usize)]) -> Connection {
        let noise = if self.answers_noise() { Noise::Answer } else { Noise::Skip };
        let (lab, _events) = Lab::new();
        let (peer, driver) = connect(transport, lab.clone(), options(limits).noise(noise));
        Connection { wire, subject: Subject::Here { lab, peer, driver: tokio::spawn(driver) } }
    }
}

fn child_serves(limits: &[(&str, usize)]) -> Connection {
    let limits: Vec<String> = limits.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .env(ROLE, "serve")
        .env(LIMITS, limits.join(","))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let wire = Wire::over(child.stdout.take().unwrap(), child.stdin.take().unwrap());
    Connection { wire, subject: Subject::Child(child) }
}

impl Subject {
    /// Ends the connection. Returns the lines that still came, and all reports.
    pub(crate) async fn end(self, mut wire: Wire) -> (Vec<String>, Vec<String>) {
        match self {
            Self::Here { lab, peer, driver } => {
                peer.close();
                let rest = wire.rest().await;
                soon("the end", driver).await.unwrap();
                (rest, lab.faults())
            }
            Self::Child(mut child) => {
                let rest = wire.finish().await;
                let mut stderr = String::new();
                soon("stderr", child.stderr.take().unwrap().read_to_string(&mut stderr)).await.unwrap();
                let status = soon("the exit", child.wait()).await.unwrap();
                assert!(status.success(), "{status}: {stderr}");
                (
                    rest,
                    stderr.lines().filter_map(|line| line.strip_prefix(FAULT)).map(str::to_owned).collect(),
                )
            }
        }
    }
}

pub(crate) fn options(limits: &[(&str, usize)]) -> Options {
    limits.iter().fold(Options::default(), |options, (name, value)| match *name {
        "max_line" => options.max_line(*value),
        "max_message" => options.max_message(*value),
        "max_in_flight" => options.max_in_flight(*value),
        "outgoing_budget" => options.outgoing_budget(*value),
        "incoming_budget" => options.incoming_budget(*value),
        other => panic!("no limit is called {other}"),
    })
}
