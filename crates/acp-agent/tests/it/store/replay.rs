//! `session/load` and `session/resume`.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use acp_agent::store::{Journal, Record, RecordKind, SessionStore};
use acp_agent::types::{Notice, NoticeSeverity, SessionInfo};
use acp_agent::{Result, Router, StopReason, ToolCall, Turn, op};
use serde_json::{Value, json};

use crate::store::wrapped::{Hooks, Wrapped};
use crate::store::{agent, connect, lines, load, named, texts};
use crate::support::{Wire, check_error, reopening};

#[tokio::test]
async fn a_loaded_session_has_its_whole_history_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let mut wire = connect(folder.path()).await;
    let session = wire.new_session().await;
    wire.turn(&session, "one\ntwo").await;
    wire.turn(&session, "three").await;
    wire.close().await;

    let expected =
        [("user", "one\ntwo"), ("agent", "one"), ("agent", "two"), ("user", "three"), ("agent", "three")];
    for _ in 0..2 {
        let mut wire = connect(folder.path()).await;
        let updates = load(&mut wire, &session).await;
        assert_eq!(texts(&updates), expected, "also when it was loaded before");
        // Each message of the user is one message.
        let ids: Vec<_> = updates.iter().map(|update| update["messageId"].as_str()).collect();
        assert_eq!((ids[0], ids[3]), (Some("prompt_1"), Some("prompt_2")));
        wire.close().await;
    }

    let mut wire = connect(folder.path()).await;
    load(&mut wire, &session).await;
    wire.turn(&session, "four").await;
    let all = load(&mut wire, &session).await;
    assert_eq!(texts(&all)[5..], [("user", "four"), ("agent", "four")], "it goes on where it was");
    wire.close().await;
}

/// Sends updates of many kinds.
async fn many(_: &(), turn: Turn) -> Result<StopReason> {
    turn.thought("hm").await?;
    turn.say("a \"quoted\" ☃ text\n").await?;
    let tool = turn.start_tool(ToolCall::new("call_1", "Look")).await?;
    tool.raw_output(acp_agent::Value::from(1.5)).await?;
    tool.complete().await?;
    turn.plan(["first", "second"]).await?;
    turn.title("A title").await?;
    turn.notice(Notice::new(NoticeSeverity::Info, "soon")).await?;
    Ok(StopReason::EndTurn)
}

#[tokio::test]
async fn updates_are_replayed_byte_for_byte_and_notices_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let agent = || Router::new("many", "1", ()).on::<op::Prompt, _>(many).store(Journal::at(folder.path()));
    let offers = json!({"session": {"notices": {}}});
    let (mut wire, session) = Wire::open(agent(), offers.clone()).await;
    let prompt = wire.prompt(&session, "go").await;
    let mut sent = Vec::new();
    loop {
        let line = wire.try_recv_line().await.unwrap();
        if !line.contains("session/update") {
            assert!(line.contains(&format!("\"id\":{prompt}")), "{line}");
            break;
        }
        sent.push(line);
    }
    wire.close().await;
    assert!(sent.len() > 6 && sent.pop().unwrap().contains("notice"));

    let mut wire = Wire::connect(agent(), offers).await;
    wire.request("session/load", named("session/load", &session)).await;
    let chunk = wire.recv().await;
    assert_eq!(chunk["params"]["update"]["sessionUpdate"], "user_message_chunk");
    for line in sent {
        assert_eq!(wire.try_recv_line().await.unwrap(), line);
    }
    assert_eq!(wire.recv().await["result"], json!({}));
    wire.close().await;
}

#[tokio::test]
async fn every_block_of_a_prompt_is_a_chunk_as_it_came() {
    let folder = tempfile::tempdir().unwrap();
    let mut wire = connect(folder.path()).await;
    let session = wire.new_session().await;
    let blocks = json!([
        {"type": "text", "text": "see", "annotations": {"priority": 0.5}},
        {"type": "resource_link", "name": "notes", "uri": "file:///notes", "_meta": {"acme.dev/x": [1]}},
    ]);
    let prompt = wire.request("session/prompt", json!({"sessionId": session, "prompt": blocks})).await;
    assert_eq!(wire.said().await, "see");
    wire.answer_to(prompt).await;
    let updates = load(&mut wire, &session).await;
    let chunk = |block: &Value| json!({"sessionUpdate": "user_message_chunk", "content": block, "messageId": "prompt_1"});
    assert_eq!(updates[..2], [chunk(&blocks[0]), chunk(&blocks[1])]);
    wire.close().await;
}

