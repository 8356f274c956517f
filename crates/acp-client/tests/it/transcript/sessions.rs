//! Transcripts of sessions of a connection.

use acp_client::{Change, Event, Transcript};
use serde_json::{Value, json};

use super::{entries, piece, said, tool};
use crate::common::{connected, open};

/// The updates of one turn. The agent sends them again when the session is loaded.
fn conversation() -> Vec<Value> {
    vec![
        piece("agent_thought_chunk", "", "hm"),
        said("I look "),
        said("around."),
        json!({"sessionUpdate": "tool_call", "toolCallId": "t", "title": "ls", "kind": "execute"}),
        tool("t", json!({"status": "completed", "content": [{"type": "terminal", "terminalId": "x"}]})),
        json!({"sessionUpdate": "plan", "entries": []}),
        json!({"sessionUpdate": "_x/strange", "n": 1}),
        said("Done."),
        json!({"sessionUpdate": "session_info_update", "title": "A look around"}),
        json!({"sessionUpdate": "current_mode_update", "currentModeId": "code"}),
    ]
}

#[tokio::test]
async fn a_turn_and_the_replay_of_its_session_make_the_same_transcript() {
    let modes = json!({"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Ask"}]});
    let options = json!([{"id": "b", "name": "B", "type": "boolean", "currentValue": true}]);
    let (agent, mut wire) = connected(|connect| connect, json!({"loadSession": true})).await;
    let opened = json!({"sessionId": "s1", "modes": modes, "configOptions": options});
    let session = open(&agent, &mut wire, opened).await;
    let mut live = Transcript::for_session(&session);
    assert_eq!(live.mode().map(|mode| mode.as_str()), Some("ask"));
    live.prompt("look");
    let mut turn = session.prompt("look").await.expect("sent");
    let request = wire.expect("session/prompt").await;
    for update in conversation() {
        wire.update("s1", update).await;
    }
    wire.answer(&request, json!({"stopReason": "end_turn"})).await;
    while let Some(event) = turn.next().await {
        live.fold(event);
    }
    turn.finish().await.expect("ends");
    assert_eq!(
        entries(&live),
        [
            "user_message ['look']",
            "agent_thought ['hm']",
            "agent_message ['I look around.']",
            "tool 't' 'ls' 'completed'",
            "unknown '_x/strange'",
            "agent_message ['Done.']",
        ]
    );
    drop(session);

    let mut loaded = Transcript::new();
    let (replay, ()) = tokio::join!(agent.load_session("s1", "/work").replay(), async {
        let request = wire.expect("session/load").await;
        wire.update("s1", piece("user_message_chunk", "", "lo")).await;
        wire.update("s1", piece("user_message_chunk", "", "ok")).await;
        for update in conversation() {
            wire.update("s1", update).await;
        }
        let modes = json!({"currentModeId": "code", "availableModes": [{"id": "code", "name": "Code"}]});
        wire.answer(&request, json!({"modes": modes, "configOptions": options})).await;
    });
    let mut replay = replay.expect("sent");
    while let Some(event) = replay.next().await {
        loaded.fold(event);
    }
    loaded.fold_session(&replay.finish().await.expect("loaded"));
    assert_eq!(loaded, live);
}

#[test]
fn what_was_missed_is_an_entry() {
    let mut transcript = Transcript::new();
    let changes = [Event::Missed(3), Event::Missed(u64::MAX)].map(|event| transcript.fold(event));
    assert_eq!(changes, [Change::Added(0), Change::Updated(0)]);
    transcript.fold(super::update(said("a")));
    transcript.fold(Event::Missed(1));
    // The transcript cannot know that these are the same message.
    transcript.fold(super::update(said("b")));
    assert_eq!(
        entries(&transcript),
        [&*format!("missed {}", u64::MAX), "agent_message ['a']", "missed 1", "agent_message ['b']",]
    );
}
