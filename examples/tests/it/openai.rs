//! The coding agent with a language model, which the test plays.

use std::path::Path;

use crate::common::Client;
use crate::common::model::{Answer, Server, call, delta, finish, words};
use serde_json::{Value, json};

async fn connect(server: &Server) -> (Client, String) {
    let mut client = Client::connect(server.planner(), Path::new("/no/such/folder")).await;
    let session = client.open().await;
    (client, session)
}

fn stream(parts: impl IntoIterator<Item = Vec<Value>>, reason: &str) -> Answer {
    Answer::Stream(parts.into_iter().flatten().chain([finish(reason)]).collect())
}

/// Returns the messages of the next request that the server has seen.
async fn messages(server: &mut Server) -> Vec<Value> {
    server.seen().await["messages"].as_array().expect("messages").clone()
}

#[tokio::test]
async fn words_stream_and_functions_are_called_and_answered_one_by_one() {
    let read = json!({"path": "notes.txt"});
    let edit = json!({"path": "notes.txt", "old_string": "old", "new_string": "new"});
    let plan =
        json!({"plan": [{"step": "look", "status": "completed"}, {"step": "edit", "status": "in_progress"}]});
    let mut server = Server::new([
        stream(
            [
                vec![delta(&json!({"role": "assistant", "content": ""})), words("Let me "), words("look.")],
                call(0, "id-1", "update_plan", &plan),
                call(1, "id-2", "read_file", &read),
            ],
            "tool_calls",
        ),
        // Some servers say `stop` in spite of calls.
        stream([call(0, "id-3", "edit_file", &edit)], "stop"),
        stream([vec![delta(&json!({"reasoning_content": "fine"})), words("Done.")]], "stop"),
        stream([vec![words("Bye.")]], "stop"),
    ]);
    let (mut client, session) = connect(&server).await;
    client.files.insert("notes.txt".into(), "old\n".into());
    client.choices.push_back("allow_once");
    assert_eq!(
        client.prompt(&session, "please").await,
        [
            "plan completed look, in_progress edit",
            "call-1 in_progress: Read notes.txt",
            "read notes.txt",
            "call-1 completed",
            "read notes.txt",
            "call-2 pending: Edit notes.txt",
            "ask call-2: allow_once allow_always reject_once reject_always",
            "call-2 in_progress",
            "read notes.txt",
            "write notes.txt",
            "call-2 completed",
            "think fine",
            "plan completed look, completed edit",
            "stop end_turn",
        ],
    );
    assert_eq!(client.files["notes.txt"], "new\n");
    assert_eq!(client.said, "Let me look.Done.");
    // Each answer of the model is one message, in any number of pieces.
    assert_eq!(client.message_ids.len(), 2);
    assert!(client.message_ids.iter().all(Value::is_string));
    assert_eq!(client.prompt(&session, "bye").await, ["stop end_turn"]);

    let first = server.seen().await;
    assert_eq!(first["model"], "some-model");
    assert_eq!(first["stream"], true);
    let functions = first["tools"].as_array().expect("functions").iter();
    let functions: Vec<_> =
        functions.map(|tool| tool["function"]["name"].as_str().expect("a name")).collect();
    assert_eq!(
        functions,
        ["list_files", "search_files", "read_file", "write_file", "edit_file", "update_plan", "run_command"]
    );
    assert_eq!(first["messages"][1], json!({"role": "user", "content": "please"}));

    let second = messages(&mut server).await;
    assert_eq!(second[2]["content"], "Let me look.");
    let calls = [("id-1", "update_plan", &plan), ("id-2", "read_file", &read)];
    for ((id, name, arguments), call) in calls.iter().zip(second[2]["tool_calls"].as_array().expect("calls"))
    {
        assert_eq!((&call["id"], &call["type"]), (&json!(id), &json!("function")));
        assert_eq!(call["function"]["name"], *name);
        let told = call["function"]["arguments"].as_str().expect("JSON as text");
        assert_eq!(serde_json::from_str::<Value>(told).expect("JSON"), **arguments);
    }
    let told = json!({"role": "tool", "tool_call_id": "id-1", "content": "The plan is shown to the user."});
    assert_eq!(second[3], told);
    assert_eq!(second[4], json!({"role": "tool", "tool_call_id": "id-2", "content": "old\n"}));
    assert_eq!(messages(&mut server).await.len(), 7);

    let last = messages(&mut server).await;
    assert_eq!(last[7], json!({"role": "assistant", "content": "Done."}));
    assert_eq!(last[8], json!({"role": "user", "content": "bye"}));
}

#[tokio::test]
async fn every_reason_to_finish_is_a_reason_to_stop() {
    let half = call(0, "id", "write_file", &json!({"path": "a", "content": "b"}));
    let refusal = delta(&json!({"refusal": "No."}));
    let table = [
        (stream([vec![words("Hi.")]], "stop"), "stop end_turn"),
        (stream([vec![words("Hi.")]], "some other reason"), "stop end_turn"),
        (stream([vec![words("Hi")]], "length"), "stop max_tokens"),
        (stream([half[..2].to_vec()], "length"), "stop max_tokens"),
        (stream([vec![]], "content_filter"), "stop refusal"),
        (stream([vec![refusal]], "stop"), "stop refusal"),
        // Some servers give no reason, but announce the end.
        (Answer::Stream(vec![words("Hi.")]), "stop end_turn"),
        // Others give the reason and hang up.
        (Answer::Cut(vec![words("Hi."), finish("stop")]), "stop end_turn"),
    ];
    for (number, (answer, ending)) in table.into_iter().enumerate() {
        let server = Server::new([answer]);
        let (mut client, session) = connect(&server).await;
        assert_eq!(client.prompt(&session, "please").await, [ending], "row {number}");
    }
}