#[tokio::test]
async fn a_resumed_session_goes_on_without_a_replay() {
    let folder = tempfile::tempdir().unwrap();
    let mut wire = connect(folder.path()).await;
    let session = wire.new_session().await;
    wire.turn(&session, "one").await;
    wire.close().await;

    let mut wire = connect(folder.path()).await;
    let answer = wire.call("session/resume", named("session/resume", &session)).await;
    assert_eq!(answer["result"], json!({}));
    wire.turn(&session, "two").await;
    let updates = load(&mut wire, &session).await;
    assert_eq!(texts(&updates), [("user", "one"), ("agent", "one"), ("user", "two"), ("agent", "two")]);
    wire.close().await;
}

#[tokio::test]
async fn what_cannot_be_loaded_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut wire = connect(folder.path()).await;
    let session = wire.new_session().await;
    for method in ["session/load", "session/resume"] {
        let error = wire.refused(method, named(method, "nope"), -32002, &["`nope`"]).await;
        assert_eq!(error["data"]["sessionId"], "nope");
        let elsewhere = reopening(method, &session, "/elsewhere");
        wire.refused(method, elsewhere.clone(), -32602, &["`cwd`", &session]).await;
        wire.call("session/close", json!({"sessionId": session})).await;
        wire.refused(method, elsewhere, -32602, &["`cwd`", &session]).await;
        wire.refused(method, json!({"cwd": "/work", "mcpServers": []}), -32602, &["sessionId", method]).await;
        // A refused load leaves nothing open.
        wire.call("session/resume", named("session/resume", &session)).await;
    }
    wire.close().await;
}

/// Counts the records that were read.
#[derive(Default)]
struct Counting(AtomicUsize);

impl Hooks for Counting {
    fn is_whole(&self) -> bool {
        true
    }

    fn read(&self, batch: &[Record]) {
        self.0.fetch_add(batch.len(), Ordering::SeqCst);
    }
}

#[tokio::test]
async fn a_long_session_is_read_no_faster_than_the_client_takes_it() {
    /// Four times of what is read ahead, about.
    const UPDATES: usize = 20_000;
    /// The bytes that the pipe holds, and as many that may be queued before it.
    const PIPE: usize = 16 * 1024;
    /// The bytes that the journal reads at once. It reads the next batch while one is sent.
    const BATCH: usize = 256 * 1024;

    let folder = tempfile::tempdir().unwrap();
    let journal = Journal::at(folder.path());
    let update = |number: usize| json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": format!("{number:06}")}});
    let mut log = journal.create(SessionInfo::new("long", "/work")).await.unwrap();
    for batch in (0..UPDATES).collect::<Vec<_>>().chunks(1000) {
        let records =
            batch.iter().map(|number| Record::new(RecordKind::Update, update(*number).to_string()).unwrap());
        log.append(records.collect()).await.unwrap();
    }
    drop(log);

    let store = Wrapped::new(journal, Counting::default());
    let mut wire = Wire::serve_through(Arc::new(agent(store.clone())), PIPE);
    wire.initialize(json!({})).await;
    let id = wire.request("session/load", named("session/load", "long")).await;
    // Records wait in the pipe, its queue, the test's own buffer and two batches. A record is
    // longer on the wire than in the file.
    let ahead = (2 * PIPE + 8 * 1024 + 2 * BATCH) / update(0).to_string().len() + 3;
    for number in 0..UPDATES {
        assert_eq!(wire.update().await, update(number));
        let read = store.0.load(Ordering::SeqCst);
        assert!(read <= number + ahead, "{read} were read when the client had {number}");
    }
    check_no_error(&wire.answer_to(id).await);
    wire.close().await;
}

fn check_no_error(answer: &Value) {
    assert!(answer.get("error").is_none(), "{answer}");
}

#[tokio::test]
async fn a_replay_ends_with_its_request() {
    let folder = tempfile::tempdir().unwrap();
    let mut wire = connect(folder.path()).await;
    let session = wire.new_session().await;
    let text = vec!["x".repeat(200); 2_000].join("\n");
    wire.turn(&session, &text).await;
    wire.close().await;

    let mut wire = Wire::serve_through(Arc::new(agent(Journal::at(folder.path()))), 4096);
    wire.initialize(json!({})).await;
    let id = wire.request("session/load", named("session/load", &session)).await;
    wire.recv().await;
    wire.notify("$/cancel_request", json!({"requestId": id})).await;
    let mut updates = 0;
    let answer = loop {
        let message = wire.recv().await;
        if message["id"] == id {
            break message;
        }
        updates += 1;
    };
    check_error(&answer, -32800, &[]);
    assert!(updates < 2_000, "{updates}");
    // It can be opened: nothing of it is left.
    check_no_error(&wire.call("session/resume", named("session/resume", &session)).await);
    wire.close().await;
}

