//! Options at their extremes: each value works, or is refused if its row says so.

use std::time::Duration;

use acp_proxy::{Conductor, McpBridge, Policy, Proxy};
use serde_json::{Value, json};

use super::common::{End, end, serve, soon};

/// Runs a request through a chain, and returns its answer.
async fn play(conductor: Conductor) -> Value {
    let (here, there) = acp_rpc::Transport::duplex();
    tokio::spawn(Conductor::new().proxy(Proxy::new("inner")).serve(there));
    let (transport, agent) = end();
    let handled =
        Proxy::new("p").raw_request(acp_proxy::Toward::Agent, "_ask", async |_, next| next.run().await);
    let conductor = conductor.proxy(handled).process(here, Policy::Required).agent(transport);
    let (mut client, serving) = serve(conductor);
    let answering = tokio::spawn(answer(agent));
    client.ask(1, "initialize", json!({"protocolVersion": 1})).await;
    let mut answer = client.value().await;
    if answer.get("error").is_none() {
        client.ask(1, "_ask", json!({"text": "x".repeat(5000)})).await;
        answer = client.value().await;
    }
    client.close().await;
    soon("the end", serving).await.unwrap().unwrap();
    soon("the end of the agent", answering).await.unwrap();
    answer["error"]["code"].take()
}

async fn answer(mut agent: End) {
    while let Some(line) = agent.last().await {
        let message: Value = serde_json::from_str(&line).unwrap();
        agent.answer(&message["id"], json!({"protocolVersion": message["params"]["protocolVersion"]})).await;
    }
}

#[tokio::test]
async fn every_option_works_at_its_extremes() {
    type Set<T> = fn(T) -> Conductor;
    let works = Value::Null;
    let refused = json!(-32600);
    for (size, outcome) in [(0, &refused), (1, &refused), (usize::MAX, &works)] {
        assert_eq!(play(Conductor::new().max_line(size)).await, *outcome, "Conductor::max_line");
    }
    let sizes: [(&str, Set<usize>); 1] = [("Conductor::budget", |bytes| Conductor::new().budget(bytes))];
    for (name, set) in sizes {
        for size in [0, 1, usize::MAX] {
            assert_eq!(play(set(size)).await, works, "{name}({size})");
        }
    }
    let times: [(&str, Set<Duration>); 3] = [
        ("Conductor::drain", |time| Conductor::new().drain(time)),
        ("Conductor::restart_timeout", |time| Conductor::new().restart_timeout(time)),
        ("McpBridge::stall_timeout", |time| {
            Conductor::new().mcp_bridge(McpBridge::new().stall_timeout(time))
        }),
    ];
    for (name, set) in times {
        for time in [Duration::ZERO, Duration::from_nanos(1), Duration::MAX] {
            assert_eq!(play(set(time)).await, works, "{name}({time:?})");
        }
    }
    let versions: [(&str, Set<u64>); 1] =
        [("Conductor::highest_version", |version| Conductor::new().highest_version(version))];
    for (name, set) in versions {
        for version in [0, 1, u64::MAX] {
            assert_eq!(play(set(version)).await, works, "{name}({version})");
        }
    }
}
