//! A connection with open requests, jobs and senders of every kind, and its end.

use std::time::Duration;

use acp_json::Value;
use acp_rpc::{CallError, CloseReason, Command, Options, Peer, Transport, connect};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::JoinHandle;

use crate::common::{Lab, Wire, soon};

/// The first messages of the peer: requests for a handler that listens to its token and for one
/// that does not, and notifications for a lane where nothing gets done.
const WORK: [&str; 4] = [
    r#"{"jsonrpc":"2.0","id":1,"method":"hang"}"#,
    r#"{"jsonrpc":"2.0","id":2,"method":"stuck"}"#,
    r#"{"jsonrpc":"2.0","method":"lane","params":{"lane":"full","text":"1"}}"#,
    r#"{"jsonrpc":"2.0","method":"lane","params":{"lane":"full","text":"2"}}"#,
];

/// The requests of this side that the peer waits for before the end.
const CALLS: usize = 3;

const BROKEN: &str = "Broken pipe (os error 32)";

/// The time that the connection waits for something to happen. A handler that is told to stop, and
/// a process that exits, may take part of it on a busy machine. Each case waits for all of it a few
/// times, because one handler never stops.
const DRAIN: Duration = Duration::from_secs(3);

pub(crate) struct Case {
    pub(crate) name: &'static str,
    end: End,
    /// The reason that everybody learns.
    reason: &'static str,
}

#[derive(Clone, Copy)]
enum End {
    /// The peer closes its side, and reads on.
    HalfClose,
    /// The peer closes its side, and reads no more.
    Eof,
    /// The peer is gone.
    Gone,
    /// This side closes; the peer reads on.
    Close,
    /// This side closes; the peer does not read.
    CloseUnread,
    /// The driver is dropped.
    Drop,
    /// The peer is a program that does this.
    Program(&'static str),
}

pub(crate) fn cases() -> Vec<Case> {
    let (by_peer, here) = ("the peer closed it", "it was closed on this side");
    let case = |name, end, reason| Case { name, end, reason };
    let exited = "the process exited with status 3; its last words on stderr:\nlast words";
    vec![
        case("the peer closes its side and reads on", End::HalfClose, by_peer),
        case("the peer closes its side and reads no more", End::Eof, by_peer),
        case("the peer is gone", End::Gone, by_peer),
        case("this side closes", End::Close, here),
        case("this side closes, and the peer does not read", End::CloseUnread, here),
        case("the driver is dropped", End::Drop, here),
        case("a program closes its stdout and reads on", End::Program("exec >&-; exec cat >&2"), by_peer),
        case("a program closes its stdout and reads no more", End::Program("exec sleep 1000 >&-"), by_peer),
        case("a program closes its stdin", End::Program("exec sleep 1000 <&-"), BROKEN),
        case("a program exits", End::Program("echo last words >&2; exit 3"), exited),
        case("a program is killed", End::Program("kill -9 $$"), "the process was ended by signal 9"),
    ]
}

impl Case {
    pub(crate) async fn play(&self) {
        let (lab, mut events) = Lab::new();
        let options = Options::default().drain(DRAIN).outgoing_budget(1000);
        let (transport, mut wire) = self.transport();
        let (peer, driver) = connect(transport, lab, options);
        let driver = tokio::spawn(driver);
        if let Some(wire) = &mut wire {
            wire.send(WORK.join("\n")).await;
        }
        // Two workers may start them in either order.
        let mut started = [soon("a start", events.recv()).await, soon("a start", events.recv()).await];
        started.sort();
        assert_eq!(started.each_ref().map(Option::as_deref), [Some("started 1"), Some("started 2")]);
        let calls = under_way(&peer);
        if let Some(wire) = &mut wire {
            for _ in 0..CALLS {
                wire.next_of("ask").await;
            }
        }
        match (self.end, wire) {
            (End::HalfClose, Some(wire)) => drop(wire.finish().await),
            (End::Eof, Some(mut wire)) => {
                wire.shut_down().await;
                self.is_over(calls, driver, &mut events).await;
                return;
            }
            (End::Gone, wire) => drop(wire),
            (End::Close, Some(mut wire)) => {
                peer.close();
                wire.rest().await;
            }
            (End::CloseUnread, Some(_unread)) => {
                peer.close();
                self.is_over(calls, driver, &mut events).await;
                return;
            }
            (End::Drop, Some(_wire)) => {
                driver.abort();
                assert!(soon("the end", driver).await.unwrap_err().is_cancelled());
                have_failed(calls, self.reason).await;
                self.was_told(&mut events, self.reason, &["dropped 2"]).await;
                return;
            }
            _ => {}
        }
        self.is_over(calls, driver, &mut events).await;
    }