#[tokio::test]
async fn the_same_agent_without_a_store_offers_none_of_it() {
    let agent = Router::new("lines", "1.0.0", ()).on::<op::Prompt, _>(lines);
    let mut wire = Wire::serve(agent);
    let answer = wire.initialize(json!({})).await;
    let offered = &answer["agentCapabilities"];
    assert_eq!((offered.get("loadSession"), offered.get("sessionCapabilities")), (None, None), "{offered}");
    for method in ["session/load", "session/resume", "session/close", "session/delete"] {
        wire.refused(method, named(method, "s"), -32601, &[method]).await;
    }
    wire.close().await;
}

#[tokio::test]
async fn an_agent_with_a_store_offers_all_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut wire = Wire::serve(agent(Journal::at(folder.path())));
    let answer = wire.initialize(json!({})).await;
    let offered = &answer["agentCapabilities"];
    assert_eq!(offered["loadSession"], true);
    assert_eq!(offered["sessionCapabilities"], json!({"list": {}, "resume": {}, "close": {}, "delete": {}}));
    wire.close().await;
}

/// Says how many entries of the history it can read.
async fn count(_: &(), turn: Turn) -> Result<StopReason> {
    let mut history = turn.history().await?;
    let mut entries = 0;
    while history.next().await?.is_some() {
        entries += 1;
    }
    turn.say(entries.to_string()).await?;
    Ok(StopReason::EndTurn)
}

#[tokio::test]
async fn records_that_cannot_be_read_are_passed_over_and_reported() {
    let folder = tempfile::tempdir().unwrap();
    let journal = Journal::at(folder.path());
    let said = |text: &str| json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}});
    let records = [
        (RecordKind::Prompt, json!([{"type": "text", "text": "hi"}])),
        (RecordKind::Update, said("one")),
        // A known kind with other members, as a later version may write it.
        (RecordKind::Update, json!({"sessionUpdate": "config_option_update", "secretOptions": {}})),
        (RecordKind::Update, json!(["no update"])),
        (RecordKind::Prompt, json!({"secret": "no list"})),
        (RecordKind::Update, json!({"sessionUpdate": "unknown_to_all", "x": 1})),
        (RecordKind::Update, said("two")),
    ];
    let mut log = journal.create(SessionInfo::new("s", "/work")).await.unwrap();
    let records = records.map(|(kind, json)| Record::new(kind, json.to_string()).unwrap());
    log.append(records.to_vec()).await.unwrap();
    drop(log);

    let faults = Arc::new(std::sync::Mutex::new(Vec::new()));
    let told = Arc::clone(&faults);
    let agent = Router::new("count", "1", ()).on::<op::Prompt, _>(count).store(journal);
    let serve =
        acp_agent::Serve::new(agent).on_fault(move |fault| told.lock().unwrap().push(fault.to_string()));
    let mut wire = Wire::serve_as(serve).unchecked();
    wire.initialize(json!({})).await;
    let updates = load(&mut wire, "s").await;
    assert_eq!(texts(&updates), [("user", "hi"), ("agent", "one"), ("unknown_to_all", ""), ("agent", "two")]);
    let numbers = ["record 3 of session `s`", "record 4 of session `s`", "record 5 of session `s`"];
    let check = || {
        let faults = std::mem::take(&mut *faults.lock().unwrap());
        assert_eq!(faults.len(), numbers.len(), "{faults:?}");
        for (fault, number) in faults.iter().zip(numbers) {
            assert!(fault.starts_with(number) && fault.contains("was skipped"), "{fault}");
            assert!(!fault.contains("secret"), "{fault}");
        }
    };
    check();
    // Handlers skip them as well, and read the four others and the prompt.
    assert_eq!(texts(&wire.turn("s", "count").await.0), [("agent", "5")]);
    check();
    wire.close().await;
}

/// Rule `v1-load-08`, also for ids that no session can have. The answer shortens long ids.
#[tokio::test]
async fn an_id_that_no_session_can_have_is_unknown() {
    let folder = tempfile::tempdir().unwrap();
    let mut wire = connect(folder.path()).await;
    for id in [String::new(), "x".repeat(300), "ü".repeat(10_000)] {
        for method in ["session/load", "session/resume", "session/prompt"] {
            let mut params = named(method, &id);
            params["prompt"] = json!([]);
            let answer = wire.call(method, params).await;
            check_error(&answer, -32002, &[]);
            assert!(answer.to_string().len() < 1024, "{method}: {} bytes", answer.to_string().len());
        }
        assert_eq!(wire.call("session/delete", json!({"sessionId": id})).await["result"], json!({}));
    }
    wire.close().await;
}
