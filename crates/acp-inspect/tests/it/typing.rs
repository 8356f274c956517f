//! Members of wrong types, and tool calls without end: the items of a transcript are small, and have
//! the types that the page draws.

use acp_inspect::Store;
use acp_testkit::recordings::Direction;
use serde_json::{Value, json};

use crate::support::{Page, say};

/// Values of all types but text, and one that breaks `String()` of the page.
pub(crate) fn wrong() -> Vec<Value> {
    vec![
        json!(null),
        json!(5),
        json!(true),
        json!([]),
        json!([null]),
        json!([[1], "x", {}]),
        json!({"toString": 1, "length": 3}),
    ]
}

/// Says a session in which each member that the page reads has a wrong type.
pub(crate) fn mistyped(store: &Store, session: &str, wrong: &Value) {
    let update = |update: Value| {
        let params = json!({"sessionId":session,"update":update});
        say(store, 0, Direction::In, &json!({"jsonrpc":"2.0","method":"session/update","params":params}));
    };
    let id = format!("{session} of {wrong}");
    let ask = |id: &str, method: &str, params: Value| {
        let direction = if method == "session/prompt" { Direction::Out } else { Direction::In };
        say(store, 0, direction, &json!({"jsonrpc":"2.0","id":id,"method":method,"params":params}));
    };
    ask(
        &id,
        "session/prompt",
        json!({"sessionId":session,"prompt":[{"type":"text","text":"before"}, wrong]}),
    );
    let diff = json!({"type":"diff","path":wrong,"oldText":wrong,"newText":wrong,"patch":{"text":wrong}});
    update(json!({
        "sessionUpdate":"tool_call","toolCallId":format!("tool {wrong}"),"title":wrong,"status":wrong,"kind":wrong,
        "rawInput":wrong,"content":[diff, {"type":"content","content":wrong}, {"type":"terminal","terminalId":wrong}, wrong],
    }));
    update(json!({"sessionUpdate":"tool_call","toolCallId":wrong,"title":"no id","content":wrong}));
    update(json!({"sessionUpdate":"plan","entries":wrong}));
    update(
        json!({"sessionUpdate":"plan","entries":[wrong, {"content":wrong,"status":wrong}, {"content":"Do"}]}),
    );
    update(
        json!({"sessionUpdate":"usage_update","used":wrong,"size":wrong,"cost":{"amount":1,"currency":wrong}}),
    );
    update(json!({"sessionUpdate":"agent_message_chunk","content":{"type":wrong,"text":wrong}}));
    let options = json!([wrong, {"optionId":wrong,"name":wrong,"kind":wrong}, {"optionId":"y","name":"Yes"}]);
    for (at, options) in [wrong.clone(), options].into_iter().enumerate() {
        let asked = json!({"sessionId":session,"title":wrong,"toolCall":{"title":wrong},"options":options});
        ask(&format!("{id} {at}"), "session/request_permission", asked);
        let outcome = json!({"outcome":wrong,"optionId":wrong});
        let answer = json!({"jsonrpc":"2.0","id":format!("{id} {at}"),"result":{"outcome":outcome}});
        say(store, 0, Direction::Out, &answer);
    }
    let end = json!({"jsonrpc":"2.0","id":id,"result":{"stopReason":wrong,"usage":{"totalTokens":wrong}}});
    say(store, 0, Direction::In, &end);
}

/// Fails unless a member is a text or not there.
fn is_text(item: &Value, pointer: &str) {
    let member = item.pointer(pointer).unwrap_or(&Value::Null);
    assert!(member.is_null() || member.is_string(), "{pointer} of {item}");
}

#[tokio::test]
async fn members_of_wrong_types_are_left_out() {
    for wrong in wrong() {
        let store = Store::new().expect("a file");
        mistyped(&store, "s1", &wrong);
        let page = Page::open(store).await;
        let items = page.get("/api/sessions/s1?after=0").await.json()["items"].take();
        let items = items.as_array().unwrap();
        assert!(items.len() >= 8, "with {wrong} there are {items:#?}");
        for item in items {
            for text in ["/text", "/answer", "/tool/id", "/tool/title", "/tool/kind", "/tool/status"] {
                is_text(item, text);
            }
            for diff in item["tool"]["diffs"].as_array().into_iter().flatten() {
                is_text(diff, "/path");
                assert!(diff["rows"].is_array(), "{diff}");
            }
            for list in ["plan", "options"] {
                assert!(item[list].is_null() || item[list].is_array(), "{item}");
                for entry in item[list].as_array().into_iter().flatten() {
                    let entry = entry.as_object().expect("an object");
                    assert!(entry.values().all(Value::is_string), "{entry:?}");
                }
            }
            for number in ["/usage/used", "/usage/size", "/usage/totalTokens", "/usage/cost/amount"] {
                assert!(item.pointer(number).is_none_or(Value::is_number), "{item}");
            }
            is_text(item, "/usage/cost/currency");
        }
        // The members beside them stay.
        let plan = items.iter().rfind(|item| item["kind"] == "plan").unwrap();
        assert!(plan["plan"].as_array().unwrap().contains(&json!({"content":"Do"})), "{plan}");
        let asked = items.iter().rfind(|item| item["kind"] == "permission").unwrap();
        assert!(
            asked["options"].as_array().unwrap().contains(&json!({"optionId":"y","name":"Yes"})),
            "{asked}"
        );
    }
}

