//! Agents as child processes, here a few lines of shell.

#![cfg(unix)]

use acp_client::{Agent, CloseReason, Command, Error};

/// Shell functions of an agent: `take` reads a request and remembers its id, `give RESULT` answers
/// it.
const AGENT: &str = r#"
take() { read -r line || exit 0; id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/'); }
give() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
update() { printf '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":%s}}\n' "$1"; }
take; give '{"protocolVersion":1}'
take; give '{"sessionId":"s1"}'
"#;

fn agent(script: &str) -> Command {
    Command::new("sh").arg("-c").arg(format!("{AGENT}{script}"))
}

async fn started(script: &str) -> Agent {
    acp_client::spawn(agent(script)).await.expect("the agent starts")
}

#[tokio::test]
async fn a_whole_turn_with_a_child_process() {
    let agent = started(
        r#"take; update '{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"hello"}}'
           give '{"stopReason":"end_turn"}'; take"#,
    )
    .await;
    let session = agent.new_session("/").await.expect("opened");
    let mut turn = session.prompt("hi").await.expect("sent");
    assert_eq!(turn.next().await.expect("an event").text(), Some("hello"));
    assert!(turn.next().await.is_none());
    turn.finish().await.expect("ends well");
    agent.close().await;
}

#[tokio::test]
async fn an_agent_that_dies_in_a_turn_is_reported_with_its_last_words() {
    let agent = started("take; echo 'out of cheese' >&2; exit 7").await;
    let session = agent.new_session("/").await.expect("opened");
    let error = session.prompt("hi").await.expect("sent").finish().await.expect_err("it died");
    let Error::Closed { reason: CloseReason::Exited(exit), .. } = &error else { panic!("{error:?}") };
    assert_eq!((exit.status, exit.stderr_tail.trim()), (Some(7), "out of cheese"));
    let said = error.to_string();
    assert!(said.contains("session/prompt") && said.contains("s1"), "{said}");
    assert!(said.contains("status 7") && said.contains("out of cheese"), "{said}");
    assert_eq!(agent.stderr_tail().trim(), "out of cheese");
    assert!(matches!(agent.wait().await, CloseReason::Exited(_)));
}

#[tokio::test]
async fn an_agent_that_dies_at_once_is_reported_too() {
    let dead = Command::new("sh").arg("-c").arg("echo 'no such model' >&2; exit 2");
    let said = acp_client::spawn(dead).await.expect_err("it died").to_string();
    assert!(
        said.contains("initialize") && said.contains("status 2") && said.contains("no such model"),
        "{said}"
    );
}

#[tokio::test]
async fn a_program_that_does_not_exist_is_named() {
    let error = acp_client::spawn(Command::new("/nonexistent/agent")).await.expect_err("there is none");
    assert!(matches!(error, Error::Start { .. }), "{error:?}");
    assert!(error.to_string().contains("/nonexistent/agent"), "{error}");
}

#[tokio::test]
async fn an_agent_that_speaks_another_version_is_ended() {
    let folder = tempfile::tempdir().expect("a folder");
    let gone = folder.path().join("gone");
    let script = format!(
        r#"trap 'echo ended > "{gone}"' EXIT
           read -r line; id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
           printf '{{"jsonrpc":"2.0","id":%s,"result":{{"protocolVersion":2}}}}\n' "$id"; read -r line"#,
        gone = gone.display()
    );
    let exit = tokio::sync::oneshot::channel::<()>();
    let command = Command::new("sh").arg("-c").arg(script).on_stderr({
        // Dropped when the process and its stderr are gone.
        let held = exit.0;
        move |_| {
            let _ = &held;
        }
    });
    let error = acp_client::spawn(command).await.expect_err("version 2");
    assert!(matches!(error, Error::Version { .. }), "{error}");
    let _ = exit.1.await;
    assert!(gone.exists(), "the process has ended");
}
