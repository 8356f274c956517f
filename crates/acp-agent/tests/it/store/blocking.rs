//! Handlers that talk to the client on the runtime's threads for blocking work.

use std::time::Duration;

use acp_agent::store::{Entry, Journal};
use acp_agent::{Result, Router, StopReason, Turn, op};
use serde_json::json;
use tokio::runtime::{Builder, Handle};

use crate::store::load;
use crate::support::Wire;

const SAID: usize = 200;

/// Says something, asks something and reads the history, on a thread that blocks for each.
async fn blocking(_: &(), turn: Turn) -> Result<StopReason> {
    let runtime = Handle::current();
    let work = tokio::task::spawn_blocking(move || {
        runtime.block_on(async {
            for number in 0..SAID {
                turn.say(format!("{number}")).await?;
            }
            turn.ext_request::<()>("_go", &json!({})).await?;
            let mut history = turn.history().await?;
            let mut updates = 0;
            while let Some(entry) = history.next().await? {
                updates += usize::from(matches!(entry, Entry::Update(_)));
            }
            turn.say(format!("{updates} before")).await
        })
    });
    work.await.map_err(acp_agent::Error::other)??;
    Ok(StopReason::EndTurn)
}

/// Checks as many turns at once on one connection as there are threads for blocking work.
async fn check(threads: usize) {
    let folder = tempfile::tempdir().unwrap();
    let agent =
        || Router::new("blocking", "1", ()).on::<op::Prompt, _>(blocking).store(Journal::at(folder.path()));
    let (mut wire, _) = Wire::open(agent(), json!({})).await;
    let mut sessions = Vec::new();
    for _ in 0..threads {
        sessions.push(wire.new_session().await);
    }
    for session in &sessions {
        wire.prompt(session, "go").await;
    }
    let (mut answers, mut counts) = (0, 0);
    while answers < threads {
        let message = wire.recv().await;
        if message["method"] == "_go" {
            wire.answer(&message, json!(null)).await;
        } else if message["params"]["update"]["content"]["text"] == format!("{SAID} before") {
            counts += 1;
        } else if message.get("method").is_none() {
            assert_eq!(message["result"]["stopReason"], "end_turn", "{message}");
            answers += 1;
        }
    }
    assert_eq!(counts, threads);
    for session in &sessions {
        assert_eq!(load(&mut wire, session).await.len(), SAID + 2);
    }
    wire.close().await;
}

#[test]
fn a_journal_needs_no_thread_of_the_runtime() {
    for threads in [1, 2] {
        for mut builder in [Builder::new_current_thread(), Builder::new_multi_thread()] {
            let runtime =
                builder.enable_all().worker_threads(2).max_blocking_threads(threads).build().unwrap();
            let checked = runtime.block_on(async move { tokio::spawn(check(threads)).await });
            // If a turn hangs, its blocked thread must not keep the test from failing.
            runtime.shutdown_timeout(Duration::from_secs(1));
            checked.unwrap();
        }
    }
}