    fn transport(&self) -> (Transport, Option<Wire>) {
        if let End::Program(end) = self.end {
            // The sender that never stops may come before them.
            let requests = format!(
                "seen=0; while [ $seen -lt {CALLS} ]; do read -r line; \
                 case $line in *'\"ask\"'*) seen=$((seen + 1)) ;; esac; done"
            );
            let script = format!("echo \"$WORK\"\n{requests}\n{end}");
            let command = Command::new("/bin/sh").arg("-c").arg(script).env("WORK", WORK.join("\n"));
            let (transport, _child) = Transport::process(command.grace(Duration::from_millis(50))).unwrap();
            return (transport, None);
        }
        let (near, far) = tokio::io::duplex(1000);
        (Transport::from_stream(near), Some(Wire::new(far)))
    }

    async fn is_over(
        &self,
        calls: Vec<JoinHandle<CallError>>,
        driver: JoinHandle<CloseReason>,
        events: &mut UnboundedReceiver<String>,
    ) {
        let reason = soon("the end", driver).await.unwrap().to_string();
        // It depends on the moment whether reading or writing notices first.
        if !(matches!(self.end, End::Gone) && is_broken_pipe(&reason)) {
            assert_eq!(reason, self.reason);
        }
        have_failed(calls, &reason).await;
        self.was_told(events, &reason, &["cancelled 1", "dropped 2"]).await;
    }

    /// Checks that the handlers learn of the end, and then the service, once.
    async fn was_told(&self, events: &mut UnboundedReceiver<String>, reason: &str, handlers: &[&str]) {
        let mut received = Vec::new();
        while let Some(event) = soon("the last event", events.recv()).await {
            received.push(event);
        }
        let closed = format!("closed: {reason}");
        if matches!(self.end, End::Drop) {
            // A worker may have been running it.
            received.retain(|event| event != "cancelled 1");
        } else {
            assert_eq!(received.last(), Some(&closed));
        }
        let mut expected: Vec<&str> = handlers.to_vec();
        expected.push(&closed);
        received.sort();
        expected.sort_unstable();
        assert_eq!(received, expected);
    }
}

async fn have_failed(calls: Vec<JoinHandle<CallError>>, expected: &str) {
    for (index, call) in calls.into_iter().enumerate() {
        let CallError::Closed(reason) = soon("a call", call).await.unwrap() else { panic!("call {index}") };
        let reason = reason.to_string();
        // The sender may find that it cannot write before anybody knows why.
        if index < CALLS || !is_broken_pipe(&reason) {
            assert_eq!(reason, expected, "call {index}");
        }
    }
}

/// The error of the system, or of a pipe in memory.
fn is_broken_pipe(reason: &str) -> bool {
    reason == BROKEN || reason == "broken pipe"
}

/// Sends requests of every kind, and starts a sender that never stops.
fn under_way(peer: &Peer) -> Vec<JoinHandle<CallError>> {
    let (plain, in_lane, begun, sender) = (peer.clone(), peer.clone(), peer.clone(), peer.clone());
    vec![
        tokio::spawn(async move { plain.request::<_, Value>("ask", &()).await.unwrap_err() }),
        tokio::spawn(async move {
            in_lane.request_in_lane::<_, Value>("full".into(), "ask", &()).await.unwrap_err()
        }),
        tokio::spawn(async move {
            match begun.begin::<_, Value>(None, "ask", &()).await {
                Ok(pending) => pending.await.unwrap_err(),
                Err(error) => error,
            }
        }),
        tokio::spawn(async move {
            let padding = "x".repeat(500);
            loop {
                if let Err(error) = sender.notify("chatter", &[&padding]).await {
                    return error;
                }
            }
        }),
    ]
}
