//! The methods that only the unstable schema has.

#![cfg(feature = "unstable")]

use acp_client::v1::{
    ContentBlock, ImageContent, MessageMcpNotification, SetProviderRequest, SystemPrompt, SystemPromptMode,
};
use acp_client::{Agent, Connect, Error};
use serde_json::{Value, json};

use crate::common::{Wire, connected, open};

fn plain(connect: Connect) -> Connect {
    connect
}

fn everything() -> Value {
    json!({
        "sessionCapabilities":
            {"fork": {}, "archive": {}, "status": {}, "title": {}, "list": {}, "systemPrompt": {"mode": {}}},
        "auth": {"status": {}},
        "providers": {},
        "mcpCapabilities": {"acp": true},
    })
}

#[tokio::test]
async fn what_was_not_offered_is_not_sent() {
    let (agent, mut wire) = connected(plain, json!({"sessionCapabilities": {"list": {}}})).await;
    let session = open(&agent, &mut wire, json!({"sessionId": "s1"})).await;
    let provider = SetProviderRequest::new("p", "openai", "https://x");
    let prompt = SystemPrompt::new(SystemPromptMode::Append, vec![ContentBlock::text("Be brief.")]);
    let refused = [
        (session.fork("/work").await.err(), "sessionCapabilities.fork"),
        (agent.archive_session("s").await.err(), "sessionCapabilities.archive"),
        (agent.unarchive_session("s").await.err(), "sessionCapabilities.archive"),
        (
            agent.list_sessions().archived("only").next().await.and_then(Result::err),
            "sessionCapabilities.archive",
        ),
        (agent.session_status("s").await.err(), "sessionCapabilities.status"),
        (agent.set_session_title("s", "t").await.err(), "sessionCapabilities.title"),
        (agent.auth_status().await.err(), "auth.status"),
        (agent.list_providers().await.err(), "providers"),
        (agent.set_provider(&provider).await.err(), "providers"),
        (agent.disable_provider("p").await.err(), "providers"),
        (agent.notify_mcp(&MessageMcpNotification::new("s", "r", "m")).await.err(), "mcpCapabilities.acp"),
        (agent.new_session("/work").system_prompt(prompt).await.err(), "sessionCapabilities.systemPrompt"),
    ];
    for (error, capability) in refused {
        let error = error.expect(capability);
        assert!(
            matches!(&error, Error::NotOffered { capability: missing, .. } if *missing == capability),
            "{error}"
        );
    }
    agent.close().await;
    assert!(wire.next().await.is_none(), "nothing was sent");
}

/// Answers one request with `result` and checks its params.
async fn answer(wire: &mut Wire, method: &str, params: Value, result: Value) {
    let request = wire.expect(method).await;
    assert_eq!(request["params"], params, "{method}");
    wire.answer(&request, result).await;
}

async fn connect() -> (Agent, Wire) {
    connected(plain, everything()).await
}

#[tokio::test]
async fn what_was_offered_is_sent() {
    let (agent, mut wire) = connect().await;
    let id = json!({"sessionId": "s"});
    let (done, ()) = tokio::join!(
        agent.unarchive_session("s"),
        answer(&mut wire, "session/unarchive", id.clone(), json!({}))
    );
    done.expect("unarchived");
    let (status, ()) = tokio::join!(
        agent.session_status("s"),
        answer(&mut wire, "session/status", id, json!({"status": "saved"}))
    );
    status.expect("told");
    let named = json!({"sessionId": "s", "title": " T "});
    let (title, ()) = tokio::join!(
        agent.set_session_title("s", " T "),
        answer(&mut wire, "session/set_title", named, json!({"title": "T"}))
    );
    assert_eq!(title.expect("named"), "T");
    let (providers, ()) = tokio::join!(agent.list_providers(), async {
        let request = wire.expect("providers/list").await;
        wire.answer(&request, json!({"providers": []})).await;
    });
    assert!(providers.expect("listed").providers.is_empty());
    let (done, ()) = tokio::join!(
        agent.disable_provider("p"),
        answer(&mut wire, "providers/disable", json!({"providerId": "p"}), json!({}))
    );
    done.expect("disabled");
    agent.notify_mcp(&MessageMcpNotification::new("s", "r", "m")).await.expect("sent");
    assert_eq!(wire.expect("mcp/message").await["params"]["method"], "m");
}

#[tokio::test]
async fn a_fork_is_a_session_and_an_archived_one_is_closed() {
    let (agent, mut wire) = connect().await;
    let session = open(&agent, &mut wire, json!({"sessionId": "s1"})).await;
    let (fork, ()) = tokio::join!(session.fork("/work").into_future(), async {
        let request = wire.expect("session/fork").await;
        wire.text("s2", "early").await;
        wire.answer(&request, json!({"sessionId": "s2"})).await;
    });
    let fork = fork.expect("forked");
    assert_eq!(fork.updates().next().await.expect("kept").text(), Some("early"));
    let (done, ()) = tokio::join!(
        agent.archive_session("s2"),
        answer(&mut wire, "session/archive", json!({"sessionId": "s2"}), json!({}))
    );
    done.expect("archived");
    assert!(matches!(fork.prompt("more").await, Err(Error::SessionClosed { .. })));
    let (turn, prompt) = tokio::join!(session.prompt("go"), wire.expect("session/prompt"));
    wire.answer(&prompt, json!({"stopReason": "end_turn"})).await;
    turn.expect("the other one is open").finish().await.expect("ends");
}

#[tokio::test]
async fn a_system_prompt_is_text_and_in_a_mode_that_was_offered() {
    let (agent, _wire) = connect().await;
    let text = vec![ContentBlock::text("Be brief.")];
    let image = vec![ContentBlock::from(ImageContent::new("aGk=", "image/png"))];
    let refused = [
        (
            SystemPrompt::new(SystemPromptMode::Override, text),
            "sessionCapabilities.systemPrompt.mode.override",
        ),
        (SystemPrompt::new(SystemPromptMode::Append, image), "must be blocks of text"),
        (SystemPrompt::new(SystemPromptMode::Append, Vec::new()), "must be blocks of text"),
    ];
    for (prompt, problem) in refused {
        let error = agent.new_session("/work").system_prompt(prompt).await.expect_err("refused");
        assert!(error.to_string().contains(problem), "{error}");
    }
}
