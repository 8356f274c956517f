//! The page as the client of an agent.

use acp_inspect::{Driver, Inspector, Source, Store};
use acp_testkit::recordings::{Tape, TapeOptions};
use acp_types::v1::ProtocolVersion;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, duplex, split};

use super::chromium::Browser;
use crate::driven::{first, second};

/// An agent that edits a file after it was allowed, and answers other requests by an error.
async fn agent(stream: DuplexStream, is_second: bool) {
    let (reader, mut writer) = split(stream);
    let mut lines = BufReader::new(reader).lines();
    let mut turn = Value::Null;
    while let Some(line) = lines.next_line().await.expect("text") {
        let message: Value = serde_json::from_str(&line).expect("JSON");
        let id = &message["id"];
        let answer = |result: Value| vec![json!({"jsonrpc":"2.0","id":id,"result":result})];
        let said = match message["method"].as_str() {
            Some("initialize") if is_second => answer(second()),
            Some("initialize") => answer(first()),
            Some("session/new") => answer(json!({"sessionId":"s1"})),
            Some("session/prompt") if is_second => {
                let mut said = answer(json!({"messageId":"m1"}));
                said.extend(asked_in_second(&message["params"]["prompt"]));
                said
            }
            Some("session/prompt") => {
                turn = id.clone();
                let mut said =
                    if message["params"]["prompt"][0]["text"] == "Much" { much() } else { Vec::new() };
                said.extend(asked());
                said
            }
            Some("session/cancel") => Vec::new(),
            Some(_) => vec![json!({"jsonrpc":"2.0","id":id,"error":{"code":-32601,"message":"not here"}})],
            // The file that the page does not offer.
            None if message["id"] == "f" => Vec::new(),
            None if is_second => ended_in_second(&message["result"]["outcome"]),
            None => ended(&turn, &message["result"]["outcome"]),
        };
        for message in said {
            writer.write_all(format!("{message}\n").as_bytes()).await.expect("it reads");
        }
    }
}

fn update(update: &Value) -> Value {
    json!({"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":update}})
}

fn asked() -> Vec<Value> {
    let call = json!({"toolCallId":"t","title":"Edit cart.ts"});
    let options = json!([
        {"optionId":"yes","name":"Allow once","kind":"allow_once"},
        {"optionId":"no","name":"Reject","kind":"reject_once"}
    ]);
    let params = json!({"sessionId":"s1","toolCall":call,"options":options});
    vec![
        json!({"jsonrpc":"2.0","id":"f","method":"fs/read_text_file","params":{"sessionId":"s1","path":"/cart.ts"}}),
        update(
            &json!({"sessionUpdate":"tool_call","toolCallId":"t","title":"Edit cart.ts","status":"pending"}),
        ),
        json!({"jsonrpc":"2.0","id":"p","method":"session/request_permission","params":params}),
    ]
}

/// Questions that are long, and of wrong types.
fn much() -> Vec<Value> {
    let ask = |id: &str, params: Value| json!({"jsonrpc":"2.0","id":id,"method":"session/request_permission","params":params});
    let input = json!({"text":"x".repeat(300 * 1024)});
    let long = json!({"toolCallId":"l","rawInput":input,"title":"Write a long file"});
    let options = json!([null, 5, {"optionId":{"toString":1}}, {"optionId":"yes","name":7,"kind":[]}]);
    vec![
        ask(
            "1",
            json!({"sessionId":"s1","toolCall":long,"options":[{"optionId":"yes","name":"Write","kind":"allow_once"}]}),
        ),
        ask(
            "2",
            json!({"sessionId":"s1","title":{"toString":1},"description":5,"subject":{"type":"command","command":{}},"options":options}),
        ),
        ask("3", json!(null)),
        ask("4", json!({"sessionId":"s1","options":{}})),
    ]
}

/// The answer has come before, and the turn goes on.
fn asked_in_second(prompt: &Value) -> Vec<Value> {
    let subject = json!({"type":"command","command":"make test","cwd":"/work"});
    let options = json!([
        {"optionId":"yes","name":"Allow once","kind":"allow_once"},
        {"optionId":"no","name":"Reject","kind":"reject_once"}
    ]);
    let params = json!({
        "sessionId":"s1","title":"Run the tests","description":"All of them","subject":subject,"options":options
    });
    vec![
        update(&json!({"sessionUpdate":"user_message","messageId":"m1","content":prompt})),
        update(&json!({"sessionUpdate":"state_update","state":"running"})),
        update(
            &json!({"sessionUpdate":"agent_message_chunk","messageId":"m2","content":{"type":"text","text":"Wait"}}),
        ),
        update(&json!({"sessionUpdate":"state_update","state":"requires_action"})),
        json!({"jsonrpc":"2.0","id":"p","method":"session/request_permission","params":params}),
    ]
}

