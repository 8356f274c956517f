//! The proxy that hides thoughts, before real agents.

use acp_client::{Command, Event};
use serde_json::json;

use crate::common::model::{Answer, Server, delta, finish, words};

/// Runs a prompt through the proxy. Returns the text of the answer and that of the thoughts.
async fn ask(agent: &str, model: Option<&Server>) -> (String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quiet_proxy")).arg("--").arg(agent);
    command = match model {
        Some(model) => command.env("OPENAI_BASE_URL", model.address()).env("OPENAI_API_KEY", "key"),
        None => command.env_remove("OPENAI_BASE_URL"),
    };
    let folder = tempfile::tempdir().unwrap();
    let agent = acp_client::spawn(command).await.unwrap();
    let session = agent.new_session(folder.path()).await.unwrap();
    let mut turn = session.prompt("How tall is it?").await.unwrap();
    let (mut said, mut thought) = (String::new(), String::new());
    while let Some(event) = turn.next().await {
        match &event {
            Event::Thought(chunk) => thought.push_str(&format!("{:?}", chunk.content)),
            _ => said.extend(event.text()),
        }
    }
    turn.finish().await.unwrap();
    agent.close().await;
    (said, thought)
}

#[tokio::test]
async fn the_agent_is_asked_for_few_words() {
    let (said, _) = ask(env!("CARGO_BIN_EXE_echo_agent"), None).await;
    assert_eq!(said, "How tall is it?\nAnswer in one sentence.");
}

#[tokio::test]
async fn thoughts_stay_behind_and_all_else_passes() {
    let thought = delta(&json!({"reasoning_content": "Taller than a house."}));
    let mut model = Server::new([Answer::Stream(vec![thought, words("8 metres."), finish("stop")])]);
    let (said, thought) = ask(env!("CARGO_BIN_EXE_coding_agent"), Some(&model)).await;
    assert_eq!((said.as_str(), thought.as_str()), ("8 metres.", ""));
    let asked = model.seen().await["messages"].to_string();
    assert!(asked.contains("Answer in one sentence."), "{asked}");
}
