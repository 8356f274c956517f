//! Messages for a turn that runs: an extension in version 1, a second prompt in version 2.

use serde_json::{Value, json};

use super::raw::{Raw, V1, V2, opened_as, opened_with};

fn prompt(text: &str) -> Value {
    json!({"sessionId": "s", "prompt": [{"type": "text", "text": text}]})
}

fn message(text: &str) -> Value {
    let meta = json!({"acme.dev/a": 1, "steering": {"idleBehavior": "promptRequired"}});
    json!({"sessionId": "s", "prompt": [{"type": "text", "text": text}], "_meta": meta})
}

fn state(state: &str) -> Value {
    match state {
        "idle" => json!({"sessionUpdate": "state_update", "state": "idle", "stopReason": "end_turn"}),
        state => json!({"sessionUpdate": "state_update", "state": state}),
    }
}

fn said(text: &str) -> Value {
    json!({"sessionUpdate": "agent_message_chunk", "messageId": text, "content": {"type": "text", "text": text}})
}

/// Begins a turn of an agent of version 2, and sends a message into it. Returns the prompt that the
/// agent gets.
async fn steered(client: &mut Raw, agent: &mut Raw) -> Value {
    client.ask(3, "session/prompt", prompt("first")).await;
    agent.answer("session/prompt", json!({"messageId": "m1"})).await;
    agent.update(state("running")).await;
    client.ask(4, "_session/steering", message("second")).await;
    let second = agent.get("session/prompt").await;
    assert_eq!(second["params"]["prompt"], prompt("second")["prompt"]);
    assert_eq!(second["params"]["_meta"], json!({"acme.dev/a": 1}));
    second
}

#[tokio::test]
async fn a_message_of_version_1_is_a_second_prompt() {
    // The agent takes it into the turn, or refuses it.
    let refused = json!({"code": -32600, "message": "busy"});
    for (answer, outcome) in [(Ok(json!({"messageId": "m2"})), "injected"), (Err(refused), "promptRequired")]
    {
        let (mut client, mut agent) = opened_as(V1, V2).await;
        let second = steered(&mut client, &mut agent).await;
        match answer {
            Ok(result) => agent.result(&second, result).await,
            Err(error) => agent.error(&second, error).await,
        }
        assert_eq!(client.answered(4).await["result"]["outcome"], outcome);
        agent.update(state("idle")).await;
        assert_eq!(client.answered(3).await["result"]["stopReason"], "end_turn");
    }
}

#[tokio::test]
async fn a_message_that_the_agent_holds_begins_a_turn_that_is_not_the_clients() {
    let (mut client, mut agent) = opened_as(V1, V2).await;
    let second = steered(&mut client, &mut agent).await;
    agent.update(state("idle")).await;
    agent.result(&second, json!({"messageId": "m2"})).await;
    agent.update(state("running")).await;
    agent.update(said("later")).await;
    agent.update(state("idle")).await;
    let mut answers = Vec::new();
    let mut updates = Vec::new();
    while answers.len() < 2 || updates.is_empty() {
        let message = client.read().await;
        match message["id"].as_u64() {
            Some(3) => answers.push(message["result"]["stopReason"].clone()),
            Some(_) => answers.push(message["result"]["outcome"].clone()),
            None => updates.push(message["params"]["update"]["content"]["text"].clone()),
        }
    }
    assert!(
        answers.contains(&json!("startedNewTurn")) && answers.contains(&json!("end_turn")),
        "{answers:?}"
    );
    assert_eq!(updates, ["later"]);
}

#[tokio::test]
async fn a_message_that_is_withdrawn_is_withdrawn_from_the_agent() {
    let (mut client, mut agent) = opened_as(V1, V2).await;
    let second = steered(&mut client, &mut agent).await;
    client.notify("$/cancel_request", json!({"requestId": 4})).await;
    assert_eq!(agent.get("$/cancel_request").await["params"]["requestId"], second["id"]);
    agent.error(&second, json!({"code": -32800, "message": "cancelled"})).await;
    agent.update(state("idle")).await;
    let read = client.until(|message| message["id"] == 3).await;
    assert!(read.iter().any(|message| message["id"] == 4), "{read:#?}");
}

/// Begins a turn of an agent of version 1 that can be steered, and sends a second prompt.
async fn prompted() -> (Raw, Raw, Value, Value) {
    let (mut client, mut agent) = opened_with(V2, V1, json!({"steering": {"supported": true}})).await;
    client.ask(3, "session/prompt", prompt("first")).await;
    let first = agent.get("session/prompt").await;
    client.ask(4, "session/prompt", prompt("second")).await;
    let second = agent.get("_session/steering").await;
    assert_eq!(second["params"]["prompt"], prompt("second")["prompt"]);
    assert_eq!(second["params"]["_meta"]["steering"]["idleBehavior"], "promptRequired");
    (client, agent, first, second)
}

#[tokio::test]
async fn a_second_prompt_of_version_2_is_a_message_for_the_turn() {
    let (mut client, mut agent, first, second) = prompted().await;
    agent.result(&second, json!({"outcome": "injected"})).await;
    assert!(client.answered(4).await["result"]["messageId"].is_string());
    // One end of the turn is the end of both.
    agent.result(&first, json!({"stopReason": "end_turn"})).await;
    client.until(|message| message["params"]["update"]["state"] == "idle").await;
    client.ask(5, "session/prompt", prompt("third")).await;
    assert_eq!(agent.get("session/prompt").await["params"]["prompt"], prompt("third")["prompt"]);
}

#[tokio::test]
async fn a_second_prompt_that_the_turn_does_not_take_waits_in_the_bridge() {
    let (mut client, mut agent, first, second) = prompted().await;
    agent.result(&second, json!({"outcome": "promptRequired"})).await;
    agent.result(&first, json!({"stopReason": "end_turn"})).await;
    let again = agent.get("session/prompt").await;
    assert_eq!(again["params"]["prompt"], prompt("second")["prompt"]);
    agent.result(&again, json!({"stopReason": "max_tokens"})).await;
    let read = client.until(|message| message["params"]["update"]["stopReason"] == "max_tokens").await;
    let inserted = read.iter().position(|message| message["id"] == 4).expect("it is answered");
    let idle = |message: &Value| message["params"]["update"]["stopReason"] == "end_turn";
    assert!(read.iter().position(idle).expect("the first turn ends") < inserted, "{read:#?}");
}

/// The turn of the agent is over before it has answered.
#[tokio::test]
async fn a_second_prompt_that_comes_too_late_gets_a_turn_of_its_own() {
    let (_client, mut agent, first, second) = prompted().await;
    agent.result(&first, json!({"stopReason": "end_turn"})).await;
    let read = agent.until(|message| message["method"] == "session/prompt").await;
    assert_eq!(read[read.len() - 1]["params"]["prompt"], prompt("second")["prompt"]);
    // The message was withdrawn, so that the agent does not take it as well.
    assert_eq!(read[0]["params"]["requestId"], second["id"], "{read:#?}");
}