fn ended_in_second(outcome: &Value) -> Vec<Value> {
    let stop = if outcome["outcome"] == "cancelled" { "cancelled" } else { "end_turn" };
    let idle = update(&json!({"sessionUpdate":"state_update","state":"idle","stopReason":stop}));
    let said = json!([{"type":"text","text":"Done"}]);
    vec![
        update(&json!({"sessionUpdate":"state_update","state":"running"})),
        update(&json!({"sessionUpdate":"agent_message","messageId":"m2","content":said})),
        idle.clone(),
        idle,
    ]
}

fn ended(turn: &Value, outcome: &Value) -> Vec<Value> {
    let diff = json!({"type":"diff","path":"/cart.ts","oldText":"old\n","newText":"new\n"});
    let is_allowed = outcome["optionId"] == "yes";
    let status = if is_allowed { "completed" } else { "failed" };
    let content = if is_allowed { json!([diff]) } else { json!([]) };
    let stop = if outcome["outcome"] == "cancelled" { "cancelled" } else { "end_turn" };
    vec![
        update(
            &json!({"sessionUpdate":"tool_call_update","toolCallId":"t","status":status,"content":content}),
        ),
        json!({"jsonrpc":"2.0","id":turn,"result":{"stopReason":stop}}),
    ]
}

async fn open() -> Option<Browser> {
    open_in(false).await
}

/// Opens a page that offers both versions to an agent of one.
async fn open_in(is_second: bool) -> Option<Browser> {
    let mut browser = Browser::start().await?;
    let store = Store::new().expect("a file");
    let versions = [ProtocolVersion::V2, ProtocolVersion::V1];
    let driver = Driver::new("/work".into()).versions(versions);
    let inspector = Inspector::listen(([127, 0, 0, 1], 0).into(), store.clone(), Source::Live, "agent");
    let inspector = inspector.await.expect("a port").driven_by(&driver);
    let address = inspector.url();
    tokio::spawn(inspector.serve());
    let (here, there) = duplex(1 << 16);
    tokio::spawn(agent(there, is_second));
    tokio::spawn(async move {
        let tape = Tape::start_into(store.sink(), TapeOptions::default().redaction(None)).expect("a thread");
        let (reader, writer) = split(here);
        driver.run(&tape, reader, writer).await.expect("it ends");
    });
    browser.call("Page.navigate", json!({"url": address}));
    browser.until("document.getElementById('count')?.textContent === '2'");
    Some(browser)
}

