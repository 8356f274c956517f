//! A relay between two connections: order, cancellation, errors, ids.

use acp_json::Node;
use acp_rpc::Options;
use acp_rpc::layer::{Only, Origins, Relay};
use serde_json::{Value, json};

use crate::common::{Lab, Wire, raw, soon};

/// The far ends of two connections with a relay between them.
struct Between {
    client: Wire,
    agent: Wire,
    origins: Origins,
}

/// Passes on everything but `echo`.
fn between() -> Between {
    let (of_client, of_agent) = Relay::pair();
    let layered =
        |relay: &Relay| Options::default().layer_in(Only::new(|method| method != "echo", relay.clone()));
    let (client, to_client, driver) = raw(Lab::new().0, layered(&of_client));
    tokio::spawn(driver);
    let (agent, to_agent, driver) = raw(Lab::new().0, layered(&of_agent));
    tokio::spawn(driver);
    of_client.pass_to(&to_agent);
    of_agent.pass_to(&to_client);
    Between { client, agent, origins: of_client.origins().clone() }
}

fn parsed(line: &str) -> Value {
    serde_json::from_str(line).unwrap()
}

fn request(id: u64, method: &str) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method}).to_string()
}

fn notification(method: &str) -> String {
    json!({"jsonrpc": "2.0", "method": method}).to_string()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_and_answers_keep_their_order() {
    const ROUNDS: u64 = 200;
    let Between { mut client, mut agent, .. } = between();
    let asked: Vec<String> = (0..ROUNDS)
        .flat_map(|n| [request(n, &format!("ask {n}")), notification(&format!("tell {n}"))])
        .collect();
    client.send(asked.join("\n")).await;
    let mut answers = Vec::new();
    for n in 0..ROUNDS {
        let (asked, told) = (parsed(&agent.next().await), parsed(&agent.next().await));
        assert_eq!(
            (&asked["method"], &told["method"]),
            (&json!(format!("ask {n}")), &json!(format!("tell {n}")))
        );
        answers.push(notification(&format!("before {n}")));
        answers.push(json!({"jsonrpc": "2.0", "id": asked["id"], "result": n}).to_string());
        answers.push(notification(&format!("after {n}")));
        answers.push(request(n, &format!("question {n}")));
    }
    agent.send(answers.join("\n")).await;
    for n in 0..ROUNDS {
        assert_eq!(parsed(&client.next().await)["method"], format!("before {n}"));
        let answer = parsed(&client.next().await);
        assert_eq!((&answer["id"], &answer["result"]), (&json!(n), &json!(n)));
        assert_eq!(parsed(&client.next().await)["method"], format!("after {n}"));
        assert_eq!(parsed(&client.next().await)["method"], format!("question {n}"));
    }
}

#[tokio::test]
async fn messages_pass_as_they_are() {
    let Between { mut client, mut agent, .. } = between();
    client.send(r#"{"jsonrpc":"2.0","method":"_a","params":{"b":[null],"a":18446744073709551615}}"#).await;
    let passed = r#"{"jsonrpc":"2.0","method":"_a","params":{"b":[null],"a":18446744073709551615}}"#;
    assert_eq!(agent.next().await, passed);
    agent.send(r#"{"jsonrpc":"2.0","id":"x","method":"_ask","params":[]}"#).await;
    let asked = parsed(&client.next().await);
    assert_eq!((&asked["method"], &asked["params"]), (&json!("_ask"), &json!([])));
    let error = json!({"code": -5, "message": "no", "data": {"why": 1}});
    client.send(json!({"jsonrpc": "2.0", "id": asked["id"], "error": error}).to_string()).await;
    let answer = parsed(&agent.next().await);
    assert_eq!((&answer["id"], &answer["error"]), (&json!("x"), &error));
    // Other methods are served here.
    client.send(r#"{"jsonrpc":"2.0","id":1,"method":"echo","params":[1]}"#).await;
    assert_eq!(client.next().await, r#"{"jsonrpc":"2.0","id":1,"result":[1]}"#);
}

#[tokio::test]
async fn a_cancelled_request_is_still_answered_by_its_peer() {
    let Between { mut client, mut agent, origins } = between();
    client.send(r#"{"jsonrpc":"2.0","id":"mine","method":"work"}"#).await;
    let asked = parsed(&agent.next().await);
    let id = Node::U64(asked["id"].as_u64().unwrap());
    assert_eq!(origins.of(&id), Some(Node::Str("mine".into())));
    client.send(r#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"mine"}}"#).await;
    let cancelled = parsed(&agent.next().await);
    assert_eq!(
        (&cancelled["method"], &cancelled["params"]["requestId"]),
        (&json!("$/cancel_request"), &asked["id"])
    );
    agent.send(json!({"jsonrpc": "2.0", "id": asked["id"], "result": "half"}).to_string()).await;
    assert_eq!(client.next().await, r#"{"jsonrpc":"2.0","id":"mine","result":"half"}"#);
    assert_eq!(origins.of(&id), None);
}

#[tokio::test]
async fn a_request_to_a_peer_that_goes_is_answered() {
    let Between { mut client, mut agent, .. } = between();
    client.send(request(1, "work")).await;
    agent.next().await;
    agent.shut_down().await;
    let answer = parsed(&client.next().await);
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(1), &json!(-32603)));
    client.send(request(2, "work")).await;
    assert_eq!(parsed(&client.next().await)["id"], 2);
}

#[tokio::test]
async fn messages_wait_until_their_peer_is_known() {
    let (of_client, of_agent) = Relay::pair();
    let options = |relay: &Relay| Options::default().layer_in(relay.clone());
    let (mut client, _, driver) = raw(Lab::new().0, options(&of_client));
    tokio::spawn(driver);
    client.send(request(1, "first")).await;
    client.send(notification("second")).await;
    let (mut agent, to_agent, driver) = raw(Lab::new().0, options(&of_agent));
    tokio::spawn(driver);
    of_client.pass_to(&to_agent);
    for method in ["first", "second"] {
        assert_eq!(parsed(&soon("a message", agent.next()).await)["method"], method);
    }
}
