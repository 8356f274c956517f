//! The coding agent with its embedded planner, as a client sees it.

use std::future::pending;
use std::path::Path;

use crate::common::Client;
use acp_agent::mcp::Tool;
use acp_agent::types::StopReason;
use acp_agent::{Result, Turn};
use examples::coding_agent::embedded::Embedded;
use examples::coding_agent::planner::{Action, History, Next, Planner, Step};
use serde_json::json;

/// A folder that does not exist. Only a search looks at it.
const NOWHERE: &str = "/no/such/folder";

#[tokio::test]
async fn an_edit_is_planned_shown_allowed_and_made() {
    let mut client = Client::connect(Embedded, Path::new(NOWHERE)).await;
    client.files.insert("notes.txt".into(), "one\ntwo\nthree\n".into());
    client.choices.push_back("allow_once");
    let session = client.open().await;
    let events = client.prompt(&session, "read notes.txt, then replace `two` with `2` in notes.txt").await;
    assert_eq!(
        events,
        [
            "plan in_progress Read notes.txt, pending Replace `two` with `2` in notes.txt",
            "call-1 in_progress: Read notes.txt",
            "read notes.txt",
            "call-1 completed",
            "plan completed Read notes.txt, in_progress Replace `two` with `2` in notes.txt",
            "read notes.txt",
            "call-2 pending: Edit notes.txt",
            "ask call-2: allow_once allow_always reject_once reject_always",
            "call-2 in_progress",
            // It may have changed while the user was asked.
            "read notes.txt",
            "write notes.txt",
            "call-2 completed",
            "plan completed Read notes.txt, completed Replace `two` with `2` in notes.txt",
            "stop end_turn",
        ],
    );
    assert_eq!(client.files["notes.txt"], "one\n2\nthree\n");
    assert!(client.said.contains("changed notes.txt in 1 place"), "{}", client.said);
    let edit =
        client.tool_calls.iter().find(|call| call["title"] == "Edit notes.txt").expect("it is reported");
    assert_eq!(edit["kind"], "edit");
    assert_eq!(edit["name"], "edit_file");
    assert_eq!(edit["locations"], json!([{"path": "/no/such/folder/notes.txt", "line": 2}]));
    assert_eq!(edit["rawInput"]["old_string"], "two");
    let diff = json!({
        "type": "diff",
        "path": "/no/such/folder/notes.txt",
        "oldText": "one\ntwo\nthree\n",
        "newText": "one\n2\nthree\n",
    });
    assert_eq!(edit["content"], json!([diff]));
}

#[tokio::test]
async fn commands_are_not_for_the_planner() {
    let mut client = Client::connect(Embedded, Path::new(NOWHERE)).await;
    client.files.insert("a.txt".into(), "one\n".into());
    let session = client.open().await;
    client.prompt(&session, "read a.txt").await;
    client.said.clear();
    assert_eq!(client.prompt(&session, "/clear").await, ["stop end_turn"]);
    assert_eq!(client.said, "The conversation starts again.");
    client.said.clear();
    assert_eq!(client.prompt(&session, "/tools search").await, ["stop end_turn"]);
    assert_eq!(client.said, "There are none.");
    // The agent has no such command. The planner does not understand the text.
    client.said.clear();
    client.prompt(&session, "/read a.txt").await;
    assert!(client.said.contains("/read"), "{}", client.said);
}

#[tokio::test]
async fn files_are_created_and_appended_to() {
    let mut client = Client::connect(Embedded, Path::new(NOWHERE)).await;
    client.choices.extend(["allow_once", "allow_once"]);
    let session = client.open().await;
    client.prompt(&session, "create new.txt with `one`; append `two` to new.txt").await;
    assert_eq!(client.files["new.txt"], "one\ntwo\n");
    let created =
        client.tool_calls.iter().find(|call| call["title"] == "Write new.txt").expect("it is reported");
    assert_eq!(
        created["content"],
        json!([{"type": "diff", "path": "/no/such/folder/new.txt", "newText": "one\n"}])
    );
}

