//! The state that a connection keeps of its sessions, and its release.

use acp_client::{Agent, Connect, Session};
use serde_json::{Value, json};

use crate::common::{Wire, connected, open};

fn plain(connect: Connect) -> Connect {
    connect
}

/// Opens a session while the agent sends updates of other sessions first.
async fn open_after(agent: &Agent, wire: &mut Wire, id: &str, before: &[(&str, &str)]) -> Session {
    let (session, ()) = tokio::join!(agent.new_session("/work").into_future(), async {
        let request = wire.expect("session/new").await;
        for (session, text) in before {
            wire.text(session, text).await;
        }
        wire.answer(&request, json!({"sessionId": id})).await;
    });
    session.expect("opened")
}

/// Reads what a session has kept, and checks that no more follows.
async fn kept(session: &Session, wire: &mut Wire) -> Vec<String> {
    let (turn, request) = tokio::join!(session.prompt("go"), wire.expect("session/prompt"));
    wire.answer(&request, json!({"stopReason": "end_turn"})).await;
    let mut turn = turn.expect("sent");
    let mut texts = Vec::new();
    while let Some(event) = turn.next().await {
        texts.push(event.text().map_or_else(|| format!("{event:?}"), str::to_owned));
    }
    turn.finish().await.expect("ends");
    texts
}

#[tokio::test]
async fn the_places_of_sessions_that_were_never_named_are_given_back() {
    let (agent, mut wire) = connected(plain, json!({})).await;
    for round in 0..5 {
        // More unknown sessions than a client remembers, and then the session of the next round.
        let strangers: Vec<String> = (0..16).map(|n| format!("never-{round}-{n}")).collect();
        let before: Vec<(&str, &str)> = strangers.iter().map(|id| (id.as_str(), "?")).collect();
        open_after(&agent, &mut wire, &format!("full-{round}"), &before).await;
        let id = format!("s-{round}");
        let session = open_after(&agent, &mut wire, &id, &[(id.as_str(), "early")]).await;
        assert_eq!(kept(&session, &mut wire).await, ["early"], "in round {round}");
    }
}

#[tokio::test]
async fn strangers_take_no_places_while_no_session_is_being_made() {
    let (agent, mut wire) = connected(plain, json!({})).await;
    for n in 0..100 {
        wire.text(&format!("stranger-{n}"), "?").await;
    }
    wire.call(json!(1), "_unknown", json!(null)).await;
    let session = open_after(&agent, &mut wire, "s1", &[("s1", "early")]).await;
    assert_eq!(kept(&session, &mut wire).await, ["early"]);
}

#[tokio::test]
async fn two_sessions_that_are_opened_at_once_both_keep_their_early_updates() {
    let (agent, mut wire) = connected(plain, json!({})).await;
    let (one, two, ()) =
        tokio::join!(agent.new_session("/1").into_future(), agent.new_session("/2").into_future(), async {
            let first = wire.expect("session/new").await;
            let second = wire.expect("session/new").await;
            wire.text("s2", "of two").await;
            wire.text("s1", "of one").await;
            wire.answer(&first, json!({"sessionId": "s1"})).await;
            wire.text("s2", "more of two").await;
            wire.answer(&second, json!({"sessionId": "s2"})).await;
        });
    assert_eq!(kept(&one.expect("opened"), &mut wire).await, ["of one"]);
    assert_eq!(kept(&two.expect("opened"), &mut wire).await, ["of two", "more of two"]);
}

/// The ways in which a session ends for this client.
const ENDS: &[&str] = &["dropped", "closed", "deleted", "failed to load"];

#[tokio::test]
async fn a_session_that_has_ended_is_forgotten() {
    let offers = json!({"loadSession": true, "sessionCapabilities": {"close": {}, "delete": {}}});
    for end in ENDS {
        let (agent, mut wire) = connected(plain, offers.clone()).await;
        let held = match *end {
            "failed to load" => {
                let (loaded, ()) = tokio::join!(agent.load_session("s1", "/work").into_future(), async {
                    let request = wire.expect("session/load").await;
                    wire.text("s1", "half of it").await;
                    wire.fail(&request, json!({"code": -32603, "message": "broken"})).await;
                });
                loaded.expect_err("refused");
                None
            }
            end => {
                let session = open(&agent, &mut wire, json!({"sessionId": "s1"})).await;
                wire.text("s1", "unread").await;
                match end {
                    "closed" => answered(session.close(), &mut wire, "session/close").await,
                    "deleted" => answered(agent.delete_session("s1"), &mut wire, "session/delete").await,
                    _ => {}
                }
                // A handle of a closed session keeps nothing of the next session with that id.
                (end != "dropped").then_some(session)
            }
        };
        // From now on nobody has the session of the agent's updates.
        wire.text("s1", "to nobody").await;
        wire.call(json!(1), "_unknown", json!(null)).await;
        let faults = agent.faults();
        assert!(
            faults.iter().any(|fault| fault.contains("no session of this id is open")),
            "{end}: {faults:?}"
        );
        let again = open_after(&agent, &mut wire, "s1", &[("s1", "early")]).await;
        drop(held);
        wire.text("s1", "new").await;
        assert_eq!(kept(&again, &mut wire).await, ["early", "new"], "{end}");
    }
}

async fn answered(call: impl Future<Output = Result<(), acp_client::Error>>, wire: &mut Wire, method: &str) {
    let (done, ()) = tokio::join!(call, async {
        let request = wire.expect(method).await;
        wire.answer(&request, Value::Null).await;
    });
    done.expect(method);
}

#[tokio::test]
async fn a_session_whose_turn_was_dropped_with_it_is_known_until_the_turn_ends() {
    let (agent, mut wire) = connected(plain, json!({})).await;
    let session = open(&agent, &mut wire, json!({"sessionId": "s1"})).await;
    let (turn, prompt) = tokio::join!(session.prompt("go"), wire.expect("session/prompt"));
    drop(turn);
    drop(session);
    wire.expect("session/cancel").await;
    // Nobody has a handle of the session. A cancelled turn is not allowed anything all the same.
    let ask = json!({"sessionId": "s1", "toolCall": {"toolCallId": "c"}, "options": [
        {"optionId": "no", "name": "No", "kind": "reject_once"},
    ]});
    let answer = wire.call(json!(1), "session/request_permission", ask.clone()).await;
    assert_eq!(answer["result"]["outcome"], json!({"outcome": "cancelled"}));
    wire.answer(&prompt, json!({"stopReason": "cancelled"})).await;
    let mut outcome = Value::Null;
    // The client must have read the answer above.
    for n in 2..1000 {
        outcome =
            wire.call(json!(n), "session/request_permission", ask.clone()).await["result"]["outcome"].clone();
        if outcome["outcome"] == "selected" {
            break;
        }
    }
    assert_eq!(outcome, json!({"outcome": "selected", "optionId": "no"}));
    assert!(agent.faults().is_empty(), "{:?}", agent.faults());
}
