//! An agent that is started again when it ends, over pipes in memory: the requests, their order and
//! their limits.

mod closing;
mod forward;
mod lost;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use acp_client::{
    AgentStatus, Connect, Error, Reconnect, ReconnectingAgent, ReconnectingSession, Restart, Transport,
};
use serde_json::{Value, json};

use crate::common::{Wire, pipe};

/// Returns an agent that uses these pipes, one for each start.
fn over(pipes: usize) -> (Reconnect, Vec<Wire>) {
    let (transports, wires): (VecDeque<Transport>, Vec<Wire>) = (0..pipes).map(|_| pipe()).unzip();
    let transports = Arc::new(Mutex::new(transports));
    let connect = move || -> Connect {
        let next = transports.lock().expect("not poisoned").pop_front();
        acp_client::connect(next.expect("not started more often"))
    };
    (acp_client::reconnecting(connect).restart(at_once(8)), wires)
}

fn at_once(times: u32) -> Restart {
    Restart::times(times).first_delay(Duration::ZERO)
}

fn resumes() -> Value {
    json!({"sessionCapabilities": {"resume": {}}})
}

/// Starts it at the first pipe.
async fn started(reconnect: Reconnect, wire: &mut Wire, capabilities: Value) -> ReconnectingAgent {
    let (agent, _) = tokio::join!(reconnect.into_future(), wire.initialize(capabilities));
    agent.expect("the versions agree")
}

async fn open(agent: &ReconnectingAgent, wire: &mut Wire, id: &str) -> ReconnectingSession {
    let (session, ()) = tokio::join!(agent.new_session("/work"), async {
        let request = wire.expect("session/new").await;
        wire.answer(&request, json!({"sessionId": id})).await;
    });
    session.expect("opened")
}

/// Runs a turn in which the agent sends this text.
async fn turn(session: &ReconnectingSession, wire: &mut Wire, text: &str) -> Vec<String> {
    let (turn, request) = tokio::join!(session.prompt("go"), wire.expect("session/prompt"));
    assert_eq!(request["params"]["sessionId"], session.id().as_str());
    wire.text(session.id().as_str(), text).await;
    wire.answer(&request, json!({"stopReason": "end_turn"})).await;
    let mut turn = turn.expect("sent");
    let mut texts = Vec::new();
    while let Some(event) = turn.next().await {
        texts.extend(event.text().map(str::to_owned));
    }
    turn.finish().await.expect("ends well");
    texts
}

#[tokio::test]
async fn sessions_are_resumed_else_loaded_with_their_place() {
    let load = json!({"loadSession": true, "sessionCapabilities": {"additionalDirectories": {}}});
    let both = json!({"loadSession": true,
                      "sessionCapabilities": {"resume": {}, "additionalDirectories": {}}});
    let resume = json!({"sessionCapabilities": {"resume": {}, "additionalDirectories": {}}});
    // The capabilities of the agent, and the requests it gets, with true for those that it answers
    // with an error.
    let table: [(&Value, &[(&str, bool)]); 4] = [
        (&resume, &[("session/resume", true)]),
        (&both, &[("session/resume", true)]),
        (&load, &[("session/load", true)]),
        // It advertises a method that it does not know.
        (&both, &[("session/resume", false), ("session/load", true)]),
    ];
    for (capabilities, asked) in table {
        let (reconnect, mut wires) = over(2);
        let (mut again, mut first) = (wires.pop().expect("two"), wires.pop().expect("two"));
        let agent = started(reconnect, &mut first, capabilities.clone()).await;
        let opening = agent.open(|agent| agent.new_session("/work").directory("/more"));
        let (session, ()) = tokio::join!(opening, async {
            let request = first.expect("session/new").await;
            first.answer(&request, json!({"sessionId": "s1"})).await;
        });
        let session = session.expect("opened");
        assert_eq!(turn(&session, &mut first, "before").await, ["before"]);
        drop(first);
        again.initialize(capabilities.clone()).await;
        for (method, works) in asked {
            let request = again.expect(method).await;
            for (member, wanted) in [
                ("sessionId", json!("s1")),
                ("cwd", json!("/work")),
                ("additionalDirectories", json!(["/more"])),
            ] {
                assert_eq!(request["params"][member], wanted, "{method}");
            }
            if *works {
                // No reader has asked for the conversation.
                again.text("s1", "of old").await;
                again.answer(&request, json!({})).await;
            } else {
                again.fail(&request, json!({"code": -32601, "message": "never heard of"})).await;
            }
        }
        assert_eq!(turn(&session, &mut again, "after").await, ["after"], "{asked:?}");
        // A later reader does not get it either.
        again.text("s1", "later").await;
        let session = session.current().await.expect("it is back");
        assert_eq!(session.updates().next().await.expect("comes").text(), Some("later"), "{asked:?}");
    }
}

