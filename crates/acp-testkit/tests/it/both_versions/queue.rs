//! A second prompt while a turn runs, and work that outlives its turn.

use std::sync::Arc;

use acp_agent::{Router, StopReason, op};
use acp_client::{BackgroundWork, Event, PermissionAnswer, PermissionPolicy, StateKind};
use serde_json::json;
use tokio::sync::Notify;

use super::agent::Everything;
use super::{Seen, connect, same, session};

/// Returns the params of a prompt that is sent beside a turn.
fn prompt(session: &acp_client::Session, text: &str) -> acp_client::Value {
    let params = json!({"sessionId": session.id().as_str(), "prompt": [{"type": "text", "text": text}]});
    params.to_string().parse().expect("is JSON")
}

#[tokio::test]
async fn a_prompt_that_waits_for_the_turn_before() {
    let shown = same("queue", |version| async move {
        let answer = Arc::new(Notify::new());
        let given = Arc::clone(&answer);
        let policy = PermissionPolicy::ask(move |_| {
            let given = Arc::clone(&given);
            async move {
                given.notified().await;
                PermissionAnswer::AllowOnce
            }
        });
        let agent = connect(Everything, version, |connect| connect.permissions(policy)).await;
        let session = session(&agent).await;
        let mut seen = Seen::of(&session);
        seen.transcript.prompt("ask");
        let turn = session.prompt("ask").await.expect("sent");
        let params = prompt(&session, "say");
        let second = agent.peer().begin::<_, acp_client::Value>(None, "session/prompt", &params);
        let second = second.await.expect("sent");
        answer.notify_one();
        seen.read(turn).await;
        let mut updates = session.updates();
        let is_v1 = version == acp_client::ProtocolVersion::V1;
        if is_v1 {
            // Version 2 has an echo.
            seen.transcript.prompt("say");
        }
        let mut is_said = false;
        while !is_said {
            let event = updates.next().await.expect("an event");
            is_said = event.text() == Some("three");
            if !matches!(event, Event::State(_)) {
                seen.transcript.fold(event);
            }
        }
        let answer = second.await.expect("answered");
        let reason = if is_v1 {
            answer.get("stopReason").and_then(|reason| reason.as_str()).map(str::to_owned)
        } else {
            assert!(answer.get("messageId").is_some(), "{answer}");
            loop {
                let Some(Event::State(state)) = updates.next().await else { panic!("a state") };
                if let StateKind::Idle { stop_reason, .. } = state.kind {
                    break stop_reason.map(|reason| reason.to_string());
                }
            }
        };
        seen.ends.push(reason.unwrap_or_default());
        seen.show()
    })
    .await;
    assert_eq!(shown["ends"], json!(["end_turn", "end_turn"]));
    assert!(shown.to_string().contains("three"), "{shown:#}");
}

#[tokio::test]
async fn a_prompt_that_is_cancelled_while_it_waits() {
    let shown = same("cancel while queued", |version| async move {
        let agent = connect(Everything, version, |connect| connect).await;
        let session = session(&agent).await;
        let mut seen = Seen::of(&session);
        seen.transcript.prompt("wait");
        let mut turn = session.prompt("wait").await.expect("sent");
        let event = turn.next().await.expect("an event");
        seen.transcript.fold(event);
        let params = prompt(&session, "say");
        let second = agent.peer().begin::<_, acp_client::Value>(None, "session/prompt", &params);
        let second = second.await.expect("sent");
        turn.cancel().expect("sent");
        seen.read(turn).await;
        // In version 1 a prompt that waits ends like a turn; in version 2 it was never inserted.
        let is_cancelled = match second.await {
            Ok(answer) => answer.get("stopReason").and_then(|reason| reason.as_str()) == Some("cancelled"),
            Err(error) => error.remote().is_some_and(|error| error.code == -32800),
        };
        assert!(is_cancelled, "{version:?}");
        seen.prompt(&session, "after it").await;
        seen.show()
    })
    .await;
    assert_eq!(shown["ends"], json!(["cancelled", "end_turn"]));
    assert!(!shown.to_string().contains("three"), "its turn has not run: {shown:#}");
}

/// An agent whose work goes on behind its turn until `go`.
fn indexer(go: &Arc<Notify>) -> Router<Arc<Notify>> {
    async fn prompt(go: &Arc<Notify>, turn: acp_agent::Turn) -> acp_agent::Result<StopReason> {
        let work = turn.background("Index").await?;
        let (updates, go) = (turn.session_updates().clone(), Arc::clone(go));
        tokio::spawn(async move {
            go.notified().await;
            updates.title("Indexed").await?;
            work.complete().await
        });
        Ok(StopReason::EndTurn)
    }
    Router::new("indexer", "1", Arc::clone(go)).on::<op::Prompt, _>(prompt)
}

#[tokio::test]
async fn work_in_the_background() {
    let shown = same("background", |version| async move {
        let go = Arc::new(Notify::new());
        let agent = connect(indexer(&go), version, |connect| connect).await;
        let session = session(&agent).await;
        let mut seen = Seen::of(&session);
        seen.transcript.prompt("index");
        let mut turn = session.prompt("index").await.expect("sent");
        let is_v2 = version == acp_client::ProtocolVersion::V2;
        // Only version 2 shows the work: as a tool call, and in each state until it is over.
        let mut work = None;
        let mut shows = |event: &Event| match event {
            Event::ToolCall(call) => {
                assert!(is_v2 && call.title == "Index", "{call:?}");
                work = Some(call.tool_call_id.clone());
                true
            }
            Event::ToolCallUpdate(update) => work.as_ref() == Some(&update.tool_call_id),
            _ => false,
        };
        while let Some(event) = turn.next().await {
            if !shows(&event) {
                seen.transcript.fold(event);
            }
        }
        let done = turn.finish().await;
        let background = done.as_ref().ok().and_then(|done| done.background().map(<[_]>::to_vec));
        seen.end(done);
        go.notify_one();
        let mut updates = session.updates();
        let (mut is_titled, mut is_over) = (false, !is_v2);
        while !is_titled || !is_over {
            let event = updates.next().await.expect("an event");
            match &event {
                Event::State(state) => is_over = state.background.as_deref() == Some(&[]),
                event if shows(event) => {}
                event => is_titled |= matches!(event, Event::Info(_)),
            }
            if matches!(event, Event::Info(_)) {
                seen.transcript.fold(event);
            }
        }
        assert_eq!(background, work.map(|id| vec![BackgroundWork::ToolCall(id)]), "{version:?}");
        seen.show()
    })
    .await;
    assert!(shown.to_string().contains("Indexed"), "{shown:#}");
}