#[tokio::test]
async fn a_refused_prompt_is_not_shown_to_the_model_again() {
    let mut server = Server::new([stream([vec![]], "content_filter"), stream([vec![words("Hi.")]], "stop")]);
    let (mut client, session) = connect(&server).await;
    assert_eq!(client.prompt(&session, "something bad").await, ["stop refusal"]);
    assert_eq!(client.prompt(&session, "something good").await, ["stop end_turn"]);
    messages(&mut server).await;
    assert_eq!(messages(&mut server).await[1..], [json!({"role": "user", "content": "something good"})]);
}

#[tokio::test]
async fn a_failing_server_is_an_error_that_says_what_happened() {
    let error = json!({"error": {"message": "out of tokens", "type": "x"}});
    let table = [
        (
            Answer::Status("500 Internal Server Error", error.to_string()),
            "`500 Internal Server Error`: out of tokens",
        ),
        (
            Answer::Status("401 Unauthorized", "<html>".into()),
            "/v1/chat/completions answered `401 Unauthorized`",
        ),
        (Answer::Stream(vec![words("Hi"), error]), "broke off: out of tokens"),
        (
            Answer::Status("404 Not Found", json!({"error": "no such model"}).to_string()),
            "`404 Not Found`: no such model",
        ),
        (Answer::Stream(vec![json!("nonsense")]), "an event that cannot be read"),
        (Answer::Cut(vec![words("Hi")]), "ended its answer in the middle"),
        (Answer::Cut(call(0, "id", "read_file", &json!({"path": "a"}))), "ended its answer in the middle"),
    ];
    for (answer, problem) in table {
        let server = Server::new([answer, stream([vec![words("Hi.")]], "stop")]);
        let (mut client, session) = connect(&server).await;
        let events = client.prompt(&session, "please").await;
        assert!(
            matches!(&events[..], [error] if error.starts_with("error") && error.contains(problem)),
            "{events:?}"
        );
        // The session still works.
        assert_eq!(client.prompt(&session, "again").await, ["stop end_turn"]);
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_an_error_that_names_it() {
    // Its list of answers is empty, so it stops listening.
    let server = Server::new([]);
    let (mut client, session) = connect(&server).await;
    let events = client.prompt(&session, "please").await;
    assert!(events[0].starts_with("error the model server at http://127.0.0.1:"), "{events:?}");
}

#[tokio::test]
async fn a_call_that_makes_no_sense_is_answered_with_the_reason() {
    let table = [
        ("delete_everything", "{}", "unknown variant `delete_everything`"),
        ("misunderstood", "{}", "unknown variant `misunderstood`"),
        ("read_file", "{}", "missing field `path`"),
        ("read_file", "{\"path\": ", "EOF while parsing"),
        ("update_plan", "{\"plan\": [{\"step\": \"a\", \"status\": \"maybe\"}]}", "unknown variant `maybe`"),
    ];
    for (name, arguments, reason) in table {
        let function = json!({"name": name, "arguments": arguments});
        let bad = delta(&json!({"tool_calls": [{"index": 0, "id": "id", "function": function}]}));
        let mut server =
            Server::new([stream([vec![bad]], "tool_calls"), stream([vec![words("Sorry.")]], "stop")]);
        let (mut client, session) = connect(&server).await;
        let events = client.prompt(&session, "please").await;
        assert_eq!(events, [format!("call-1 failed: {name}"), "stop end_turn".into()]);
        messages(&mut server).await;
        let told = messages(&mut server).await;
        assert_eq!(told[2]["tool_calls"][0]["function"]["name"], name);
        assert!(told[3]["content"].as_str().expect("text").contains(reason), "{}", told[3]);
    }
}

#[tokio::test]
async fn calls_without_numbers_are_told_apart_by_their_ids() {
    let piece = |id: Value, name: Value, arguments: &str| {
        delta(&json!({"tool_calls": [{"id": id, "function": {"name": name, "arguments": arguments}}]}))
    };
    let calls = vec![
        piece(json!("a"), json!("read_file"), "{\"path\":"),
        piece(Value::Null, Value::Null, " \"a.txt\"}"),
        piece(json!("b"), json!("read_file"), "{\"path\": \"b.txt\"}"),
    ];
    let server = Server::new([stream([calls], "tool_calls"), stream([vec![]], "stop")]);
    let (mut client, session) = connect(&server).await;
    let events = client.prompt(&session, "please").await;
    let read: Vec<_> = events.iter().filter(|event| event.starts_with("read")).collect();
    assert_eq!(read, ["read a.txt", "read b.txt"]);
}

#[tokio::test]
async fn a_cancel_hangs_up_on_the_server() {
    let mut server = Server::new([Answer::Hang(vec![words("Let me think")])]);
    let (mut client, session) = connect(&server).await;
    let prompt = json!([{"type": "text", "text": "please"}]);
    let events = client.prompt_with(&session, prompt, |event| event == "say Let me think").await;
    assert_eq!(events, ["stop cancelled"]);
    server.seen().await;
    assert_eq!(server.seen().await, Value::Null);
}

#[tokio::test]
async fn attachments_go_to_the_model() {
    let mut server = Server::new([stream([vec![]], "stop")]);
    let (mut client, session) = connect(&server).await;
    let prompt = json!([
        {"type": "text", "text": "look"},
        {"type": "resource_link", "uri": "file:///work/a.txt", "name": "a.txt"},
        {"type": "resource", "resource": {"uri": "file:///work/b.txt", "text": "bee"}},
    ]);
    client.prompt_with(&session, prompt, |_| false).await;
    let content = "look\n\nAttached: file:///work/a.txt\n\nAttached, from file:///work/b.txt:\n\nbee";
    assert_eq!(messages(&mut server).await[1]["content"], content);
}
