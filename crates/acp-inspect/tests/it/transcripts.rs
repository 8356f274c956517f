//! Sessions as people read them.

use acp_inspect::Store;
use acp_testkit::recordings::Direction;
use serde_json::{Value, json};

use crate::support::{Page, say, turn};

#[tokio::test]
async fn a_session_is_a_transcript() {
    let page = Page::open(turn(1)).await;
    let sessions = page.get("/api/sessions").await.json();
    assert_eq!(sessions, json!([{"id":"s1","title":null,"turns":1,"first":4,"last":9}]));
    let whole = page.get("/api/sessions/s1?after=0").await.json();
    let said: Vec<_> =
        whole["items"].as_array().unwrap().iter().map(|item| json!([item["kind"], item["text"]])).collect();
    assert_eq!(
        json!(said),
        json!([["user", "Hello"], ["agent", "Good day"], ["tool", "Edit"], ["end", "end_turn"]])
    );
    let rows = json!([{"mark":"left","text":"x"}, {"mark":"right","text":"y"}]);
    assert_eq!(whole["items"][2]["tool"]["diffs"], json!([{"path":"/a","rows":rows}]));
    let first = page.get("/api/sessions/s1?after=0&limit=2").await.json();
    assert_eq!(json!([first["more"], first["next"]]), json!([true, 7]));
    let rest = page.get("/api/sessions/s1?after=7").await.json();
    assert_eq!(rest["items"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn all_updates_of_a_tool_call_are_one_item_on_its_page() {
    let store = turn(1);
    let update = |update: Value| json!({"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":update}});
    let tool = |id: &str, more: Value| {
        let mut tool = json!({"sessionUpdate":"tool_call_update","toolCallId":id});
        tool.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        update(tool)
    };
    let text = |text: &str| json!([{"type":"content","content":{"type":"text","text":text}}]);
    let say = |message: Value| say(&store, 10_000, Direction::In, &message);
    say(tool("t", json!({"status":"in_progress","title":null,"content":text("half")})));
    say(update(json!({"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Between"}})));
    say(tool("t", json!({"status":"completed","content":text("whole"),"rawOutput":{"code":0},"unknown":1})));
    // An update without a beginning is shown all the same, once.
    say(tool("alone", json!({})));
    say(tool("alone", json!({"status":"failed"})));
    let page = Page::open(store).await;
    let whole = page.get("/api/sessions/s1?after=0").await.json();
    let items = whole["items"].as_array().unwrap();
    let said: Vec<_> =
        items.iter().map(|item| json!([item["seq"], item["kind"], item["tool"]["status"]])).collect();
    assert_eq!(
        json!(said),
        json!([
            [5, "user", null],
            [6, "agent", null],
            [8, "tool", "completed"],
            [9, "end", null],
            [11, "agent", null],
            [13, "tool", "failed"]
        ])
    );
    let tool = &items[2]["tool"];
    assert_eq!(
        json!([tool["title"], tool["texts"], tool["diffs"], tool["output"]]),
        json!(["Edit", ["whole"], [], {"code":0}]),
        "the newest content replaces that before, and what is left out stays"
    );
    // The page on which it begins has it whole, and the pages behind leave its updates out.
    let first = page.get("/api/sessions/s1?after=0&limit=3").await.json();
    assert_eq!(json!([first["more"], first["items"][2]["tool"]["status"]]), json!([true, "completed"]));
    let rest = page.get(&format!("/api/sessions/s1?after={}", first["next"])).await.json();
    let kinds: Vec<_> = rest["items"].as_array().unwrap().iter().map(|item| &item["kind"]).collect();
    assert_eq!(json!(kinds), json!(["end", "agent", "tool"]));
}

#[tokio::test]
async fn a_permission_has_its_options_and_the_answer() {
    let store = turn(1);
    let asked = json!({"sessionId":"s1","toolCall":{"toolCallId":"t","title":"Edit"},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"}]});
    for id in [1, 2, 3] {
        let message = json!({"jsonrpc":"2.0","id":id,"method":"session/request_permission","params":asked});
        say(&store, 10_000, Direction::In, &message);
    }
    let chosen = json!({"outcome":{"outcome":"selected","optionId":"y"}});
    say(&store, 11_000, Direction::Out, &json!({"jsonrpc":"2.0","id":1,"result":chosen}));
    let cancelled = json!({"outcome":{"outcome":"cancelled"}});
    say(&store, 11_000, Direction::Out, &json!({"jsonrpc":"2.0","id":2,"result":cancelled}));
    let page = Page::open(store).await;
    let items = page.get("/api/sessions/s1?after=9").await.json()["items"].take();
    let answers: Vec<_> = items.as_array().unwrap().iter().map(|item| &item["answer"]).collect();
    assert_eq!(json!(answers), json!(["y", "cancelled", null]));
    assert_eq!(items[0]["options"][0]["name"], "Yes");
}

#[tokio::test]
async fn a_session_of_version_2_is_a_transcript() {
    let store = turn(2);
    let update = |update: Value| {
        let params = json!({"sessionId":"s1","update":update});
        say(
            &store,
            10_000,
            Direction::In,
            &json!({"jsonrpc":"2.0","method":"session/update","params":params}),
        );
    };
    update(
        json!({"sessionUpdate":"tool_call_update","toolCallId":"v","title":"Edit","status":"in_progress"}),
    );
    let patch = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n same\n";
    let diff = json!({"type":"diff","changes":[{"operation":"modify","path":"/x"}],"patch":{"format":"git","text":patch}});
    update(json!({"sessionUpdate":"tool_call_content_chunk","toolCallId":"v","content":diff}));
    update(
        json!({"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[{"content":"Do","status":"pending"}]}}),
    );
    update(
        json!({"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn","usage":{"totalTokens":5}}),
    );
    let page = Page::open(store).await;
    let items = page.get("/api/sessions/s1?after=9").await.json()["items"].take();
    let rows = json!([
        {"mark":"gap","text":"@@ -1 +1 @@"}, {"mark":"left","text":"old"}, {"mark":"right","text":"new"},
        {"mark":"same","text":"same"}
    ]);
    assert_eq!(items[0]["tool"]["diffs"], json!([{"path":"/x","rows":rows}]));
    assert_eq!(items[1]["plan"][0]["content"], "Do");
    assert_eq!(items[2], json!({"seq":13,"kind":"end","text":"end_turn","usage":{"totalTokens":5}}));
}

#[tokio::test]
async fn a_large_diff_is_cut_and_shows_what_is_around_its_changes() {
    let store = turn(1);
    let old: String = (0..5000).map(|line| format!("line {line}\n")).collect();
    let new = old.replace("line 40\n", "other\n").replace("line 4000\n", "");
    for (old, new) in [(old.as_str(), new.as_str()), ("", old.as_str())] {
        let diff = json!({"type":"diff","path":"/x","oldText":old,"newText":new});
        let update = json!({"sessionUpdate":"tool_call","toolCallId":new.len().to_string(),"title":"t","content":[diff]});
        let params = json!({"sessionId":"s1","update":update});
        say(
            &store,
            10_000,
            Direction::In,
            &json!({"jsonrpc":"2.0","method":"session/update","params":params}),
        );
    }
    let page = Page::open(store).await;
    let items = page.get("/api/sessions/s1?after=9").await.json()["items"].take();
    let marks = |item: &Value| -> String {
        let rows = item["tool"]["diffs"][0]["rows"].as_array().unwrap().iter();
        rows.map(|row| &row["mark"].as_str().unwrap()[..1]).collect()
    };
    assert_eq!(marks(&items[0]), "ssslrsssgssslsss");
    assert_eq!(marks(&items[1]), format!("{}g", "r".repeat(2000)));
}

/// A session of version 2, said line by line.
fn in_version_2(said: &[Value]) -> Store {
    let store = Store::new().expect("a file");
    let update = |update: &Value| json!({"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":update}});
    for message in said {
        if message.get("method").is_some() {
            say(&store, 0, Direction::Out, message);
        } else if message.get("id").is_some() {
            say(&store, 0, Direction::In, message);
        } else {
            say(&store, 0, Direction::In, &update(message));
        }
    }
    store
}

fn prompt(id: u64) -> Value {
    let params = json!({"sessionId":"s1","prompt":[{"type":"text","text":format!("ask {id}")}]});
    json!({"jsonrpc":"2.0","id":id,"method":"session/prompt","params":params})
}

fn state(state: &str) -> Value {
    json!({"sessionUpdate":"state_update","state":state})
}

fn idle(reason: &str) -> Value {
    json!({"sessionUpdate":"state_update","state":"idle","stopReason":reason})
}

fn accepted(id: u64) -> Value {
    json!({"jsonrpc":"2.0","id":id,"result":{"messageId":format!("u{id}")}})
}

fn words(kind: &str, id: &str, text: &str) -> Value {
    let content = json!({"type":"text","text":text});
    let is_chunk = kind.ends_with("_chunk");
    let content = if is_chunk { content } else { json!([content]) };
    json!({"sessionUpdate":kind,"messageId":id,"content":content})
}

/// Returns the kinds and texts of the items.
async fn items(page: &Page, query: &str) -> Value {
    let whole = page.get(&format!("/api/sessions/s1?{query}")).await.json();
    let items = whole["items"].as_array().unwrap().iter();
    items.map(|item| json!([item["kind"], item["text"]])).collect()
}

#[tokio::test]
async fn a_turn_of_version_2_ends_with_a_change_to_idle() {
    let failed = json!({"sessionUpdate":"state_update","state":"idle","stopReason":"error","error":{"code":1,"message":"no"}});
    let store = in_version_2(&[
        prompt(1),
        // Of an earlier time.
        state("idle"),
        accepted(1),
        state("running"),
        state("requires_action"),
        state("_strange"),
        state("idle"),
        // Repeats end nothing, also with a reason.
        state("idle"),
        idle("end_turn"),
        prompt(2),
        accepted(2),
        state("running"),
        idle("end_turn"),
        idle("end_turn"),
        // This agent does not say that it is at work.
        prompt(3),
        accepted(3),
        failed,
        // It begins on its own.
        state("running"),
        idle("max_tokens"),
    ]);
    let page = Page::open(store).await;
    let whole = items(&page, "after=0").await;
    let wants = json!([
        ["user", "ask 1"],
        ["end", null],
        ["user", "ask 2"],
        ["end", "end_turn"],
        ["user", "ask 3"],
        ["end", "error: no"],
        ["end", "max_tokens"]
    ]);
    assert_eq!(whole, wants);
    // A page that begins anywhere judges as the whole does.
    for (after, wants) in [(7, 2), (9, 2), (10, 3), (12, 3), (13, 4), (17, 6), (18, 6), (19, 7)] {
        let rest = items(&page, &format!("after={after}")).await;
        assert_eq!(rest.as_array().unwrap()[..], whole.as_array().unwrap()[wants..], "behind {after}");
    }
}

#[tokio::test]
async fn a_message_of_version_2_is_one_item_and_a_prompt_is_shown_once() {
    let none = json!({"sessionUpdate":"agent_message","messageId":"a","unknown":1});
    let cleared = json!({"sessionUpdate":"agent_thought","messageId":"t","content":null});
    let store = in_version_2(&[
        prompt(1),
        // The repeat of a prompt may come before its answer, and in pieces.
        words("user_message_chunk", "u1", "as"),
        words("user_message_chunk", "u1", "k 1"),
        accepted(1),
        words("user_message", "other", "typed elsewhere"),
        words("agent_message_chunk", "a", "Wor"),
        words("agent_thought_chunk", "t", "hm"),
        words("agent_message_chunk", "a", "ds"),
        none,
        cleared,
        words("agent_message_chunk", "b", "An"),
        words("agent_message_chunk", "c", "third"),
        words("agent_message", "b", "Another"),
        words("agent_thought", "a", "of one id, and of another kind"),
        words("user_message", "u1", "ask 1"),
    ]);
    let page = Page::open(store).await;
    let wants = json!([
        ["user", "ask 1"],
        ["user", "typed elsewhere"],
        ["agent", "Words"],
        ["thought", ""],
        ["agent", "Another"],
        ["agent", "third"],
        ["thought", "of one id, and of another kind"]
    ]);
    assert_eq!(items(&page, "after=0").await, wants);
    assert_eq!(items(&page, "after=14").await, json!([]), "also on a page of its own");
}