#[tokio::test]
async fn a_rejected_edit_is_not_made_and_the_rest_goes_on() {
    let mut client = Client::connect(Embedded, Path::new(NOWHERE)).await;
    client.files.insert("a.txt".into(), "a\n".into());
    client.choices.push_back("reject_once");
    let session = client.open().await;
    let events = client.prompt(&session, "replace `a` with `b` in a.txt; read a.txt").await;
    assert!(events.contains(&"call-1 failed".into()), "{events:?}");
    let plan = "plan completed Replace `a` with `b` in a.txt (not done), in_progress Read a.txt";
    assert!(events.contains(&plan.into()), "{events:?}");
    assert!(events.contains(&"call-2 completed".into()), "{events:?}");
    assert_eq!(events.last().map(String::as_str), Some("stop end_turn"));
    assert_eq!(client.files["a.txt"], "a\n");
    assert!(client.said.contains("because you rejected it"), "{}", client.said);
}

#[tokio::test]
async fn a_question_that_fails_is_no_consent() {
    let mut client = Client::connect(Embedded, Path::new(NOWHERE)).await;
    client.choices.push_back("fail");
    let session = client.open().await;
    let events = client.prompt(&session, "create a.txt with a").await;
    assert!(events.contains(&"call-1 failed".into()), "{events:?}");
    assert_eq!(events.last().map(String::as_str), Some("stop end_turn"));
    assert!(client.files.is_empty());
}

#[tokio::test]
async fn always_means_for_the_rest_of_the_session() {
    let mut client = Client::connect(Embedded, Path::new(NOWHERE)).await;
    client.choices.extend(["allow_always", "reject_once"]);
    let session = client.open().await;
    let asked = |events: &[String]| events.iter().filter(|event| event.starts_with("ask")).count();
    assert_eq!(asked(&client.prompt(&session, "create a.txt with a; create b.txt with b").await), 1);
    assert_eq!(asked(&client.prompt(&session, "create c.txt with c").await), 0);
    let other = client.open().await;
    assert_eq!(asked(&client.prompt(&other, "create d.txt with d").await), 1);
    assert_eq!(client.files.keys().collect::<Vec<_>>(), ["a.txt", "b.txt", "c.txt"]);

    client.choices.push_back("reject_always");
    let third = client.open().await;
    assert_eq!(asked(&client.prompt(&third, "create e.txt with e").await), 1);
    assert_eq!(asked(&client.prompt(&third, "create f.txt with f").await), 0);
    assert_eq!(client.files.len(), 3);
}

#[tokio::test]
async fn commands_run_in_a_terminal_if_the_user_allows_them() {
    let ran = ["call-1 in_progress", "run cargo test", "wait", "output", "release"];
    let table = [
        ("allow_once", Some(0), &ran[..], "call-1 completed", "1 line"),
        ("allow_once", Some(1), &ran[..], "call-1 failed", "exit code 1"),
        ("allow_once", None, &ran[..], "call-1 failed", "ended by SIGKILL"),
        ("reject_once", Some(0), &[], "call-1 failed", "you rejected it"),
    ];
    for (choice, exit_code, ran, end, told) in table {
        let capabilities = json!({"terminal": true});
        let mut client = Client::connect_with(Embedded, Path::new(NOWHERE), capabilities).await;
        client.exit_code = exit_code;
        client.choices.push_back(choice);
        let session = client.open().await;
        let events = client.prompt(&session, "run `cargo test`").await;
        let shown = [
            "call-1 pending: Run cargo test",
            "ask call-1: allow_once allow_always reject_once reject_always",
        ];
        let expected: Vec<_> = shown.iter().chain(ran).copied().chain([end]).collect();
        let events: Vec<_> =
            events.iter().map(String::as_str).filter(|event| !event.starts_with("plan")).collect();
        assert_eq!(
            events.split_last(),
            Some((&"stop end_turn", expected.as_slice())),
            "{choice} {exit_code:?}"
        );
        assert!(client.said.contains(told), "{}", client.said);
        let terminal = client.tool_calls.iter().any(|call| call["content"][0]["terminalId"] == "t1");
        assert_eq!(terminal, choice == "allow_once");
    }
}

/// Runs the command line in the prompt, a JSON list.
struct Runner;

impl Planner for Runner {
    async fn next(&self, history: &History, _: &Turn, _: &[Tool]) -> Result<Step> {
        let task = history.last().expect("a prompt");
        let mut line = serde_json::from_str::<Vec<String>>(&task.text).expect("a list").into_iter();
        let run = Action::RunCommand { program: line.next().expect("a program"), args: line.collect() };
        let next = if task.rounds.is_empty() {
            Next::Act(vec![run.into()])
        } else {
            Next::Stop(StopReason::EndTurn)
        };
        Ok(Step { said: String::new(), next })
    }
}