#[tokio::test]
async fn a_turn_that_the_end_meets_fails_and_the_next_prompt_waits_for_the_restart() {
    let (reconnect, mut wires) = over(2);
    let (mut again, mut first) = (wires.pop().expect("two"), wires.pop().expect("two"));
    let agent = started(reconnect, &mut first, resumes()).await;
    let session = open(&agent, &mut first, "s1").await;
    let (turn_of_then, _) = tokio::join!(session.prompt("go"), first.expect("session/prompt"));
    let mut turn_of_then = turn_of_then.expect("sent");
    first.text("s1", "half").await;
    drop(first);
    assert_eq!(turn_of_then.next().await.expect("still comes").text(), Some("half"));
    let error = turn_of_then.finish().await.expect_err("no answer came");
    assert!(matches!(&error, Error::Closed { session: Some(id), .. } if id.as_str() == "s1"), "{error}");
    let (next, ()) = tokio::join!(turn_started(&session), async {
        again.initialize(resumes()).await;
        let request = again.expect("session/resume").await;
        again.answer(&request, json!({})).await;
        let request = again.expect("session/prompt").await;
        again.answer(&request, json!({"stopReason": "end_turn"})).await;
    });
    next.finish().await.expect("ends well");
    assert_eq!(agent.status(), AgentStatus::Connected);
}

async fn turn_started(session: &ReconnectingSession) -> acp_client::Turn {
    session.prompt("again").await.expect("the agent is back")
}

#[tokio::test]
async fn sessions_that_were_closed_or_let_go_are_not_taken_up() {
    let (reconnect, mut wires) = over(2);
    let (mut again, mut first) = (wires.pop().expect("two"), wires.pop().expect("two"));
    let offers = json!({"sessionCapabilities": {"resume": {}, "close": {}}});
    let agent = started(reconnect, &mut first, offers.clone()).await;
    let kept = open(&agent, &mut first, "kept").await;
    let closed = open(&agent, &mut first, "closed").await;
    drop(open(&agent, &mut first, "dropped").await);
    let (done, ()) = tokio::join!(closed.close(), async {
        let request = first.expect("session/close").await;
        first.answer(&request, json!({})).await;
    });
    done.expect("closed");
    drop(first);
    again.initialize(offers).await;
    let request = again.expect("session/resume").await;
    assert_eq!(request["params"]["sessionId"], "kept");
    again.answer(&request, json!({})).await;
    // Nothing else comes: the prompt is next.
    assert_eq!(turn(&kept, &mut again, "on").await, ["on"]);
    assert!(matches!(closed.prompt("?").await, Err(Error::SessionClosed { .. })));
}

#[tokio::test]
async fn a_session_that_cannot_be_taken_up_says_so_and_the_others_go_on() {
    let (reconnect, mut wires) = over(3);
    let (mut third, mut again, mut first) =
        (wires.pop().expect("three"), wires.pop().expect("three"), wires.pop().expect("three"));
    let agent = started(reconnect, &mut first, resumes()).await;
    let one = open(&agent, &mut first, "one").await;
    let two = open(&agent, &mut first, "two").await;
    drop(first);
    again.initialize(resumes()).await;
    for _ in 0..2 {
        let request = again.expect("session/resume").await;
        if request["params"]["sessionId"] == "one" {
            again
                .fail(
                    &request,
                    json!({"code": -32002, "message": "no such session", "data": "deleted yesterday"}),
                )
                .await;
        } else {
            again.answer(&request, json!({})).await;
        }
    }
    assert_eq!(turn(&two, &mut again, "on").await, ["on"]);
    let error = one.prompt("?").await.expect_err("it is not there");
    assert!(matches!(&error, Error::NotRestored { session, .. } if session.as_str() == "one"), "{error:?}");
    assert!(error.to_string().contains("no such session (code -32002): deleted yesterday"), "{error}");
    let logged = format!("{error:?}");
    assert!(logged.contains("no such session") && !logged.contains("yesterday"), "{logged}");
    // The next start tries again. An agent that cannot take up sessions gets an error.
    drop(again);
    third.initialize(json!({})).await;
    let error = one.prompt("?").await.expect_err("it is not there");
    assert!(error.to_string().contains("`sessionCapabilities.resume` or `loadSession`"), "{error}");
    agent.close().await;
}

