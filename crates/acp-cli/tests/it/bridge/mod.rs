//! `acp bridge`: the transcript of a client is the same as without it.

#[cfg(unix)]
mod login;
mod modes;
mod passing;
mod plays;
mod raw;
mod scenes;
mod script;
mod steering;
mod versions;

use std::sync::Arc;
use std::time::Duration;

use acp_agent::Options;
use acp_cli::bridge::Bridge;
use acp_client::{LocalTerminals, ProtocolVersion, Transport};

use self::plays::{Client, is_done};
use self::scenes::Scenes;

/// The scenes. Those of the second list differ by the versions, and are compared by other tests.
const SCENES: [&str; 28] = [
    "say",
    "stream",
    "thought",
    "tools",
    "plan",
    "ask: allowed",
    "ask: rejected",
    "elicit",
    "commands",
    "modes",
    "mode of the agent",
    "options",
    "options of the agent",
    "title",
    "usage",
    "error",
    "panic",
    "refusal",
    "tokens",
    "queue",
    "cancel",
    "cancel while asking",
    "cancel while queued",
    "close",
    "list, load, resume",
    "background",
    "login",
    "delete",
];

/// A guard against hanging.
const PATIENCE: Duration = Duration::from_secs(60);

/// An agent, by itself.
fn direct() -> Transport {
    let (near, far) = Transport::duplex();
    tokio::spawn(acp_agent::serve_with(Arc::new(Scenes::new()), far, Options::default()));
    near
}

/// A bridge to an agent of this version.
fn bridge(to: ProtocolVersion, agent: Transport) -> Transport {
    let (near, far) = Transport::duplex();
    tokio::spawn(Bridge::new(acp_client::connect(agent).versions([to])).serve(far));
    near
}

async fn play(client: &Client, scene: &str) -> Vec<String> {
    let played = tokio::time::timeout(PATIENCE, client.play(scene)).await;
    played.unwrap_or_else(|_| panic!("{scene} hangs"))
}

/// Compares the scenes that are played through bridges to agents of these versions with those that
/// are played without them. The first bridge is next to the client.
async fn compare(bridges: &[ProtocolVersion]) {
    let through = bridges.iter().rev().fold(direct(), |agent, to| bridge(*to, agent));
    compare_with(through, bridges).await;
}

async fn compare_with(through: Transport, bridges: &[ProtocolVersion]) {
    let plain = Client::connect(direct()).await;
    let through = Client::connect(through).await;
    assert_eq!(through.agent.info(), plain.agent.info());
    let mut different = Vec::new();
    for scene in SCENES {
        let (expected, seen) = (play(&plain, scene).await, play(&through, scene).await);
        assert!(!expected.is_empty(), "{scene} shows nothing");
        if expected != seen {
            different.push(format!("{scene}\nwithout: {expected:#?}\nthrough {bridges:?}: {seen:#?}"));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n\n"));
    assert!(is_done(&play(&through, "say").await));
}

#[tokio::test]
async fn an_agent_of_version_2_is_the_same_behind_a_bridge() {
    compare(&[ProtocolVersion::V2]).await;
}

#[tokio::test]
async fn an_agent_of_version_1_is_the_same_behind_a_bridge() {
    compare(&[ProtocolVersion::V1]).await;
}

#[tokio::test]
async fn an_agent_of_version_1_is_the_same_behind_two_bridges() {
    compare(&[ProtocolVersion::V2, ProtocolVersion::V1]).await;
}

/// Such a bridge reads every message, although both sides speak one version.
#[tokio::test]
async fn an_agent_of_version_1_is_the_same_behind_a_bridge_that_serves_terminals() {
    let (near, far) = Transport::duplex();
    let bridge = Bridge::new(acp_client::connect(direct()).versions([ProtocolVersion::V1]));
    tokio::spawn(bridge.serve_terminals(LocalTerminals::new()).serve(far));
    compare_with(near, &[ProtocolVersion::V1]).await;
}
