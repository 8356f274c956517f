//! Calls that go to the agent that runs now.

use acp_client::ReconnectingAgent;
use serde_json::json;

use super::{over, started};
use crate::common::Wire;

/// Answers one call of this method.
async fn served(wire: &mut Wire, method: &str, result: serde_json::Value) {
    let request = wire.expect(method).await;
    wire.answer(&request, result).await;
}

/// Makes each call, which this end serves.
async fn calls(agent: &ReconnectingAgent, wire: &mut Wire) {
    let (done, ()) = tokio::join!(agent.logout(), served(wire, "logout", json!({})));
    done.unwrap();
    let (done, ()) = tokio::join!(agent.delete_session("old"), served(wire, "session/delete", json!({})));
    done.unwrap();
    let page = json!({"sessions": [{"sessionId": "old", "cwd": "/work"}]});
    let (listed, ()) = tokio::join!(agent.list_sessions(), served(wire, "session/list", page));
    assert_eq!(listed.unwrap()[0].session_id.as_str(), "old");
    let params = json!({"n": 1});
    let (answer, ()) =
        tokio::join!(agent.ext_request::<u32>("_n/twice", &params), served(wire, "_n/twice", json!(2)));
    assert_eq!(answer.unwrap(), 2);
    let (sent, notified) = tokio::join!(agent.ext_notify("_n/seen", &params), wire.expect("_n/seen"));
    sent.unwrap();
    assert_eq!(notified["params"], params);
    assert!(agent.capabilities().await.unwrap().session_capabilities.delete.is_some());
    assert!(agent.authenticate("nope").await.is_err(), "it was not advertised");
}

#[tokio::test]
async fn calls_go_to_the_agent_that_runs_now() {
    let (reconnect, mut wires) = over(2);
    let (mut second, mut first) = (wires.pop().unwrap(), wires.pop().unwrap());
    let capabilities = json!({"auth": {"logout": {}}, "sessionCapabilities": {"list": {}, "delete": {}}});
    let agent = started(reconnect, &mut first, capabilities.clone()).await;
    calls(&agent, &mut first).await;
    drop(first);
    // A call waits for the second agent.
    let (name, _) = tokio::join!(agent.info(), second.initialize(capabilities));
    assert!(name.unwrap().is_none());
    calls(&agent, &mut second).await;
}