#[tokio::test(start_paused = true)]
async fn restarts_wait_longer_each_time_and_end_and_a_good_run_ends_the_row() {
    let (reconnect, mut wires) = over(4);
    wires.reverse();
    let policy = Restart::times(2).first_delay(Duration::from_secs(1)).stable_after(Duration::from_secs(100));
    let mut first = wires.pop().expect("four");
    let agent = started(reconnect.restart(policy), &mut first, json!({})).await;
    let mut waited = Vec::new();
    for round in 0..3 {
        let ended = tokio::time::Instant::now();
        drop(first);
        first = wires.pop().expect("four");
        first.initialize(json!({})).await;
        waited.push(ended.elapsed().as_secs());
        let status = agent.status_is(|status| status == AgentStatus::Connected).await;
        assert_eq!(status, AgentStatus::Connected, "in round {round}");
        if round == 0 {
            tokio::time::sleep(Duration::from_secs(200)).await;
        }
    }
    assert_eq!(waited, [1, 1, 2]);
    drop(first);
    assert_eq!(agent.status_is(|_| false).await, AgentStatus::GivenUp);
    let error = agent.current().await.expect_err("given up");
    assert!(matches!(&error, Error::GivenUp { restarts: 2, .. }), "{error:?}");
    assert!(error.to_string().contains("the peer closed it"), "{error}");
    agent.close().await;
}

#[tokio::test(start_paused = true)]
async fn the_time_to_initialize_and_the_time_to_restore_are_one_limit_each() {
    let (transports, wires): (VecDeque<Transport>, Vec<Wire>) = (0..3).map(|_| pipe()).unzip();
    let transports = Mutex::new(transports);
    let reconnect = acp_client::reconnecting(move || {
        let next = transports.lock().expect("not poisoned").pop_front().expect("three");
        acp_client::connect(next).initialize_timeout(Duration::from_secs(5))
    });
    let reconnect = reconnect.restart(at_once(3)).restore_timeout(Duration::from_secs(7));
    let [mut first, mut silent, mut slow] = <[Wire; 3]>::try_from(wires).ok().expect("three");
    let agent = started(reconnect, &mut first, resumes()).await;
    let one = open(&agent, &mut first, "one").await;
    let two = open(&agent, &mut first, "two").await;
    let start = tokio::time::Instant::now();
    drop(first);
    // The second start never answers, and is over before the third one begins.
    silent.expect("initialize").await;
    silent.expect("$/cancel_request").await;
    assert!(silent.next().await.is_none());
    drop(silent);
    slow.expect_initialize_after(Duration::from_secs(4)).await;
    // One session is restored slowly, within the limit. The other one is never restored.
    for _ in 0..2 {
        let request = slow.expect("session/resume").await;
        if request["params"]["sessionId"] == "one" {
            tokio::time::sleep(Duration::from_secs(6)).await;
            slow.answer(&request, json!({})).await;
        }
    }
    let status = agent.status_is(|status| status == AgentStatus::Connected).await;
    assert_eq!(status, AgentStatus::Connected);
    assert_eq!(start.elapsed().as_secs(), 5 + 4 + 7);
    slow.expect("$/cancel_request").await;
    assert_eq!(turn(&one, &mut slow, "on").await, ["on"]);
    let error = two.prompt("?").await.expect_err("it was not answered");
    assert!(error.to_string().contains("within 7s"), "{error}");
}

trait Slow {
    async fn expect_initialize_after(&mut self, time: Duration);
}

impl Slow for Wire {
    async fn expect_initialize_after(&mut self, time: Duration) {
        let request = self.expect("initialize").await;
        tokio::time::sleep(time).await;
        self.answer(&request, json!({"protocolVersion": 1, "agentCapabilities": resumes()})).await;
    }
}

