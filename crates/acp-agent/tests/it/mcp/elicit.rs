//! Questions of servers to the user, through the client.

use serde_json::json;

use crate::mcp::{Obedient, one, said};

/// Rule `acp-mcp-09`: an empty capability means forms in MCP, and nothing in ACP.
#[tokio::test]
async fn servers_are_told_what_the_client_can_be_asked() {
    for (offered, declared) in [
        (json!({}), vec![]),
        (json!({"elicitation": {}}), vec![]),
        (json!({"elicitation": {"form": {}}}), vec!["form"]),
        (json!({"elicitation": {"form": {}, "url": {}}}), vec!["form", "url"]),
    ] {
        let (mut wire, session) = one(Obedient, offered.clone()).await;
        let told = said(&mut wire, &session, "call one__capabilities").await;
        let told: serde_json::Value = serde_json::from_str(told.strip_prefix("false ").unwrap()).unwrap();
        let modes: Vec<&String> =
            told["elicitation"].as_object().into_iter().flat_map(|modes| modes.keys()).collect();
        assert_eq!(modes, declared, "{offered}: {told}");
        assert_eq!(told.get("elicitation").is_some(), !declared.is_empty(), "{offered}: {told}");
    }
}

#[tokio::test]
async fn a_question_goes_to_the_user_and_the_answer_back() {
    let (mut wire, session) = one(Obedient, json!({"elicitation": {"form": {}}})).await;
    let prompt = wire.prompt(&session, "call one__ask").await;
    let call = wire.update().await["toolCallId"].clone();
    let question = wire.asked("elicitation/create").await;
    let params = &question["params"];
    assert_eq!((&params["sessionId"], &params["toolCallId"]), (&json!(session), &call), "{question}");
    assert_eq!((&params["mode"], &params["message"]), (&json!("form"), &json!("Who are you?")));
    assert_eq!(params["requestedSchema"]["properties"]["name"]["type"], "string");
    wire.answer(&question, json!({"action": "accept", "content": {"name": "Ada"}})).await;
    assert_eq!(wire.update().await["status"], "completed");
    let said = wire.said().await;
    let answer: serde_json::Value = serde_json::from_str(said.strip_prefix("false ").unwrap()).unwrap();
    assert_eq!((&answer["action"], &answer["content"]), (&json!("accept"), &json!({"name": "Ada"})));
    assert_eq!(wire.stopped(prompt).await, "end_turn");
}

#[tokio::test]
async fn a_question_ends_with_its_turn() {
    let (mut wire, session) = one(Obedient, json!({"elicitation": {"form": {}}})).await;
    let prompt = wire.prompt(&session, "call one__ask").await;
    wire.update().await;
    let question = wire.asked("elicitation/create").await;
    wire.cancel(&session).await;
    let mut seen = Vec::new();
    for _ in 0..3 {
        seen.push(wire.recv().await);
    }
    let cancelled = seen.iter().find(|message| message["method"] == "$/cancel_request");
    assert_eq!(cancelled.unwrap()["params"]["requestId"], question["id"], "{seen:?}");
    let answer = seen.iter().find(|message| message["id"] == prompt).unwrap();
    assert_eq!(answer["result"]["stopReason"], "cancelled");
}

#[tokio::test]
async fn a_page_is_shown_until_the_server_is_done_with_it() {
    let (mut wire, session) = one(Obedient, json!({"elicitation": {"url": {}}})).await;
    let mut ids = Vec::new();
    for _ in 0..2 {
        let prompt = wire.prompt(&session, "call one__visit").await;
        wire.update().await;
        let question = wire.asked("elicitation/create").await;
        let params = &question["params"];
        assert_eq!((&params["mode"], &params["url"]), (&json!("url"), &json!("https://example.com/login")));
        let id = params["elicitationId"].clone();
        wire.answer(&question, json!({"action": "accept"})).await;
        // The completion comes beside the end of the call, the agent's text and the answer.
        let mut rest = Vec::new();
        for _ in 0..4 {
            rest.push(wire.recv().await);
        }
        let completed = rest.iter().find(|message| message["method"] == "elicitation/complete");
        assert_eq!(completed.unwrap()["params"]["elicitationId"], id, "{rest:?}");
        let answer = rest.iter().find(|message| message["id"] == prompt).unwrap();
        assert_eq!(answer["result"]["stopReason"], "end_turn", "{answer}");
        ids.push(id);
    }
    // The server's own id is the same both times.
    assert_ne!(ids[0], ids[1]);
}

/// A server with a handshake answers -32042. The call is repeated after the user has agreed.
#[tokio::test]
async fn a_call_that_needs_a_page_visited_first_is_made_again() {
    let (mut wire, session) = one(Obedient, json!({"elicitation": {"url": {}}})).await;
    let prompt = wire.prompt(&session, "call one__login").await;
    let call = wire.update().await["toolCallId"].clone();
    let question = wire.asked("elicitation/create").await;
    let params = &question["params"];
    assert_eq!((&params["mode"], &params["message"]), (&json!("url"), &json!("Log in")), "{question}");
    assert_eq!(
        (&params["toolCallId"], &params["url"]),
        (&call, &json!("https://example.com/login?token=secret"))
    );
    wire.answer(&question, json!({"action": "accept"})).await;
    let mut rest = Vec::new();
    for _ in 0..4 {
        rest.push(wire.recv().await);
    }
    let completed = rest.iter().find(|message| message["method"] == "elicitation/complete");
    assert_eq!(completed.unwrap()["params"]["elicitationId"], params["elicitationId"], "{rest:?}");
    let answer = rest.iter().find(|message| message["id"] == prompt).unwrap();
    assert_eq!(answer["result"]["stopReason"], "end_turn", "{answer}");
    assert!(rest.iter().any(|message| message.to_string().contains("false logged in")), "{rest:?}");
}

/// A user who declines, and a client that cannot show pages: the failed tool call names the reason.
#[tokio::test]
async fn a_page_that_is_not_visited_fails_the_call() {
    for (offered, why) in
        [(json!({"elicitation": {"url": {}}}), "the user declined"), (json!({}), "no handler asks the user")]
    {
        let (mut wire, session) = one(Obedient, offered.clone()).await;
        wire.prompt(&session, "call one__login").await;
        wire.update().await;
        if offered != json!({}) {
            let question = wire.asked("elicitation/create").await;
            wire.answer(&question, json!({"action": "decline"})).await;
        }
        let failed = wire.update().await;
        assert_eq!(failed["status"], "failed", "{failed}");
        let words = failed.to_string();
        assert!(words.contains("https://example.com (Log in)") && words.contains(why), "{words}");
        assert!(!words.contains("secret"), "{words}");
    }
}
