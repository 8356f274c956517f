//! POST and the other verbs: a row for each rule.

use acp_http::server::Options;

use super::lab::{INITIALIZE, Lab};

const JSON: &str = "content-type: application/json";
const PROMPT: &str = r#"{"jsonrpc":"2.0","id":5,"method":"session/status"}"#;
const PROMPT_S1: &str = r#"{"jsonrpc":"2.0","id":6,"method":"session/status","params":{"sessionId":"s1"}}"#;

#[tokio::test]
async fn requests_that_are_refused() {
    let lab = Lab::start(Options::new().message(1000)).await;
    let id = lab.initialize().await;
    let (id, s2) = (id.as_str(), "acp-session-id: s2");
    let long = format!(r#"{{"jsonrpc":"2.0","method":"_{}"}}"#, "x".repeat(1000));
    // The rule, the request, and the status and code of the answer.
    let rows: &[(&str, &str, &[&str], &str, u16, i64)] = &[
        ("rm-post-01, v1-http-04", "POST /acp", &["content-type: text/plain"], INITIALIZE, 415, -32600),
        ("rm-cors-03", "POST /acp", &["content-type: application/jsonx"], INITIALIZE, 415, -32600),
        ("rm-post-02", "POST /acp", &[JSON, id], &long, 413, -32600),
        ("rm-post-03", "POST /acp", &[JSON, id], "{", 400, -32700),
        ("rm-post-04, v1-http-14", "POST /acp", &[JSON, id], "[]", 400, -32600),
        ("rm-post-05", "POST /acp", &[JSON, id], "1", 400, -32600),
        ("rm-post-05", "POST /acp", &[JSON, id], r#"{"jsonrpc":"2.0","id":1}"#, 400, -32600),
        (
            "rm-post-10",
            "POST /acp",
            &[JSON],
            r#"{"jsonrpc":"2.0","id":null,"method":"initialize"}"#,
            400,
            -32600,
        ),
        ("rm-post-10", "POST /acp", &[JSON], r#"{"jsonrpc":"2.0","method":"initialize"}"#, 400, -32600),
        ("rm-post-11", "POST /acp", &[JSON, id], INITIALIZE, 400, -32600),
        ("rm-post-12, v1-http-08", "POST /acp", &[JSON], PROMPT_S1, 400, -32600),
        ("rm-post-13, v1-http-08", "POST /acp", &[JSON, "acp-connection-id: no"], PROMPT_S1, 404, -32600),
        ("rm-post-14, v1-http-16", "POST /acp", &[JSON, id, s2], PROMPT_S1, 400, -32600),
        ("rm-post-15, v1-http-09", "POST /acp", &[JSON, id], PROMPT, 400, -32600),
        ("rm-get-01, v1-http-05", "GET /acp", &["accept: application/json", id], "", 406, -32600),
        ("rm-get-02", "GET /acp", &["accept: */*"], "", 400, -32600),
        ("rm-get-02", "GET /acp", &["accept: */*", "acp-connection-id: no"], "", 404, -32600),
        ("rm-del-01, v1-http-13", "DELETE /acp", &[], "", 400, -32600),
        ("rm-del-01", "DELETE /acp", &["acp-connection-id: no"], "", 404, -32600),
        ("rm-oth-01, v1-http-02", "PUT /acp", &[], "", 405, -32600),
        ("rm-oth-01", "OPTIONS /acp", &[], "", 405, -32600),
        ("rm-oth-02", "GET /health", &[], "", 404, -32600),
    ];
    for (rule, line, head, body, status, code) in rows {
        let answer = lab.exchange(line, head, body).await;
        assert_eq!((answer.status, answer.code()), (*status, Some(*code)), "{rule}: {answer:?}");
        assert_eq!(answer.header("content-type"), Some("application/json"), "{rule}");
        assert_eq!(answer.header("allow").is_some(), *status == 405, "{rule}");
    }
}

/// v1-http-06
#[tokio::test]
async fn rm_post_06_the_answer_to_initialize_names_the_connection() {
    let lab = Lab::start(Options::new().replica("r1").health("/health".to_owned())).await;
    let answer = lab.post(&[], INITIALIZE).await;
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")));
    let id = answer.header("acp-connection-id").unwrap();
    assert!(id.len() == 25 && id.starts_with("r1."), "{id}");
    let body: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!((body["id"].as_i64(), body["result"]["protocolVersion"].as_i64()), (Some(0), Some(1)));
    assert_eq!(lab.exchange("GET /health", &[], "").await.body, "ok");
}

#[tokio::test]
async fn an_initialize_that_fails_leaves_no_connection() {
    let mut lab = Lab::start(Options::new()).await;
    for (rule, mode, status) in [("rm-post-07", "fail", 200), ("rm-post-09", "end", 500)] {
        let message =
            format!(r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"mode":"{mode}"}}}}"#);
        let answer = lab.post(&[], &message).await;
        assert_eq!((answer.status, answer.header("acp-connection-id")), (status, None), "{rule}");
        assert!(answer.body.contains("error"), "{rule}: {answer:?}");
        lab.until("closed").await;
    }
}