#[tokio::test]
async fn what_fails_at_the_start_of_all_is_not_tried_again_and_a_login_is_repeated() {
    let (reconnect, mut wires) = over(1);
    let mut wire = wires.pop().expect("one");
    let (refused, ()) = tokio::join!(reconnect.into_future(), async {
        let request = wire.expect("initialize").await;
        wire.answer(&request, json!({"protocolVersion": 7})).await;
    });
    assert!(matches!(refused, Err(Error::Version { .. })));

    let (reconnect, wires) = over(3);
    let reconnect = reconnect.on_start(|agent| async move { agent.ext_request("_login", &()).await });
    let [mut first, mut refuses, mut again] = <[Wire; 3]>::try_from(wires).ok().expect("three");
    let login = async |wire: &mut Wire, works: bool| {
        wire.initialize(json!({})).await;
        let request = wire.expect("_login").await;
        match works {
            true => wire.answer(&request, Value::Null).await,
            false => wire.fail(&request, json!({"code": -32000, "message": "who are you?"})).await,
        }
    };
    let (agent, ()) = tokio::join!(reconnect.into_future(), login(&mut first, true));
    let agent = agent.expect("logged in");
    drop(first);
    login(&mut refuses, false).await;
    login(&mut again, true).await;
    agent.current().await.expect("back");
}

#[tokio::test]
async fn a_panic_where_it_is_started_is_an_error_and_no_wait_for_ever() {
    let (transport, mut wire) = pipe();
    let transport = Mutex::new(Some(transport));
    let reconnect = acp_client::reconnecting(move || {
        let first = transport.lock().expect("not poisoned").take();
        acp_client::connect(first.expect("a bug of the user's"))
    });
    let agent = started(reconnect.restart(at_once(3)), &mut wire, json!({})).await;
    drop(wire);
    agent.status_is(|status| status != AgentStatus::Connected).await;
    assert!(matches!(agent.current().await, Err(Error::GivenUp { restarts: 0, .. })));
    assert_eq!(agent.status_is(|_| false).await, AgentStatus::GivenUp);
    agent.close().await;
}

/// The answer that opens a session has arrived, but nobody has looked at it yet when the agent
/// ends.
#[tokio::test]
async fn a_session_that_is_opened_as_the_agent_ends_is_taken_up_or_said_to_be_gone() {
    for is_looked_at_in_time in [true, false] {
        let (reconnect, mut wires) = over(2);
        let (mut again, mut first) = (wires.pop().expect("two"), wires.pop().expect("two"));
        let agent = started(reconnect, &mut first, resumes()).await;
        let mut opening = Box::pin(agent.new_session("/work"));
        let request = tokio::select! {
            biased;
            _ = &mut opening => panic!("the agent has not answered"),
            request = first.expect("session/new") => request,
        };
        first.answer(&request, json!({"sessionId": "s1"})).await;
        let session = if is_looked_at_in_time {
            let session = opening.await.expect("opened");
            drop(first);
            again.initialize(resumes()).await;
            session
        } else {
            drop(first);
            again.initialize(resumes()).await;
            let error = opening.await.expect_err("it went with the agent");
            assert!(matches!(error, Error::Closed { session: Some(_), .. }), "{error}");
            open(&agent, &mut again, "s2").await
        };
        if is_looked_at_in_time {
            let request = again.expect("session/resume").await;
            again.answer(&request, json!({})).await;
        }
        assert_eq!(turn(&session, &mut again, "on").await, ["on"]);
    }
}

#[tokio::test]
async fn an_agent_that_ends_while_its_sessions_are_taken_up_is_started_once_more() {
    let (reconnect, wires) = over(3);
    let [mut first, mut weak, mut again] = <[Wire; 3]>::try_from(wires).ok().expect("three");
    let agent = started(reconnect, &mut first, resumes()).await;
    let session = open(&agent, &mut first, "s1").await;
    drop(first);
    weak.initialize(resumes()).await;
    weak.expect("session/resume").await;
    drop(weak);
    again.initialize(resumes()).await;
    let request = again.expect("session/resume").await;
    assert_eq!(agent.status(), AgentStatus::Restarting { restart: 2 });
    again.answer(&request, json!({})).await;
    assert_eq!(turn(&session, &mut again, "on").await, ["on"]);
}
