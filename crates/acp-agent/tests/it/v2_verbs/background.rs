//! Work that goes on beside the turns.

use std::sync::Arc;

use acp_agent::{Result, SessionUpdates, StopReason, Turn, agent};
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::{Ed, code};

#[derive(Default)]
struct Works {
    /// Ends the work that goes on.
    end: Arc<Notify>,
    /// Tells of the end of the session.
    ended: Arc<Notify>,
}

#[agent]
impl Works {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        let (how, end, ended) = (turn.text(), Arc::clone(&self.end), Arc::clone(&self.ended));
        if how == "say" {
            turn.say("said").await?;
            return Ok(StopReason::EndTurn);
        }
        let work = turn.background(&how).await?;
        let updates = turn.session_updates().clone();
        tokio::spawn(async move {
            let cancel = if how == "cancel" { Some(work.cancellable().await?) } else { None };
            let cancelled = async {
                match &cancel {
                    Some(cancel) => cancel.cancelled().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = end.notified() => {}
                () = updates.closed() => {
                    drop(work);
                    ended.notify_one();
                    return Ok(());
                }
                () = cancelled => {}
            }
            end_as(&how, work, &updates).await
        });
        Ok(StopReason::EndTurn)
    }
}

async fn end_as(how: &str, work: acp_agent::Background, updates: &SessionUpdates) -> Result<()> {
    match how {
        "complete" => work.complete().await?,
        "fail" => work.fail("no more").await?,
        _ => drop(work),
    }
    updates.title("after").await
}

/// Returns the ids of the background work in a state.
fn listed(update: &Value) -> Vec<String> {
    let background = update["background"].as_array().unwrap_or_else(|| panic!("{update}"));
    background
        .iter()
        .map(|item| {
            assert_eq!(item["type"], "tool_call");
            item["toolCallId"].as_str().unwrap().to_owned()
        })
        .collect()
}

/// Rules `v2-bg-01`, `v2-bg-02`, `v2-bg-03`, `v2-bg-04`, `v2-state-06`, `v2-cancel-01`.
#[tokio::test]
async fn every_state_lists_the_work_from_its_beginning_to_its_end() {
    for (how, status) in [("complete", "completed"), ("fail", "failed"), ("drop", "failed")] {
        let agent = Works::default();
        let end = Arc::clone(&agent.end);
        let mut ed = Ed::open(2, agent).await;
        // Without such work the client is not told of any.
        let prompt = ed.start("say").await;
        ed.update().await;
        assert!(ed.end(prompt).await.1.get("background").is_none());

        let prompt = ed.start(how).await;
        let call = ed.update().await;
        assert_eq!((&call["title"], &call["status"]), (&json!(how), &json!("in_progress")));
        let id = call["toolCallId"].as_str().unwrap().to_owned();
        let state = ed.update().await;
        assert_eq!((&state["state"], listed(&state)), (&json!("running"), vec![id.clone()]));
        let (reason, idle) = ed.end(prompt).await;
        assert_eq!((reason, listed(&idle)), (json!("end_turn"), vec![id.clone()]));

        // A turn beside it, and a cancel, do not end it.
        let session = ed.session.clone();
        ed.wire.cancel(&session).await;
        let prompt = ed.wire.prompt(&session, "say").await;
        ed.wire.answer_to(prompt).await;
        ed.update().await;
        assert_eq!(listed(&ed.update().await), std::slice::from_ref(&id));
        ed.update().await;
        assert_eq!(listed(&ed.end(prompt).await.1), std::slice::from_ref(&id));

        end.notify_one();
        let call = ed.update().await;
        assert_eq!((&call["toolCallId"], &call["status"]), (&json!(id), &json!(status)));
        let idle = ed.update().await;
        assert_eq!(idle, json!({"sessionUpdate": "state_update", "state": "idle", "background": []}));
        assert_eq!(ed.update().await["title"], "after");
        // Whoever reports such work does so in every state.
        let prompt = ed.start("say").await;
        ed.update().await;
        assert!(listed(&ed.end(prompt).await.1).is_empty());
    }
}

#[tokio::test]
async fn a_client_cancels_work_by_its_tool_call() {
    let mut ed = Ed::open(2, Works::default()).await;
    let prompt = ed.start("cancel").await;
    let id = ed.update().await["toolCallId"].clone();
    // The offer and the end of the turn come in any order.
    let (mut is_idle, mut is_offered) = (false, false);
    while !(is_idle && is_offered) {
        let update = ed.update().await;
        is_idle |= update["stopReason"] == "end_turn";
        is_offered |= update["capabilities"]["cancel"].is_object();
    }
    let _ = prompt;
    assert_eq!(ed.cancel("tool_call", &id).await["result"], json!({}));
    assert!(ed.update().await["capabilities"].is_null());
    assert_eq!(ed.update().await["status"], "cancelled");
    assert!(listed(&ed.update().await).is_empty());
    assert_eq!(ed.update().await["title"], "after");
    assert_eq!(code(&ed.cancel("tool_call", &id).await), -32602);
}

/// Rule `v2-close-01`.
#[tokio::test]
async fn the_end_of_the_session_is_the_end_of_the_work() {
    for version in [1, 2] {
        let agent = Works::default();
        let ended = Arc::clone(&agent.ended);
        let mut ed = Ed::open(version, agent).await;
        ed.turn("complete").await;
        if version == 1 {
            let served = ed.wire.close().await;
            assert!(served.is_empty(), "{served:?}");
        } else {
            let answer = ed.wire.call("session/close", json!({"sessionId": ed.session})).await;
            assert_eq!(answer["result"], json!({}), "{answer}");
        }
        ended.notified().await;
    }
}

#[tokio::test]
async fn version_1_sees_nothing_of_the_work() {
    let agent = Works::default();
    let end = Arc::clone(&agent.end);
    let mut ed = Ed::open(1, agent).await;
    for how in ["complete", "fail", "drop"] {
        assert!(ed.turn(how).await.is_empty());
        end.notify_one();
        assert_eq!(ed.update().await["title"], "after");
    }
}
