//! Closing, also in the middle of a restart.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use acp_client::{AgentStatus, Error, Restart};
use serde_json::json;

use super::{open, over, resumes, started, turn};

/// The progress of a restart when it is closed.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    Waiting,
    Initializing,
    Preparing,
    Restoring,
}

#[tokio::test(start_paused = true)]
async fn closing_in_the_middle_of_a_restart_waits_until_nothing_is_left() {
    for step in [Step::Waiting, Step::Initializing, Step::Preparing, Step::Restoring] {
        let (reconnect, mut wires) = over(2);
        let (mut again, mut first) = (wires.pop().expect("two"), wires.pop().expect("two"));
        let day = Duration::from_secs(24 * 60 * 60);
        let delay = if step == Step::Waiting { day } else { Duration::ZERO };
        let starts = Arc::new(Mutex::new(0));
        let reconnect = reconnect
            .restart(Restart::times(1).first_delay(delay).max_delay(day))
            .restore_timeout(day)
            .on_start(move |_| {
                let mut starts = starts.lock().expect("not poisoned");
                *starts += 1;
                let hangs = *starts == 2 && step == Step::Preparing;
                async move {
                    if hangs {
                        std::future::pending::<()>().await;
                    }
                    Ok(())
                }
            });
        let agent = started(reconnect, &mut first, resumes()).await;
        let session = open(&agent, &mut first, "s1").await;
        drop(first);
        let status = agent.status_is(|status| status != AgentStatus::Connected).await;
        assert_eq!(status, AgentStatus::Restarting { restart: 1 }, "{step:?}");
        match step {
            Step::Waiting => {}
            Step::Initializing => drop(again.expect("initialize").await),
            Step::Preparing => drop(again.initialize(resumes()).await),
            Step::Restoring => {
                again.initialize(resumes()).await;
                again.expect("session/resume").await;
            }
        }
        let waiting = tokio::spawn({
            let session = session.clone();
            async move { session.prompt("?").await.map(drop) }
        });
        agent.close().await;
        assert_eq!(agent.status(), AgentStatus::Closed, "{step:?}");
        let error = waiting.await.expect("ran").expect_err("closed");
        assert!(matches!(error, Error::Closed { .. }), "{step:?}: {error}");
        if step != Step::Waiting {
            while again.next().await.is_some() {}
        }
    }
}

#[tokio::test]
async fn dropping_every_handle_closes_it() {
    let (reconnect, mut wires) = over(1);
    let mut wire = wires.pop().expect("one");
    let agent = started(reconnect, &mut wire, json!({})).await;
    let session = open(&agent, &mut wire, "s1").await;
    drop(agent);
    assert_eq!(turn(&session, &mut wire, "still here").await, ["still here"]);
    drop(session);
    assert!(wire.next().await.is_none());
}
