//! The page as a person with a mouse uses it.

use acp_testkit::recordings::Direction;
use serde_json::json;

use super::{cart, open};
use crate::support::say;

const NAMES: &str =
    "Array.from(document.querySelectorAll('#rows .row')).sort((a, b) => a.ariaRowIndex - b.ariaRowIndex)
    .map((row) => row.querySelector('.name').textContent)";

#[tokio::test(flavor = "multi_thread")]
async fn the_token_opens_the_page_and_goes_out_of_the_address() {
    let Some((page, mut browser)) = open(cart()).await else { return };
    assert_eq!(browser.text("#name"), "test");
    assert_eq!(browser.js("location.href"), json!(format!("http://{}/", page.host)));
    assert_eq!(browser.js("document.cookie"), "", "scripts do not see the cookie");
    browser.call("Page.reload", json!({}));
    browser.until("document.getElementById('count')?.textContent === '60'");
    browser.is_clean();
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_token_the_page_says_what_to_do() {
    let Some((page, mut browser)) = open(cart()).await else { return };
    browser.call("Network.clearBrowserCookies", json!({}));
    browser.call("Page.reload", json!({}));
    browser.until("document.getElementById('problem')?.textContent.includes('open the address')");
    browser.call("Page.navigate", json!({"url": "about:blank"}));
    browser.call("Page.navigate", json!({"url": format!("http://{}/#token=wrong", page.host)}));
    browser.until("document.getElementById('problem')?.textContent.includes('the token is wrong')");
    assert_eq!(browser.js("document.querySelectorAll('#rows .row').length"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_are_filtered_and_searched() {
    let Some((_page, mut browser)) = open(cart()).await else { return };
    browser.until("document.querySelectorAll('#rows .row').length > 10");
    browser.click("#method");
    browser.enter("session/*mission");
    browser.until("document.querySelectorAll('#rows .row').length === 2");
    assert_eq!(browser.js(NAMES), json!(["session/request_permission", "session/request_permission"]));
    browser.js("document.getElementById('method').value = ''");
    browser.click("#search");
    browser.enter("12 PASSED");
    browser.until("document.querySelectorAll('#rows .row').length === 1");
    assert_eq!(browser.js(NAMES), json!(["terminal/output"]));
    browser.enter(" and nothing like it");
    browser.until("!document.getElementById('nothing').hidden");
    assert_eq!(browser.text("#nothing"), "No message is like that.");
    browser.js("document.getElementById('search').value = ''");
    browser.click("[name=errors]");
    browser.until("document.querySelectorAll('#rows .row').length === 1");
    assert_eq!(browser.text("#rows .kind"), "error");
    browser.is_clean();
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_are_folded_until_a_person_unfolds_them() {
    let Some((_page, mut browser)) = open(cart()).await else { return };
    browser.until("document.querySelector('#row-7 .number-of')?.textContent === '× 8'");
    assert!(browser.text("#row-7 .about").starts_with("The coupon might be taken off before"));
    assert_eq!(browser.js("document.getElementById('row-8')"), json!(null));
    browser.click("[name=fold]");
    browser.until("document.getElementById('row-8')");
    assert_eq!(browser.text("#row-7 .number-of"), "");
    browser.is_clean();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_is_shown_in_full_with_its_acts() {
    let Some((page, mut browser)) = open(cart()).await else { return };
    let origin = format!("http://{}", page.host);
    let permissions = json!(["clipboardReadWrite", "clipboardSanitizedWrite"]);
    browser.call("Browser.grantPermissions", json!({"origin": origin, "permissions": permissions}));
    browser.call("Page.bringToFront", json!({}));
    browser.click("#row-6");
    browser.until("document.querySelector('#message pre')");
    assert_eq!(browser.text("#message h2"), "#6 session/prompt");
    let shown = browser.text("#message pre");
    assert!(shown.contains("  \"method\": \"session/prompt\",\n"), "{shown}");
    let acts =
        browser.js("Array.from(document.querySelectorAll('#message .tools > *'), (act) => act.textContent)");
    assert_eq!(acts, json!(["Copy as acp call", "Copy JSON", "Mark to compare", "Save"]));
    browser.click("#message .tools button");
    browser.until("document.getElementById('status').textContent === 'The command was copied.'");
    let copied = browser.js("navigator.clipboard.readText()");
    assert!(copied.as_str().unwrap().starts_with("acp call 'session/prompt' '{"), "{copied}");
    // Its answer is one click away.
    browser.click("#message .facts button");
    browser.until("document.querySelector('#message h2')?.textContent === '#58 session/prompt'");
    browser.is_clean();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_does_not_fit_is_marked_and_says_why() {
    let Some((_page, mut browser)) = open(cart()).await else { return };
    // The recording has a member that the protocol does not know.
    browser.click("#search");
    browser.enter("\"force\"");
    browser.until("document.querySelectorAll('#rows .row').length === 1");
    assert_eq!(browser.text("#rows .marks"), "schema v1-ext-01");
    browser.click("#rows .row");
    browser.until("document.querySelector('.findings li')");
    assert!(browser.text(".findings code").ends_with("/force"), "{}", browser.text(".findings"));
}

#[tokio::test(flavor = "multi_thread")]
async fn two_messages_are_compared_and_a_part_is_exported() {
    let Some((_page, mut browser)) = open(cart()).await else { return };
    browser.click("#row-20");
    browser.until("document.querySelector('#message pre')");
    browser.click("#message .tools button[aria-pressed]");
    browser.until("document.querySelector('#row-20.marked')");
    browser.click("#row-23");
    browser.until("document.querySelector('#message h2')?.textContent.startsWith('#23')");
    browser.click("#message .tools button:nth-of-type(2)");
    browser.until("document.querySelector('#dialog[open] .difference')");
    let right = browser.text("#dialog [data-mark=right]");
    assert!(right.starts_with('+'), "{right}");
    browser.click("#dialog-close");
    browser.click("#export-button");
    browser.until("document.querySelector('#dialog[open] input')");
    let part = browser.js("Array.from(document.querySelectorAll('#dialog input'), (field) => field.value)");
    assert_eq!(part, json!(["20", "23"]), "the part is that between both messages");
    browser.click("#dialog .choice:nth-of-type(3) button");
    browser.until("document.querySelector('#dialog [role=status]').textContent !== ''");
    let refusals: Vec<String> = std::mem::take(&mut browser.faults);
    assert!(refusals.len() == 1 && refusals[0].contains("422"), "a part without a prompt is not a script");
    browser.click("#dialog .choice:nth-of-type(2) button");
    browser.until("document.getElementById('status').textContent === 'redacted.ndjson was saved.'");
    assert_eq!(browser.js("document.getElementById('dialog').open"), false);
    browser.is_clean();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_read_with_its_diff_plan_permission_and_usage() {
    let Some((_page, mut browser)) = open(cart()).await else { return };
    browser.click("#tab-sessions");
    browser.until("document.querySelectorAll('#transcript .item').length > 10");
    let kinds =
        browser.js("Array.from(document.querySelectorAll('#transcript .item'), (item) => item.dataset.kind)");
    assert_eq!(
        kinds,
        json!([
            "user",
            "thought",
            "plan",
            "agent",
            "tool",
            "agent",
            "tool",
            "permission",
            "plan",
            "tool",
            "usage",
            "agent",
            "end"
        ]),
        "updates of a tool call are within its item"
    );
    assert_eq!(browser.text("#transcript [data-kind=tool] .badge"), "completed");
    assert!(browser.text("figure [data-mark=left]").contains("const gross"));
    assert!(browser.text("figure [data-mark=right]").contains("const reduced"));
    assert!(browser.text("[data-kind=permission] .hint").contains("Allow once"));
    assert!(browser.text("[data-kind=usage]").contains("18,240 of 200,000 tokens"));
    assert!(browser.text("[data-kind=end]").contains("end turn, 4,210 tokens"));
    // From an item to its message.
    browser.click("#transcript [data-kind=permission] .place");
    browser.until("document.querySelector('#message h2')?.textContent === '#35 session/request_permission'");
    assert_eq!(browser.js("document.getElementById('timeline').hidden"), false);
    browser.is_clean();
}

#[tokio::test(flavor = "multi_thread")]
async fn statistics_capabilities_and_the_diagram_are_shown() {
    let Some((_page, mut browser)) = open(cart()).await else { return };
    browser.click("#tab-statistics");
    browser.until("document.querySelector('#statistics tbody tr')");
    assert_eq!(browser.text("#statistics tbody th"), "session/update");
    browser.click("#statistics th:nth-child(6) button");
    assert_eq!(browser.text("#statistics tbody th"), "session/prompt", "the slowest is first");
    browser.click("#tab-capabilities");
    browser.until("document.querySelectorAll('#capabilities .side').length === 2");
    assert!(browser.text("#capabilities").contains("Coding Agent 0.9.0"));
    browser.click("#tab-sequence");
    browser.until("document.getElementById('diagram').naturalHeight > 500");
    let address = browser.js("document.getElementById('svg').getAttribute('href')");
    assert_eq!(address, "/api/sequence.svg?from=1&to=60&fold=1");
    browser.is_clean();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lane_that_comes_later_is_added() {
    let store = cart();
    let Some((_page, mut browser)) = open(store.clone()).await else { return };
    assert_eq!(browser.text("#lanes"), "clientagent");
    let asked = json!({"jsonrpc":"2.0","id":50,"method":"mcp/message","params":{"connectionId":"c","method":"tools/list"}});
    say(&store, 300_000_000, Direction::In, &asked);
    browser.until("document.getElementById('count').textContent === '61'");
    browser.press("G");
    browser.until("document.querySelector('#row-61[aria-selected]')");
    assert_eq!(browser.text("#lanes"), "clientagentmcp");
    let ways = "['row-60', 'row-61'].map((id) => document.querySelector(`#${id} .way`).ariaLabel + ' ' + document.querySelector(`#${id} .arrow`).dataset.to)";
    assert_eq!(browser.js(ways), json!(["agent to client left", "agent to mcp right"]));
    for (field, options) in
        [("lane", json!(["", "client", "agent", "mcp"])), ("session", json!(["", "sess_8f2c1a"]))]
    {
        browser.js(&format!("document.getElementById('{field}').focus()"));
        let shown = format!("Array.from(document.getElementById('{field}').options, ({{ value }}) => value)");
        browser.until(&format!("{shown}.length === {}", options.as_array().unwrap().len()));
        assert_eq!(browser.js(&shown), options);
    }
    browser.is_clean();
}
