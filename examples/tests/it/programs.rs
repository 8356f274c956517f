//! The agents as programs, with our own client.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use acp_client::{Agent, Command, LocalFs, PermissionAnswer, PermissionPolicy, Session};
use tokio::process::Command as Process;

/// Runs one turn of a program in a folder. Returns the agent's text and the stop reason.
async fn run(program: &str, folder: &Path, prompt: &str) -> (String, String) {
    let agent = start(Command::new(program), folder, PermissionPolicy::allow_once()).await;
    let session = agent.new_session(folder).await.expect("a session");
    let answer = say(&session, prompt).await;
    agent.close().await;
    answer
}

async fn start(command: Command, folder: &Path, policy: PermissionPolicy) -> Agent {
    // The user's own model must not take part in the tests.
    let command = command.env_remove("OPENAI_BASE_URL");
    let files = LocalFs::rooted(folder).expect("a folder");
    acp_client::spawn(command).fs(files).permissions(policy).await.expect("the agent starts")
}

async fn say(session: &Session, prompt: &str) -> (String, String) {
    let mut turn = session.prompt(prompt).await.expect("a turn");
    let mut said = String::new();
    while let Some(event) = turn.next().await {
        said.extend(event.text());
    }
    (said, turn.finish().await.expect("an answer").stop_reason.to_string())
}

#[tokio::test]
async fn the_echo_agent_says_what_it_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let (said, reason) = run(env!("CARGO_BIN_EXE_echo_agent"), folder.path(), "hello").await;
    assert_eq!((said.as_str(), reason.as_str()), ("hello", "end_turn"));
}

#[tokio::test]
async fn the_coding_agent_finds_and_edits_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("notes.txt");
    std::fs::write(&file, "milk\nbread\n").expect("it can be written");
    let prompt =
        "find `bread`; replace `bread` with `cake`; append `tea` to notes.txt; create todo.txt with `shop`";
    let (said, reason) = run(env!("CARGO_BIN_EXE_coding_agent"), folder.path(), prompt).await;
    assert_eq!(reason, "end_turn", "{said}");
    assert_eq!(std::fs::read_to_string(file).expect("it is there"), "milk\ncake\ntea\n");
    assert_eq!(std::fs::read_to_string(folder.path().join("todo.txt")).expect("it is there"), "shop\n");
    assert!(said.contains("notes.txt:2: bread"), "{said}");
}

#[tokio::test]
async fn the_editor_asks_before_it_writes_and_not_again_after_always() {
    for (choice, text, questions) in [
        (PermissionAnswer::RejectOnce, "milk\nbread\n", 2),
        (PermissionAnswer::AllowOnce, "tea\ncake\n", 2),
        (PermissionAnswer::AllowAlways, "tea\ncake\n", 1),
        (PermissionAnswer::RejectAlways, "milk\nbread\n", 1),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("notes.txt");
        std::fs::write(&file, "milk\nbread\n").expect("it can be written");
        let asked = Arc::new(AtomicUsize::new(0));
        let (count, answer) = (Arc::clone(&asked), choice.clone());
        let policy = PermissionPolicy::ask(move |_| {
            count.fetch_add(1, Ordering::Relaxed);
            std::future::ready(answer.clone())
        });
        let agent = start(Command::new(env!("CARGO_BIN_EXE_editor_agent")), folder.path(), policy).await;
        let session = agent.new_session(folder.path()).await.expect("a session");
        say(&session, "notes.txt: bread -> cake").await;
        say(&session, "notes.txt: milk -> tea").await;
        agent.close().await;
        assert_eq!(std::fs::read_to_string(file).expect("it is there"), text, "{choice:?}");
        assert_eq!(asked.load(Ordering::Relaxed), questions, "{choice:?}");
    }
}

#[tokio::test]
async fn the_editor_stays_in_its_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    for prompt in ["../notes.txt: a -> b", "/etc/hosts: a -> b", "hello"] {
        let (said, reason) = run(env!("CARGO_BIN_EXE_editor_agent"), folder.path(), prompt).await;
        assert!(said.starts_with("Say in which file") && reason == "end_turn", "{prompt}: {said}");
    }
}

#[tokio::test]
async fn extension_methods_go_both_ways() {
    let output = Process::new(env!("CARGO_BIN_EXE_ext_methods")).output().await.expect("it starts");
    let said = String::from_utf8(output.stdout).expect("text");
    let lines: Vec<_> = said.lines().collect();
    assert_eq!(lines.get(..2), Some(["`hello` is 5 letters long. (done)", "5 stars"].as_slice()), "{said}");
    assert!(lines.get(2).is_some_and(|error| error.contains("there are 5 at most")), "{said}");
    assert!(output.status.success());
}

#[tokio::test]
async fn a_message_reaches_a_turn_that_runs() {
    let output = Process::new(env!("CARGO_BIN_EXE_steering")).output().await.expect("it starts");
    let said = String::from_utf8(output.stdout).expect("text");
    assert_eq!(said, "One soup. One salad. The salad was not too late.\nCoffee: promptRequired\n");
    assert!(output.status.success());
}

#[tokio::test]
async fn an_agent_of_a_router_offers_what_it_was_given() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = || Command::new(env!("CARGO_BIN_EXE_router_agent"));

    let agent = start(program().args(["upper", "reverse"]), folder.path(), PermissionPolicy::reject()).await;
    let session = agent.new_session(folder.path()).await.expect("a session");
    assert_eq!(say(&session, "abc").await.0, "ABC");
    session.set_mode("reverse").await.expect("there is such a mode");
    assert_eq!(say(&session, "abc").await.0, "cba");
    agent.close().await;

    let agent = start(program().arg("twice"), folder.path(), PermissionPolicy::reject()).await;
    let session = agent.new_session(folder.path()).await.expect("a session");
    assert!(session.modes().is_none());
    assert_eq!(say(&session, "abc").await.0, "abc abc");
    agent.close().await;
}
