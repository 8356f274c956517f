//! The rules as they show in a conversation of others.

use std::sync::{Arc, Mutex};

use acp_agent::store::MemoryStore;
use acp_client::tap::{Direction, Tap};
use acp_client::{Elicitation, ElicitationAnswer, Options, PermissionPolicy, ProtocolVersion, Transport};
use acp_testkit::check::{Breach, observe};
use acp_types::method::Side;
use serde_json::{Value, json};

use super::agents::Full;

fn said(side: Side, value: &Value) -> (Side, Vec<u8>) {
    (side, value.to_string().into_bytes())
}

/// Has a conversation of an agent and a client that do everything right.
async fn conversation(version: ProtocolVersion) -> Vec<(Side, Vec<u8>)> {
    let lines = Arc::<Mutex<Vec<_>>>::default();
    let (client, served) = tokio::io::duplex(64 * 1024);
    let agent = Full(MemoryStore::new(1 << 20));
    tokio::spawn(acp_agent::serve(agent, acp_agent::Transport::from_stream(served)));
    let seen = Arc::clone(&lines);
    let tap = Tap::raw(move |traffic| {
        let side = if traffic.direction == Direction::Out { Side::Client } else { Side::Agent };
        seen.lock().unwrap().push((side, traffic.line.unwrap().to_vec()));
    });
    let agent = acp_client::connect(Transport::from_stream(client));
    // A client without the feature has no other version to choose.
    #[cfg(feature = "v2")]
    let agent = agent.versions([version]);
    #[cfg(not(feature = "v2"))]
    assert_eq!(version, ProtocolVersion::V1);
    let agent = agent
        .permissions(PermissionPolicy::allow_once())
        .elicitation(Elicitation::new().form(|_| async { ElicitationAnswer::Cancel }))
        .options(Options::default().tap(tap))
        .await
        .unwrap();
    agent.authenticate("key").await.unwrap();
    let session = agent.new_session("/work").await.unwrap();
    session.set_config_option("effort", "fast").await.ok();
    for prompt in ["hello", "show", "permission", "forms", "fail"] {
        let mut turn = session.prompt(prompt).await.unwrap();
        while turn.next().await.is_some() {}
        assert_eq!(turn.finish().await.is_ok(), prompt != "fail", "{prompt}");
    }
    let mut turn = session.prompt("endless").await.unwrap();
    while turn.next().await.unwrap().text() != Some("working") {}
    session.cancel().unwrap();
    while turn.next().await.is_some() {}
    turn.finish().await.unwrap();
    assert!(agent.list_sessions().next().await.is_some());
    session.close().await.unwrap();
    std::mem::take(&mut lines.lock().unwrap())
}

async fn conversations() -> Vec<Vec<(Side, Vec<u8>)>> {
    let versions = [
        ProtocolVersion::V1,
        #[cfg(feature = "v2")]
        ProtocolVersion::V2,
    ];
    let mut all = Vec::new();
    for version in versions {
        let lines = conversation(version).await;
        assert!(lines.len() > 40, "{}", lines.len());
        all.push(lines);
    }
    all
}

fn ids(breaches: &[Breach]) -> Vec<(&str, Side, &[usize])> {
    breaches.iter().map(|breach| (&*breach.rule.id, breach.side, &breach.lines[..])).collect()
}

#[tokio::test]
async fn nobody_is_blamed_for_what_is_right() {
    for lines in conversations().await {
        assert_eq!(observe(lines), []);
    }
}

/// A conversation that goes on is judged by what was said so far.
#[tokio::test]
async fn nobody_is_blamed_for_what_is_still_to_come() {
    for lines in conversations().await {
        for end in 0..lines.len() {
            assert_eq!(observe(lines[..end].to_vec()), [], "after {end} lines");
        }
    }
}

#[test]
fn a_breach_names_its_rule_its_side_and_its_lines() {
    let call = |id: u32, method: &str, params: Value| json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    let give = |id: u32, result: Value| json!({"jsonrpc": "2.0", "id": id, "result": result});
    let update = |update: Value| json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": update}});
    let lines = [
        said(Side::Client, &call(0, "initialize", json!({"protocolVersion": 1}))),
        said(Side::Agent, &give(0, json!({"protocolVersion": 1}))),
        said(Side::Client, &call(1, "session/new", json!({"cwd": "here", "mcpServers": []}))),
        said(Side::Agent, &give(1, json!({"sessionId": "s"}))),
        said(Side::Client, &call(2, "session/prompt", json!({"sessionId": "s", "prompt": []}))),
        said(
            Side::Agent,
            &update(json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "song"}})),
        ),
        // The client has not offered it.
        said(Side::Agent, &call(0, "fs/read_text_file", json!({"sessionId": "s", "path": "/a"}))),
        (Side::Agent, b"a word".to_vec()),
    ];
    let breaches = observe(lines);
    for expected in [
        ("v1-new-03", Side::Client, &[2][..]),
        ("v1-cont-01", Side::Agent, &[5]),
        ("v1-cap-11", Side::Agent, &[6]),
        ("v1-tr-04", Side::Agent, &[7]),
    ] {
        assert!(ids(&breaches).contains(&expected), "{expected:?} is not among {:?}", ids(&breaches));
    }
    assert!(breaches.iter().all(|breach| !breach.reason.is_empty()));
    assert!(breaches.is_sorted_by_key(|breach| breach.lines.iter().max().copied()));
}

/// A breach that comes a thousand times is told a hundred times.
#[test]
fn the_number_of_breaches_is_bounded() {
    let lines = std::iter::repeat_n((Side::Agent, b"a word".to_vec()), 1000);
    let breaches = observe(lines);
    assert_eq!(breaches.iter().filter(|breach| breach.rule.id == "v1-tr-04").count(), 100);
}