#[tokio::test]
async fn rm_post_09_a_silent_agent_is_given_up() {
    let mut lab = Lab::start(Options::new().initialize_time(std::time::Duration::from_millis(1))).await;
    let answer =
        lab.post(&[], r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"mode":"silent"}}"#).await;
    assert_eq!((answer.status, answer.code()), (504, Some(-32603)));
    lab.until("closed").await;
}

#[tokio::test]
async fn rm_post_08_early_messages_wait_for_the_stream() {
    let lab = Lab::start(Options::new()).await;
    let answer =
        lab.post(&[], r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"mode":"early"}}"#).await;
    let id = format!("acp-connection-id: {}", answer.header("acp-connection-id").unwrap());
    assert_eq!(lab.get(&[&id]).await.next().await.unwrap().1["method"], "_early");
}

#[tokio::test]
async fn rm_post_11_version_2_may_initialize_again() {
    let lab = Lab::start(Options::new()).await;
    let message = INITIALIZE.replace(":1}", ":2}");
    let id =
        format!("acp-connection-id: {}", lab.post(&[], &message).await.header("acp-connection-id").unwrap());
    let again = lab.post(&[&id], &message).await;
    assert_eq!(again.status, 200);
    assert!(again.body.contains("result"), "{again:?}");
}

#[tokio::test]
async fn rm_post_16_the_session_of_the_header_is_filled_in() {
    let mut lab = Lab::start(Options::new()).await;
    let id = lab.initialize().await;
    let answer = lab.post(&[&id, "acp-session-id: s1"], PROMPT).await;
    // Rules rm-post-17 and v1-http-07: an empty answer without a type.
    assert_eq!((answer.status, answer.header("content-length")), (202, Some("0")));
    assert_eq!(answer.header("content-type"), None);
    lab.until("session/status s1").await;
    // Rule rm-post-19: `$/…` has no session.
    let note = r#"{"jsonrpc":"2.0","method":"$/note","params":{"sessionId":"s2"}}"#;
    assert_eq!(lab.post(&[&id, "acp-session-id: s1"], note).await.status, 202);
}

/// The agent gets messages in the order in which their bodies are complete, and no answer comes
/// before it has them.
#[tokio::test]
async fn rm_ord_01_complete_bodies_are_handed_over_in_order() {
    let mut lab = Lab::start(Options::new()).await;
    let id = lab.initialize().await;
    let note = |name: &str| format!(r#"{{"jsonrpc":"2.0","method":"_{name}"}}"#);
    let first = note("first");
    let length = format!("content-length: {}", first.len());
    let mut socket = super::limits::begin_post(&lab, &[&id], &length).await;
    let (most, rest) = first.as_bytes().split_at(first.len() - 1);
    tokio::io::AsyncWriteExt::write_all(&mut socket, most).await.unwrap();
    for number in 0..10 {
        assert_eq!(lab.post(&[&id], &note(&number.to_string())).await.status, 202);
        // It is there when its answer is.
        lab.until(&format!("_{number}")).await;
    }
    tokio::io::AsyncWriteExt::write_all(&mut socket, rest).await.unwrap();
    assert_eq!(super::limits::status(&mut socket).await, 202);
    lab.until("_first").await;
}