fn prompt(browser: &mut Browser, text: &str) {
    browser.click("#prompt");
    browser.enter(text);
    browser.press("Enter");
    browser.until("document.querySelector('#asks .ask')");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_prompts_answers_the_permission_and_sees_the_diff() {
    let Some(mut browser) = open().await else { return };
    browser.click("#new-session");
    browser.until("document.querySelector('#session-list [aria-current]')?.textContent.startsWith('s1')");
    prompt(&mut browser, "Correct the cart");
    assert_eq!(browser.text("#asks p"), "The agent asks: Edit cart.ts");
    browser.click("#asks [data-kind=allow_once]");
    browser.until("document.querySelector('#transcript figure [data-mark=right]')?.textContent === '+new'");
    browser.until("document.querySelector('#transcript [data-kind=end]')");
    assert_eq!(browser.text("#transcript [data-kind=user] .prose"), "Correct the cart");
    assert!(browser.text("#transcript [data-kind=permission] .hint").contains("Allow once"));
    browser.until("document.getElementById('asks').hidden");
    assert_eq!(browser.js("document.getElementById('prompt').value"), "");
    browser.is_clean();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_is_cancelled_with_its_question() {
    let Some(mut browser) = open().await else { return };
    browser.click("#new-session");
    browser.until("document.querySelector('#session-list [aria-current]')");
    prompt(&mut browser, "Correct the cart");
    browser.click("#cancel");
    browser.until("document.querySelector('#transcript [data-kind=end]')?.textContent.includes('cancelled')");
    browser.until("document.getElementById('asks').hidden");
    assert!(browser.text("#transcript [data-kind=permission] .hint").contains("cancelled"));
    browser.is_clean();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_of_version_2_goes_on_behind_its_answer_and_ends_once() {
    let Some(mut browser) = open_in(true).await else { return };
    browser.click("#new-session");
    browser.until("document.querySelector('#session-list [aria-current]')");
    prompt(&mut browser, "Correct the cart");
    assert_eq!(browser.text("#asks p"), "The agent asks: Run the tests");
    assert_eq!(browser.text("#asks code"), "make test");
    assert!(browser.text("#asks").contains("All of them"), "{}", browser.text("#asks"));
    browser.click("#asks [data-kind=allow_once]");
    browser.until("document.querySelector('#transcript [data-kind=end]')");
    browser.until("document.querySelector('#transcript [data-kind=agent] .prose').textContent === 'Done'");
    assert_eq!(browser.text("#transcript [data-kind=user] .prose"), "Correct the cart");
    prompt(&mut browser, "Once more");
    browser.click("#cancel");
    browser.until("document.querySelectorAll('#transcript [data-kind=end]').length === 2");
    assert!(browser.text("#transcript [data-kind=end]:last-child").contains("cancelled"));
    assert_eq!(browser.js("document.querySelectorAll('#transcript [data-kind=user]').length"), 2);
    browser.until("document.getElementById('asks').hidden");
    browser.is_clean();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_is_edited_and_sent_again() {
    let Some(mut browser) = open().await else { return };
    browser.press("1");
    browser.until("document.getElementById('row-1')");
    browser.click("#row-1");
    browser.until("document.querySelector('#message pre')");
    browser.js("Array.from(document.querySelectorAll('#message .tools button')).find((one) => one.textContent === 'Edit and send').click()");
    browser.until("document.querySelector('#dialog[open] textarea')");
    browser.js("document.querySelector('#dialog textarea').value = 'no JSON'");
    browser.click("#dialog .tools button");
    browser.until("document.querySelector('#dialog [role=status]').textContent.includes('not JSON')");
    assert_eq!(browser.faults.drain(..).count(), 1, "it was refused");
    browser.js("document.querySelector('#dialog textarea').value = JSON.stringify({ id: 0, method: '_mine', params: { a: 1 } })");
    browser.click("#dialog .tools button");
    browser.until("document.querySelector('#row-4')?.textContent.includes('-32601: not here')");
    assert!(browser.text("#row-3").contains("_mine #1"), "{}", browser.text("#row-3"));
    browser.is_clean();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_that_is_long_or_malformed_hides_no_other_and_can_be_answered() {
    let Some(mut browser) = open().await else { return };
    browser.click("#new-session");
    browser.until("document.querySelector('#session-list [aria-current]')");
    prompt(&mut browser, "Much");
    browser.until("document.querySelectorAll('#asks .ask').length === 5");
    assert_eq!(browser.text("#asks .ask:nth-child(1) p"), "The agent asks: Write a long file");
    assert_eq!(browser.text("#asks .ask:nth-child(2) .options"), "yesWithdraw");
    assert_eq!(browser.text("#asks .ask:nth-child(5) p"), "The agent asks: Edit cart.ts");
    for rest in (0..5).rev() {
        browser.click("#asks .ask:nth-child(1) button");
        browser.until(&format!("document.querySelectorAll('#asks .ask').length === {rest}"));
    }
    browser.until("document.getElementById('asks').hidden");
    browser.is_clean();
}

#[tokio::test(flavor = "multi_thread")]
async fn at_400_pixels_a_person_prompts_and_answers() {
    let Some(mut browser) = open().await else { return };
    browser.size(400, 700);
    browser.click("#new-session");
    browser.until("document.querySelector('#session-list [aria-current]')");
    super::narrow::fits(&mut browser, "composer");
    prompt(&mut browser, "Much");
    browser.until("document.querySelectorAll('#asks .ask').length === 5");
    browser.until("document.querySelector('#transcript [data-kind=tool]')");
    super::narrow::fits(&mut browser, "questions");
    browser.js("document.getElementById('tab-timeline').click()");
    browser.until("document.getElementById('row-1')");
    browser.js("document.getElementById('row-1').click()");
    browser.until("document.querySelector('#message pre')");
    browser.js("Array.from(document.querySelectorAll('#message .tools button')).find((one) => one.textContent === 'Edit and send').click()");
    browser.until("document.querySelector('#dialog[open] textarea')");
    super::narrow::fits(&mut browser, "the message that is edited");
    browser.is_clean();
}
