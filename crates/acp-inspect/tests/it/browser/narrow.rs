//! The page at a width of 400 pixels.

use acp_inspect::Store;
use acp_testkit::recordings::Direction;
use serde_json::{Value, json};

use super::chromium::Browser;
use super::{cart, open};
use crate::support::say;

/// The views, and an element that each shows.
const VIEWS: [(&str, &str); 5] = [
    ("timeline", "#rows .row"),
    ("sessions", "#transcript figure"),
    ("statistics", "#statistics td"),
    ("capabilities", "#capabilities dt"),
    ("sequence", "#diagram"),
];

/// Fails if something that is shown is wider than the page, or if a box can be scrolled sideways.
/// The tabs, the form of the timeline, tables and diffs are meant to be.
pub(super) fn fits(browser: &mut Browser, place: &str) {
    let wide = browser.js(
        "(() => { const name = (node) => `${node.tagName} #${node.id} .${node.className}`;
           const meant = '.tabs, #filter, .wide, .difference';
           const boxes = [document.documentElement, ...document.querySelectorAll('body, body *')];
           const scrolled = boxes.filter((node) => node.scrollWidth > node.clientWidth && !node.matches(meant)
             && (node.matches('html, body') || ['auto', 'scroll'].includes(getComputedStyle(node).overflowX)));
           const outside = boxes.filter((node) => node.matches('button, input, select, textarea, a, img')
             && !node.closest(meant) && node.getClientRects().length > 0
             && (node.getBoundingClientRect().right > innerWidth || node.getBoundingClientRect().left < 0));
           return [...scrolled, ...outside].map(name); })()",
    );
    assert_eq!(wide, json!([]), "{place}");
    assert_eq!(
        browser.js("[innerWidth, document.documentElement.scrollWidth]"),
        json!([400, 400]),
        "{place}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn at_400_pixels_no_view_scrolls_sideways() {
    let Some((_page, mut browser)) = open(cart()).await else { return };
    browser.size(400, 700);
    for (view, shown) in VIEWS {
        browser.click(&format!("#tab-{view}"));
        browser.until(&format!("document.querySelector('{shown}')"));
        fits(&mut browser, view);
    }
    browser.click("#tab-timeline");
    browser.click("#row-6");
    browser.until("document.querySelector('#message pre')");
    let pane = browser.js(
        "(({ left, right }) => [left, right])(document.getElementById('message').getBoundingClientRect())",
    );
    assert_eq!(pane, json!([0, 400]), "a message takes the whole width");
    fits(&mut browser, "message");
    browser.click("#message header button");
    browser.until("document.getElementById('message').hidden");
    for (key, shown) in [("?", "kbd"), ("x", "button"), ("m", ""), ("j", ""), ("c", ".difference")] {
        browser.js("document.getElementById('grid').focus()");
        browser.press(key);
        if shown.is_empty() {
            continue;
        }
        browser.until(&format!("document.querySelector('#dialog[open] #dialog-body {shown}')"));
        fits(&mut browser, &format!("the dialog of {key}"));
        browser.press("Escape");
        browser.until("!document.getElementById('dialog').open");
    }
    browser.is_clean();
}

/// A session whose texts are all one long word.
fn long_words() -> Store {
    let word = &"w".repeat(200);
    let store = Store::new().expect("a file");
    let (out, back) = (Direction::Out, Direction::In);
    let update = |update: Value| json!({"jsonrpc":"2.0","method":"session/update","params":{"sessionId":word,"update":update}});
    let said = json!({"protocolVersion":1,"clientInfo":{"name":word,"version":word},"clientCapabilities":{word:{word:word}}});
    say(&store, 0, out, &json!({"jsonrpc":"2.0","id":word,"method":"initialize","params":said}));
    let prompt = json!({"sessionId":word,"prompt":[{"type":"text","text":word}]});
    say(&store, 1, out, &json!({"jsonrpc":"2.0","id":1,"method":"session/prompt","params":prompt}));
    let diff = json!({"type":"diff","path":word,"oldText":word,"newText":"x"});
    let text = json!({"type":"content","content":{"type":"text","text":word}});
    for said in [
        json!({"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":word}}),
        json!({"sessionUpdate":"tool_call","toolCallId":word,"title":word,"kind":word,"status":word,"content":[diff,text],"rawInput":{word:word}}),
        json!({"sessionUpdate":"plan","entries":[{"content":word,"status":word}]}),
        json!({"sessionUpdate":"usage_update","used":1e300,"size":1e300,"cost":{"amount":1e300,"currency":word}}),
        json!({"sessionUpdate":word}),
    ] {
        say(&store, 2, back, &update(said));
    }
    let options = json!([{"optionId":word,"name":word,"kind":word}]);
    let asked = json!({"sessionId":word,"toolCall":{"title":word},"options":options});
    say(
        &store,
        3,
        back,
        &json!({"jsonrpc":"2.0","id":word,"method":"session/request_permission","params":asked}),
    );
    say(&store, 4, out, &json!({"jsonrpc":"2.0","method":format!("_{word}"),"params":{word:word}}));
    say(&store, 5, back, &json!({"jsonrpc":"2.0","id":1,"result":{"stopReason":word}}));
    store
}

#[tokio::test(flavor = "multi_thread")]
async fn at_400_pixels_long_words_are_broken() {
    let Some((_page, mut browser)) = open(long_words()).await else { return };
    browser.size(400, 700);
    for (view, shown) in VIEWS {
        browser.click(&format!("#tab-{view}"));
        browser.until(&format!("document.querySelector('{shown}')"));
        browser.js("document.querySelectorAll('main details').forEach((box) => { box.open = true; })");
        fits(&mut browser, view);
    }
    browser.click("#tab-timeline");
    for seq in [1, 4, 8, 9] {
        browser.js(&format!("document.getElementById('row-{seq}').click()"));
        browser.until(&format!("document.querySelector('#message h2')?.textContent.startsWith('#{seq} ')"));
        fits(&mut browser, "message");
    }
    browser.is_clean();
}