#[tokio::test]
async fn always_for_a_command_goes_for_this_very_line() {
    let mut client = Client::connect_with(Runner, Path::new(NOWHERE), json!({"terminal": true})).await;
    let session = client.open().await;
    // A command line, the user's answer if there is a question, and the expected run.
    for (line, choice, runs) in [
        (json!(["sh", "-c", "ls"]), Some("allow_always"), true),
        (json!(["sh", "-c", "ls"]), None, true),
        (json!(["sh", "-c", "ls; rm -r ."]), Some("reject_once"), false),
        (json!(["sh", "-c", "rm -r ."]), Some("reject_always"), false),
        (json!(["sh", "-c", "rm -r ."]), None, false),
        (json!(["sh", "-c"]), Some("reject_once"), false),
        (json!(["sh"]), Some("reject_once"), false),
        (json!(["bash", "-c", "ls"]), Some("reject_once"), false),
        // An equal command line with other word boundaries.
        (json!(["sh", "-c ls"]), Some("reject_once"), false),
        (json!(["sh", "-c\", \"ls"]), Some("reject_once"), false),
        (json!(["sh -c ls"]), Some("reject_once"), false),
        (json!(["sh", "-c", "ls"]), None, true),
    ] {
        client.choices = choice.into_iter().collect();
        let events = client.prompt(&session, &line.to_string()).await;
        let is_there = |start: &str| events.iter().any(|event| event.starts_with(start));
        assert_eq!(is_there("ask"), choice.is_some(), "{line}: {events:?}");
        assert_eq!(is_there("run"), runs, "{line}: {events:?}");
        assert_eq!(events.last().map(String::as_str), Some("stop end_turn"), "{line}: {events:?}");
    }
}

#[tokio::test]
async fn a_search_reads_through_the_client_what_the_folder_has() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |path: &str, text: &[u8]| {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("it can be created");
        std::fs::write(path, text).expect("it can be written");
    };
    write("a.txt", b"old");
    write("deep/b.txt", b"old");
    write("binary", b"\0old");
    write("target/c.txt", b"old");
    write(".git/config", b"old");
    write("secret.txt", b"old");
    let mut client = Client::connect(Embedded, folder.path()).await;
    // The text in the editor counts, not the text on disk.
    client.files.insert("a.txt".into(), "nothing here".into());
    client.files.insert("deep/b.txt".into(), "x\n old and old\n".into());
    client.choices.push_back("allow_once");
    let session = client.open().await;
    let events = client.prompt(&session, "replace `old` with `new`").await;
    assert_eq!(
        events[1..8],
        [
            "call-1 in_progress: Find `old`",
            "read a.txt",
            "read deep/b.txt",
            "read secret.txt",
            "call-1 completed",
            "read deep/b.txt",
            "call-2 pending: Edit deep/b.txt",
        ],
    );
    assert_eq!(client.files["deep/b.txt"], "x\n new and new\n");
    let found = client.tool_calls.iter().find(|call| call["locations"][0]["line"] == 2).expect("a place");
    assert_eq!(found["locations"][0]["path"], folder.path().join("deep/b.txt").to_str().expect("Unicode"));
    let shown = |call: &serde_json::Value| call["content"][0]["content"]["text"].as_str().map(str::to_owned);
    let shown = client.tool_calls.iter().find_map(shown).expect("text");
    assert_eq!(shown, "deep/b.txt:2: old and old\n1 line in 1 of 2 files. 1 file could not be read.");
}