#[tokio::test]
async fn an_update_of_a_wrong_type_leaves_the_member_before() {
    let store = Store::new().expect("a file");
    let update = |update: Value| {
        let params = json!({"sessionId":"s1","update":update});
        say(&store, 0, Direction::In, &json!({"jsonrpc":"2.0","method":"session/update","params":params}));
    };
    update(json!({"sessionUpdate":"tool_call","toolCallId":"t","title":"Edit","status":"pending"}));
    update(json!({"sessionUpdate":"tool_call_update","toolCallId":"t","title":5,"status":{}}));
    let page = Page::open(store).await;
    let tool = page.get("/api/sessions/s1?after=0").await.json()["items"][0]["tool"].take();
    assert_eq!(json!([tool["title"], tool["status"]]), json!(["Edit", "pending"]));
}

/// Says a tool call whose output comes in 10,000 chunks. Returns its item, and the bytes of the page.
async fn chunks(content: impl Fn(usize) -> Value) -> (Value, usize) {
    let store = Store::new().expect("a file");
    let update = |update: Value| {
        let params = json!({"sessionId":"s1","update":update});
        say(&store, 0, Direction::In, &json!({"jsonrpc":"2.0","method":"session/update","params":params}));
    };
    update(json!({"sessionUpdate":"tool_call_update","toolCallId":"t","title":"Run"}));
    for at in 0..10_000 {
        let content = content(at);
        update(json!({"sessionUpdate":"tool_call_content_chunk","toolCallId":"t","content":content}));
    }
    let page = Page::open(store).await;
    let answer = page.get("/api/sessions/s1?after=0").await;
    let whole = answer.json();
    assert_eq!(whole["items"].as_array().unwrap().len(), 1);
    (whole["items"][0]["tool"].clone(), answer.body.len())
}

#[tokio::test]
async fn output_in_10_000_chunks_is_one_small_item() {
    let text = |text: String| json!({"type":"content","content":{"type":"text","text":text}});
    let (tool, bytes) = chunks(|at| text(format!("{at}"))).await;
    let all: Vec<_> = tool["texts"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
    let wants: Vec<_> = (0..10_000).map(|at| at.to_string()).collect();
    assert_eq!(all.join("\n"), wants.join("\n"), "short output is whole");
    assert_eq!(tool["cut"], json!({"texts":false,"diffs":false}));
    assert!(all.len() <= 100 && bytes < 70_000, "{} texts, {bytes} bytes", all.len());

    let (tool, bytes) = chunks(|_| text("é".repeat(100))).await;
    assert_eq!(tool["cut"], json!({"texts":true,"diffs":false}));
    assert!(bytes < 70_000, "{bytes} bytes");
    let (tool, _) = chunks(|_| text(String::new())).await;
    assert_eq!(tool["cut"], json!({"texts":false,"diffs":false}));
    assert!(tool["texts"].as_array().unwrap().len() <= 100);
}

#[tokio::test]
async fn changes_in_10_000_chunks_are_one_small_item() {
    let path = "p".repeat(5000);
    let diff = |text: String| json!({"type":"diff","path":path,"patch":{"format":"git","text":text}});
    let (tool, bytes) = chunks(|at| diff(format!("+{at}"))).await;
    let diffs = tool["diffs"].as_array().unwrap();
    assert_eq!(json!([diffs.len(), diffs[99]["rows"]]), json!([100, [{"mark":"right","text":"99"}]]));
    assert_eq!(tool["cut"], json!({"texts":false,"diffs":true}));
    assert!(bytes < 500_000, "{bytes} bytes");

    let (tool, bytes) = chunks(|_| diff("+a line of a file\n".repeat(500))).await;
    assert_eq!(tool["cut"], json!({"texts":false,"diffs":true}));
    assert!(bytes < 2_000_000, "{bytes} bytes");
}

#[tokio::test]
async fn output_that_is_replaced_has_room_again() {
    let store = Store::new().expect("a file");
    let text = |text: &str| json!({"type":"content","content":{"type":"text","text":text}});
    for content in [json!([text(&"x".repeat(100_000))]), json!([text("new")]), text("more")] {
        let update = json!({"sessionUpdate":"tool_call_update","toolCallId":"t","content":content});
        let params = json!({"sessionId":"s1","update":update});
        say(&store, 0, Direction::In, &json!({"jsonrpc":"2.0","method":"session/update","params":params}));
    }
    let page = Page::open(store).await;
    let tool = page.get("/api/sessions/s1?after=0").await.json()["items"][0]["tool"].take();
    assert_eq!(json!([tool["texts"], tool["cut"]["texts"]]), json!([["new", "more"], false]));
}
