//! Every fault of a line that the kit can make, against an agent and a client of ours: the answer,
//! and the next message, which is served.

use acp_agent::{Result, Serve, StopReason, Turn, agent};
use acp_client::Agent;
use acp_testkit::{Garble, Script, ScriptedPeer};
use serde_json::json;

struct Echo;

#[agent(name = "echo", version = "1")]
impl Echo {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        turn.say(turn.text()).await?;
        Ok(StopReason::EndTurn)
    }
}

/// The faults of `session/new`, and the codes of the answers. No code stands for a result.
const OF_REQUESTS: &[(Garble, &[Option<i64>])] = &[
    (Garble::Banner, &[Some(-32700), None]),
    (Garble::Blank, &[None]),
    (Garble::ByteOrderMark, &[None]),
    (Garble::CarriageReturn, &[None]),
    (Garble::Cut, &[Some(-32700)]),
    (Garble::Scalar, &[Some(-32600)]),
    (Garble::Batch, &[Some(-32600)]),
    (Garble::EmptyBatch, &[Some(-32600)]),
    (Garble::NotUtf8, &[Some(-32700)]),
    (Garble::NoVersion, &[Some(-32600)]),
    (Garble::Deep(20), &[None]),
    (Garble::Deep(200), &[Some(-32700)]),
    (Garble::Long(100_000), &[None]),
    (Garble::Noise(100_000), &[Some(-32700)]),
    (Garble::UnknownId, &[None]),
    (Garble::NullId, &[None]),
    (Garble::FractionId, &[Some(-32600)]),
    (Garble::HugeId, &[Some(-32600)]),
    (Garble::BadParams, &[Some(-32602)]),
];

#[tokio::test]
async fn an_agent_answers_a_broken_request_and_serves_the_next() {
    for (fault, codes) in OF_REQUESTS {
        let (transport, mut client) = ScriptedPeer::pair();
        let served = tokio::spawn(Serve::new(Echo).over(transport));
        client.call("initialize", json!({"protocolVersion": 1})).await.unwrap();
        let setup = json!({"cwd": "/", "mcpServers": []});
        let script = Script::new().garble(*fault).request("session/new", setup);
        let mut client = script.run(client).await.unwrap();
        for code in *codes {
            let answer = client.next().await.unwrap().unwrap();
            assert_eq!(answer.code(), *code, "{fault:?}: {answer:?}");
            assert!(answer.is_answer(), "{fault:?}: {answer:?}");
        }
        let id = client.request("_acme/next", json!({})).await.unwrap();
        let next = client.expect_answer(&id).await.unwrap();
        assert_eq!(next.code(), Some(-32601), "{fault:?}");
        client.close().await;
        client.expect_end().await.unwrap();
        served.await.unwrap().unwrap();
    }
}

/// A line that is glued to the next one, and one that comes twice while it is served.
#[tokio::test]
async fn an_agent_refuses_glued_lines_and_an_id_that_is_in_use() {
    let (transport, mut client) = ScriptedPeer::pair();
    let served = tokio::spawn(Serve::new(Echo).over(transport));
    client.call("initialize", json!({"protocolVersion": 1})).await.unwrap();
    let script = Script::new().garble(Garble::Unended).request("_acme/one", json!({})).raw("\n");
    let mut client =
        script.garble(Garble::Unended).request("_acme/two", json!({})).run(client).await.unwrap();
    assert_eq!(client.next().await.unwrap().unwrap().code(), Some(-32601));
    let id = client.request("_acme/three", json!({})).await.unwrap();
    assert_eq!(client.next().await.unwrap().unwrap().code(), Some(-32700));
    assert_ne!(client.call("_acme/next", json!({})).await.unwrap().id(), Some(&id));
    client.close().await;
    client.expect_end().await.unwrap();
    served.await.unwrap().unwrap();
}

/// The faults of a notification of the agent before its answer. A client passes over what it cannot
/// read, and the answer comes.
const OF_AGENTS: &[Garble] = &[
    Garble::Banner,
    Garble::Blank,
    Garble::ByteOrderMark,
    Garble::CarriageReturn,
    Garble::Cut,
    Garble::Scalar,
    Garble::Batch,
    Garble::EmptyBatch,
    Garble::NotUtf8,
    Garble::NoVersion,
    Garble::Deep(200),
    Garble::Long(100_000),
    Garble::Noise(100_000),
    Garble::Twice,
    Garble::BadParams,
];

async fn connect(fault: Garble, garbles_answer: bool) -> (Option<Agent>, ScriptedPeer) {
    let (transport, agent) = ScriptedPeer::pair();
    let (answer, noted) = (json!({"protocolVersion": 1}), json!({"n": 1}));
    let script = Script::new().expect("initialize");
    let script = match garbles_answer {
        // The answer under an id that nobody has used, and then the right one.
        true => script.raw(fault.bytes(&json!({"jsonrpc": "2.0", "id": 0, "result": answer}).to_string())),
        false => script.garble(fault).notify("_acme/noted", noted),
    };
    let script = script.answer(answer);
    let (connected, agent) = tokio::join!(acp_client::connect(transport).into_future(), script.run(agent));
    (connected.ok(), agent.unwrap())
}

#[tokio::test]
async fn a_client_passes_over_a_broken_line_of_its_agent() {
    let faults = OF_AGENTS.iter().map(|fault| (*fault, false)).chain([(Garble::UnknownId, true)]);
    for (fault, garbles_answer) in faults {
        let (connected, mut agent) = connect(fault, garbles_answer).await;
        let connected = connected.unwrap_or_else(|| panic!("{fault:?}"));
        let asking = tokio::spawn(async move { connected.ext_request("_acme/next", &()).await });
        let next = loop {
            // A broken request of the agent is answered with an error.
            let message = agent.next().await.unwrap().unwrap();
            if !message.is_answer() {
                break message;
            }
        };
        assert_eq!(next.method(), Some("_acme/next"), "{fault:?}: {next:?}");
        agent.answer(&next, json!({"here": true})).await.unwrap();
        let answer: acp_client::Value = asking.await.unwrap().unwrap();
        assert_eq!(answer.to_string(), r#"{"here":true}"#, "{fault:?}");
    }
}