#[tokio::test]
async fn what_cannot_be_done_is_reported_with_the_reason() {
    let both = json!({"readTextFile": true, "writeTextFile": true});
    let table = [
        ("read ../x", &both, "`../x` is outside of the session's folder `/no/such/folder`"),
        ("read /etc/passwd", &both, "`/etc/passwd` is outside of the session's folder `/no/such/folder`"),
        (
            "create a/../../x with b",
            &both,
            "`a/../../x` is outside of the session's folder `/no/such/folder`",
        ),
        ("read .", &both, "not understood"),
        ("read `.`", &both, "`.` is the session's folder, not a file in it"),
        ("read none.txt", &both, "no such file"),
        ("replace a with b in none.txt", &both, "no such file"),
        ("replace x with b in a.txt", &both, "the text to replace is not in the file"),
        ("replace a with a in a.txt", &both, "the file has exactly this text already"),
        ("find x", &both, "the session's folder cannot be listed"),
        // Neither the client nor this machine has it.
        ("read a.txt", &json!({}), "the session's directory does not exist on this machine"),
        ("create a.txt with x", &json!({}), "the session's directory does not exist on this machine"),
        ("call some__tool", &both, "no MCP server has a tool `some__tool`"),
    ];
    for (prompt, fs, reason) in table {
        let capabilities = json!({"fs": fs});
        let mut client = Client::connect_with(Embedded, Path::new(NOWHERE), capabilities).await;
        client.files.insert("a.txt".into(), "a".into());
        let session = client.open().await;
        let events = client.prompt(&session, prompt).await;
        assert_eq!(events.last().map(String::as_str), Some("stop end_turn"), "{prompt}");
        assert!(
            !events.iter().any(|event| event.starts_with("ask") || event.starts_with("write")),
            "{prompt}"
        );
        if reason == "not understood" {
            assert_eq!(events.len(), 1, "{prompt}: {events:?}");
            continue;
        }
        assert!(events.iter().any(|event| event.starts_with("call-1 failed")), "{prompt}: {events:?}");
        assert!(client.said.contains(reason), "{prompt}: {}", client.said);
    }
}

#[tokio::test]
async fn what_is_not_understood_is_answered_with_what_would_be() {
    let mut client = Client::connect(Embedded, Path::new(NOWHERE)).await;
    let session = client.open().await;
    assert_eq!(client.prompt(&session, "read a.txt; make it better").await, ["stop end_turn"]);
    assert!(client.said.contains("\"make it better\""), "{}", client.said);
    assert!(client.said.contains("- replace `OLD` with `NEW`"), "{}", client.said);
}

#[tokio::test]
async fn a_cancel_while_the_user_is_asked_ends_the_turn_and_nothing_is_written() {
    let mut client = Client::connect(Embedded, Path::new(NOWHERE)).await;
    let session = client.open().await;
    let events = client.prompt(&session, "create a.txt with a; create b.txt with b").await;
    let [.., call, plan, end] = events.as_slice() else { panic!("{events:?}") };
    assert_eq!(plan, "plan pending Create a.txt, pending Create b.txt");
    assert_eq!(end, "stop cancelled");
    assert!(call.contains(" failed"), "the call is not left waiting: {events:?}");
    assert!(client.files.is_empty());
    client.choices.push_back("allow_once");
    let events = client.prompt(&session, "create c.txt with c").await;
    assert_eq!(events.last().map(String::as_str), Some("stop end_turn"));
    assert_eq!(client.files.keys().collect::<Vec<_>>(), ["c.txt"]);
}

/// Reads without end.
struct Tireless;

impl Planner for Tireless {
    async fn next(&self, _: &History, turn: &Turn, _: &[Tool]) -> Result<Step> {
        turn.say("again").await?;
        Ok(Step { said: "again".into(), next: Next::Act(vec![Action::ReadFile { path: "a".into() }.into()]) })
    }
}

/// Says something, then thinks without end.
struct Thinker;

impl Planner for Thinker {
    async fn next(&self, _: &History, turn: &Turn, _: &[Tool]) -> Result<Step> {
        turn.say("hm").await?;
        pending().await
    }
}

#[tokio::test]
async fn a_planner_that_does_not_come_to_an_end_is_stopped() {
    let mut client = Client::connect(Tireless, Path::new(NOWHERE)).await;
    let session = client.open().await;
    let events = client.prompt(&session, "go").await;
    assert_eq!(events.last().map(String::as_str), Some("stop max_turn_requests"));
    assert_eq!(events.iter().filter(|event| *event == "read a").count(), 50);
}

#[tokio::test]
async fn a_cancel_ends_a_turn_that_is_thinking_or_acting() {
    let prompt = || json!([{"type": "text", "text": "go"}]);
    let mut client = Client::connect(Thinker, Path::new(NOWHERE)).await;
    let session = client.open().await;
    let events = client.prompt_with(&session, prompt(), |event| event == "say hm").await;
    assert_eq!(events, ["stop cancelled"]);

    let mut client = Client::connect(Tireless, Path::new(NOWHERE)).await;
    let session = client.open().await;
    let events = client.prompt_with(&session, prompt(), |event| event == "read a").await;
    assert_eq!(events.last().map(String::as_str), Some("stop cancelled"));
}
