//! Payloads that try to become more than text.

use acp_inspect::Store;
use acp_testkit::recordings::Direction;
use serde_json::{Value, json};

use super::open;
use crate::support::{add, say};
use crate::typing::{mistyped, wrong};

/// Markup that would call for attention if it became elements.
const MARKUP: &str =
    "<img src=x onerror=alert(1)><script>alert(2)</script></pre><iframe src=javascript:alert(3)></iframe>";
const ANSI: &str = "\u{1b}[31mred\u{1b}[0m\u{7}\u{9b}2J";
const BIDI: &str = "user\u{202e}txt.exe\u{2066}\u{200b}\u{feff}\u{e0041}";

fn store() -> Store {
    let store = Store::new().expect("a file");
    for (at, text) in (0_u64..).zip([MARKUP, ANSI, BIDI]) {
        let (at, id) = (at * 1000, at + 10);
        let params = json!({"sessionId": text, "prompt": [{"type":"text","text":text}]});
        say(
            &store,
            at,
            Direction::Out,
            &json!({"jsonrpc":"2.0","id":text,"method":"session/prompt","params":params}),
        );
        let update = |update: Value| json!({"jsonrpc":"2.0","method":"session/update","params":{"sessionId":text,"update":update}});
        say(
            &store,
            at + 1,
            Direction::In,
            &update(json!({"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":text}})),
        );
        let diff = json!({"type":"diff","path":text,"oldText":"","newText":text});
        let tool = json!({"sessionUpdate":"tool_call","toolCallId":text,"title":text,"kind":text,"status":text,"content":[diff],"rawInput":{text:text}});
        say(&store, at + 2, Direction::In, &update(tool));
        let entries = json!([{"content":text,"status":text,"priority":text}]);
        say(&store, at + 3, Direction::In, &update(json!({"sessionUpdate":"plan","entries":entries})));
        let asked = json!({"sessionId":text,"toolCall":{"toolCallId":text,"title":text},"options":[{"optionId":text,"name":text,"kind":text}]});
        say(
            &store,
            at + 4,
            Direction::In,
            &json!({"jsonrpc":"2.0","id":id,"method":"session/request_permission","params":asked}),
        );
        say(&store, at + 5, Direction::In, &json!({"jsonrpc":"2.0","method":text,"params":{text:text}}));
        say(
            &store,
            at + 6,
            Direction::In,
            &json!({"jsonrpc":"2.0","id":text,"error":{"code":1,"message":text}}),
        );
        let said = json!({"protocolVersion":text,"clientInfo":{"name":text,"version":text},"clientCapabilities":{text:text}});
        say(
            &store,
            at + 7,
            Direction::Out,
            &json!({"jsonrpc":"2.0","id":id + 100,"method":"initialize","params":said}),
        );
        add(&store, at + 8, Direction::In, text.as_bytes());
    }
    add(&store, 9000, Direction::In, b"\xff\xfe not text");
    let long = format!("{}{MARKUP}", "x".repeat(10_000_000));
    say(&store, 9001, Direction::In, &json!({"jsonrpc":"2.0","method":"_long","params":{"text":long}}));
    store
}

/// The characters that must not be in the page: they move, hide or turn text.
const UNSEEN: &str = r"/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u202e\u2066\ufeff]|[\u{e0041}]/u";

