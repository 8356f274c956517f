//! The ends of commands, with everything that they started.

use std::time::Duration;

use acp_client::LocalTerminals;
use serde_json::json;
use tokio::runtime::Runtime;

use super::{Leash, Place};
use crate::common::{connected, open};

#[tokio::test]
async fn kill_ends_everything_that_was_started() {
    let mut place = Place::new().await;
    // The first process waits, or has gone before the others.
    for (last, status) in [("wait", json!({"signal": "SIGTERM"})), ("exit 3", json!({"exitCode": 3}))] {
        let leash = Leash::new();
        let id = place.start(&leash.tree(last)).await;
        place.shows(&id, "up").await;
        if last != "wait" {
            place.of("terminal/wait_for_exit", &id).await;
        }
        assert_eq!(place.of("terminal/kill", &id).await["result"], json!({}));
        leash.freed().await;
        assert_eq!(place.of("terminal/output", &id).await["result"]["exitStatus"], status);
    }
}

#[tokio::test]
async fn what_does_not_want_to_end_is_killed() {
    let mut place = Place::new().await;
    let id = place.start("trap : TERM; echo up; while :; do sleep 1000; done").await;
    place.shows(&id, "up").await;
    place.of("terminal/kill", &id).await;
    let output = place.of("terminal/output", &id).await;
    assert_eq!(output["result"]["exitStatus"], json!({"signal": "SIGKILL"}));
}

#[tokio::test]
async fn a_command_is_over_when_its_first_process_is() {
    let mut place = Place::new().await;
    let leash = Leash::new();
    let id = place.start(&leash.tree("sleep 0; echo started; exit 0")).await;
    assert_eq!(place.of("terminal/wait_for_exit", &id).await["result"], json!({"exitCode": 0}));
    // The output of its children is shown on, and ends with the terminal.
    place.shows(&id, "up").await;
    assert_eq!(place.of("terminal/release", &id).await["result"], json!({}));
    leash.freed().await;
}

#[tokio::test]
async fn a_command_ends_with_its_session_and_with_the_connection() {
    for end in ["closed", "dropped", "disconnected", "agent gone"] {
        let served = LocalTerminals::new().grace(Duration::from_millis(100));
        let terminals = served.clone();
        let closing = json!({"sessionCapabilities": {"close": {}}});
        let (agent, mut wire) = connected(|connect| connect.terminals(served), closing).await;
        let session = open(&agent, &mut wire, json!({"sessionId": "s1"})).await;
        let leash = Leash::new();
        let mut place = Place { session, wire, terminals };
        let id = place.start(&leash.tree("wait")).await;
        let terminal = place.shows(&id, "up").await;
        let Place { session, mut wire, terminals } = place;
        match end {
            "closed" => {
                let (closed, ()) = tokio::join!(session.close(), async {
                    let request = wire.expect("session/close").await;
                    wire.answer(&request, json!({})).await;
                });
                closed.expect("closed");
            }
            "dropped" => drop(session),
            "disconnected" => {
                agent.close().await;
                assert_ne!(terminal.output().exit_status, None, "{end}: they end before that is over");
            }
            _ => {
                drop(wire);
                agent.wait().await;
                assert_ne!(terminal.output().exit_status, None, "{end}: they end before that is over");
            }
        }
        leash.freed().await;
        assert_eq!(terminal.wait().await.signal.as_deref(), Some("SIGTERM"), "{end}");
        // It is forgotten right after it has ended.
        while terminals.get(terminal.id()).is_some() {
            tokio::task::yield_now().await;
        }
    }
}

#[test]
fn a_command_ends_with_the_runtime() {
    let (looking, running) = (runtime(), runtime());
    let leash = looking.block_on(async { Leash::new() });
    running.block_on(async {
        let mut place = Place::new().await;
        let id = place.start(&leash.tree("wait")).await;
        place.shows(&id, "up").await;
        // Nobody closes anything.
        std::mem::forget(place);
    });
    running.shutdown_background();
    looking.block_on(leash.freed());
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("started")
}
