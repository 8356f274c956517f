//! Connections that are lost: sessions that the other side still has, and credentials that it
//! refuses.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use acp_client::{AgentStatus, Error, Source};
use serde_json::json;

use super::{at_once, open, over, resumes, started, turn};
use crate::common::pipe;

/// A server that has not noticed yet that the connection is lost still has the session.
#[tokio::test(start_paused = true)]
async fn a_session_that_is_open_elsewhere_is_asked_for_again_when_it_is_used() {
    let busy = json!({"code": -32600, "message": "open elsewhere"});
    let (reconnect, mut wires) = over(2);
    let (mut again, mut first) = (wires.pop().expect("two"), wires.pop().expect("two"));
    let reconnect = reconnect.restore_timeout(Duration::from_secs(20));
    let agent = started(reconnect, &mut first, resumes()).await;
    let session = open(&agent, &mut first, "s1").await;
    drop(first);
    again.initialize(resumes()).await;
    let request = again.expect("session/resume").await;
    again.fail(&request, busy.clone()).await;
    // It gives up after a time, and does not ask while nobody uses it.
    let asks = async {
        let mut asked = 0;
        loop {
            let request = again.expect("session/resume").await;
            again.fail(&request, busy.clone()).await;
            asked += 1;
            if asked == 9 {
                return;
            }
        }
    };
    let (refused, ()) = tokio::join!(session.prompt("?"), asks);
    let error = refused.expect_err("it is open elsewhere");
    assert!(matches!(&error, Error::NotRestored { .. }), "{error:?}");
    // Two uses at once ask together.
    let (one, two, ()) = tokio::join!(session.current(), session.current(), async {
        let request = again.expect("session/resume").await;
        again.fail(&request, busy.clone()).await;
        let request = again.expect("session/resume").await;
        again.answer(&request, json!({})).await;
    });
    one.expect("it is back");
    two.expect("it is back");
    assert_eq!(turn(&session, &mut again, "on").await, ["on"]);
}

/// An agent that says why it refuses a resumption would refuse to load the session, too.
#[tokio::test(start_paused = true)]
async fn a_session_that_cannot_be_resumed_for_now_is_not_loaded_instead() {
    let busy = json!({"acp-rs/store": {"kind": "busy", "sessionId": "s1"}});
    let busy = json!({"code": -32600, "message": "open elsewhere", "data": busy});
    let both = json!({"loadSession": true, "sessionCapabilities": {"resume": {}}});
    let (reconnect, mut wires) = over(2);
    let (mut again, mut first) = (wires.pop().expect("two"), wires.pop().expect("two"));
    let agent = started(reconnect, &mut first, both.clone()).await;
    let session = open(&agent, &mut first, "s1").await;
    drop(first);
    again.initialize(both).await;
    let request = again.expect("session/resume").await;
    again.fail(&request, busy).await;
    let (back, ()) = tokio::join!(session.current(), async {
        let request = again.expect("session/resume").await;
        again.answer(&request, json!({})).await;
    });
    back.expect("it is back");
}

/// rm-rec-03: version 1 does not tell if the turn lives. What still comes of it is shown outside a
/// turn.
#[tokio::test]
async fn what_comes_of_a_lost_turn_is_shown_outside_a_turn() {
    let (reconnect, mut wires) = over(2);
    let (mut again, mut first) = (wires.pop().expect("two"), wires.pop().expect("two"));
    let agent = started(reconnect, &mut first, resumes()).await;
    let session = open(&agent, &mut first, "s1").await;
    let (prompted, _) = tokio::join!(session.prompt("go"), first.expect("session/prompt"));
    drop(first);
    let lost = prompted.expect("sent").finish().await;
    assert!(matches!(lost, Err(Error::Closed { .. })), "{lost:?}");
    again.initialize(resumes()).await;
    let request = again.expect("session/resume").await;
    again.answer(&request, json!({})).await;
    let session = session.current().await.expect("it is back");
    let mut updates = session.updates();
    again.text("s1", "late").await;
    assert_eq!(updates.next().await.expect("an event").text(), Some("late"));
}

/// rm-rec-02: an agent whose transport tells its end has left for good.
#[tokio::test]
async fn an_agent_that_ends_in_order_is_given_up() {
    for tells in [true, false] {
        let ((one, mut first), (other, mut again)) = (pipe(), pipe());
        let one = if tells { one.ends_in_order() } else { one };
        let transports = Mutex::new(vec![other, one]);
        let reconnect = acp_client::reconnecting(move || {
            let next = transports.lock().expect("not poisoned").pop();
            acp_client::connect(next.expect("started twice"))
        });
        let agent = started(reconnect.restart(at_once(3)), &mut first, json!({})).await;
        drop(first);
        if tells {
            assert_eq!(agent.status_is(|_| false).await, AgentStatus::GivenUp);
            let given_up = agent.current().await;
            assert!(matches!(given_up, Err(Error::GivenUp { restarts: 0, .. })), "{given_up:?}");
        } else {
            again.initialize(json!({})).await;
            agent.current().await.expect("it is back");
        }
    }
}

/// rm-rec-02: credentials that are refused now would be refused the next time, too.
#[tokio::test]
async fn an_agent_that_refuses_the_credentials_is_given_up() {
    let denied = || std::io::Error::from(std::io::ErrorKind::PermissionDenied);
    let (transport, mut wire) = pipe();
    let transport = Arc::new(Mutex::new(Some(transport)));
    let reconnect = acp_client::reconnecting(move || {
        let transport = Arc::clone(&transport);
        acp_client::connect(Source::dial(move || {
            let next = transport.lock().expect("not poisoned").take();
            Box::pin(async move { next.ok_or_else(denied) })
        }))
    });
    let agent = started(reconnect.restart(at_once(3)), &mut wire, json!({})).await;
    drop(wire);
    assert_eq!(agent.status_is(|_| false).await, AgentStatus::GivenUp);
    assert!(matches!(agent.current().await, Err(Error::GivenUp { restarts: 1, .. })));
}