/// Fails if a payload has become an element, or has characters that are not seen.
fn is_inert(browser: &mut super::Browser, place: &str) {
    let made = browser.js("document.querySelectorAll('main img:not(#diagram), dialog img, script:not([src=\"/app.js\"]), iframe, [onerror]').length");
    assert_eq!(made, 0, "{place}");
    let unseen = browser.js(&format!(
        "[document.body.textContent, document.title, ...Array.from(document.querySelectorAll('[aria-label], [title]'),
           (node) => node.title + node.ariaLabel)].filter((text) => {UNSEEN}.test(text)).map((text) => JSON.stringify(text.slice(0, 300)))"
    ));
    assert_eq!(unseen, json!([]), "{place}");
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_payloads_are_shown_and_do_nothing() {
    let Some((_page, mut browser)) = open(store()).await else { return };
    browser.size(1280, 1400);
    browser.until("document.querySelectorAll('#rows .row').length === 29");
    is_inert(&mut browser, "timeline");
    for (seq, sees) in [
        (1, "<img src=x onerror=alert(1)>"),
        (10, r"\u001b[31mred"),
        (19, r"user\u202etxt.exe\u2066\u200b\ufeff\udb40\udc41"),
        (27, r"user\u202etxt"),
        (28, "not text"),
    ] {
        browser.js(&format!("document.getElementById('row-{seq}').click()"));
        browser.until(&format!("document.querySelector('#message h2')?.textContent.startsWith('#{seq} ')"));
        let shown = browser.text("#message pre");
        assert!(shown.contains(sees), "{seq}: {shown}");
        is_inert(&mut browser, "message");
    }
    for view in ["statistics", "capabilities", "sequence", "sessions"] {
        browser.click(&format!("#tab-{view}"));
        browser.until(&format!("document.getElementById('{view}').childElementCount > 0"));
        is_inert(&mut browser, view);
    }
    for session in 1..=3 {
        browser.until("document.querySelectorAll('#session-list button').length === 3");
        browser.js("document.getElementById('transcript').replaceChildren()");
        browser.click(&format!("#session-list button:nth-child({session})"));
        browser.until("document.querySelectorAll('#transcript .item').length === 6");
        let opened =
            "document.querySelectorAll('#transcript details').forEach((box) => { box.open = true; })";
        browser.until(&format!("({opened}, document.querySelector('#transcript details pre'))"));
        is_inert(&mut browser, "transcript");
    }
    browser.is_clean();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_string_of_10_megabytes_is_cut() {
    let Some((_page, mut browser)) = open(store()).await else { return };
    browser.press("G");
    browser.until("document.querySelector('#row-29[aria-selected]')");
    browser.press("Enter");
    browser.until("document.querySelector('#message pre')");
    let shown = browser.js("document.getElementById('message').textContent.length").as_u64().unwrap();
    assert!(shown < 25_000, "{shown} characters");
    assert_eq!(browser.text("#message .tools a"), "Save the whole line");
    browser.click("#message .long > button");
    let shown = browser.js("document.getElementById('message').textContent.length").as_u64().unwrap();
    assert!((200_000..300_000).contains(&shown), "{shown} characters");
    is_inert(&mut browser, "message");
    browser.is_clean();
}

#[tokio::test(flavor = "multi_thread")]
async fn members_of_wrong_types_hide_no_other_message() {
    let store = Store::new().expect("a file");
    for (at, wrong) in (0..).zip(wrong()) {
        let said = json!({"protocolVersion":wrong,"clientInfo":{"name":wrong,"version":wrong},"clientCapabilities":[wrong, {"name":wrong}]});
        let asked = json!({"jsonrpc":"2.0","id":format!("i{at}"),"method":"initialize","params":said});
        say(&store, 0, Direction::Out, &asked);
        mistyped(&store, "s1", &wrong);
        let last = json!({"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":format!("thought {at}")}});
        let params = json!({"sessionId":"s1","update":last});
        say(&store, 0, Direction::In, &json!({"jsonrpc":"2.0","method":"session/update","params":params}));
    }
    let Some((_page, mut browser)) = open(store).await else { return };
    browser.click("#tab-sessions");
    browser.until("document.querySelector('#transcript [data-kind=plan]')");
    let later = "Array.from(document.querySelectorAll('#transcript .turn')).find(({ textContent }) => textContent === 'Later')";
    browser.js(&format!("{later}?.click()"));
    browser.until("document.getElementById('transcript').textContent.includes('thought 6')");
    assert!(!browser.text("#transcript").contains("cannot be shown"), "{}", browser.text("#transcript"));
    browser.click("#tab-capabilities");
    browser.until("document.querySelector('#capabilities h2')");
    is_inert(&mut browser, "capabilities");
    browser.is_clean();
}
