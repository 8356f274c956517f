//! A turn whose connection was lost, after the session was resumed.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;

use acp_client::{Error, Event, ProtocolVersion, Restart, StateKind, Transport};
use serde_json::json;

use super::{idle, initialized, state, text};
use crate::common::{Wire, pipe};

async fn initialize(wire: &mut Wire) {
    let request = wire.expect("initialize").await;
    wire.answer(&request, initialized(json!({"session": {}}))).await;
}

/// rm-rec-03: the state that comes with the resumption tells if the turn lives.
#[tokio::test]
async fn the_state_after_a_resumption_tells_if_the_turn_lives() {
    for lives in [true, false] {
        let ((one, mut first), (other, mut again)) = (pipe(), pipe());
        let transports: Mutex<VecDeque<Transport>> = Mutex::new([one, other].into());
        let reconnect = acp_client::reconnecting(move || {
            let next = transports.lock().expect("not poisoned").pop_front();
            acp_client::connect(next.expect("started twice")).versions([ProtocolVersion::V2])
        });
        let reconnect = reconnect.restart(Restart::times(1).first_delay(Duration::ZERO));
        let (agent, ()) = tokio::join!(reconnect.into_future(), initialize(&mut first));
        let agent = agent.expect("it starts");
        let (session, ()) = tokio::join!(agent.new_session("/work"), async {
            let request = first.expect("session/new").await;
            first.answer(&request, json!({"sessionId": "s1"})).await;
        });
        let session = session.expect("opened");
        let (turn, ()) = tokio::join!(session.prompt("go"), async {
            let request = first.expect("session/prompt").await;
            first.answer(&request, json!({"messageId": "m1"})).await;
        });
        first.update("s1", state("running")).await;
        drop(first);
        let lost = turn.expect("answered").finish().await;
        assert!(matches!(lost, Err(Error::Closed { .. })), "{lost:?}");

        initialize(&mut again).await;
        let request = again.expect("session/resume").await;
        again.update("s1", if lives { state("running") } else { idle("cancelled") }).await;
        again.answer(&request, json!({})).await;
        let session = session.current().await.expect("it is back");
        let mut updates = session.updates();
        let Some(Event::State(now)) = updates.next().await else { panic!("a state") };
        assert_eq!(now.kind == StateKind::Running, lives, "{now:?}");
        if lives {
            // What comes of it is shown outside a turn.
            again.update("s1", text("m2", "late")).await;
            assert_eq!(updates.next().await.expect("an event").text(), Some("late"));
        }
    }
}
