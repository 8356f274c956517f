//! A recording of 100,000 lines.

use std::fmt::Write;

use acp_inspect::Store;
use acp_testkit::recordings::Direction;
use serde_json::json;

use super::open;
use crate::support::say;

const LINES: u64 = 100_000;
/// The most elements of the page, however long the connection is.
const MOST: u64 = 1500;

fn recording() -> String {
    let mut text = String::new();
    for at in 0..LINES {
        let (time, direction) = (1_767_225_600_000_000 + at * 100, if at % 10 == 1 { "out" } else { "in" });
        let (kind, body) = match at % 10 {
            0 => (
                "request",
                json!({"jsonrpc":"2.0","id":at,"method":"fs/read_text_file","params":{"sessionId":"s","path":format!("/{at}")}}),
            ),
            1 => ("result", json!({"jsonrpc":"2.0","id":at - 1,"result":{"content":"x"}})),
            _ => {
                let content = json!({"type":"text","text":format!("word {at} ")});
                let update = json!({"sessionUpdate":"agent_message_chunk","content":content});
                (
                    "notification",
                    json!({"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":update}}),
                )
            }
        };
        let record =
            json!({"time":time,"direction":direction,"kind":kind,"bytes":body.to_string().len(),"body":body});
        writeln!(text, "{record}").unwrap();
    }
    text
}

#[tokio::test(flavor = "multi_thread")]
async fn all_lines_are_counted_and_the_page_stays_small() {
    let store = Store::new().expect("a file");
    store.read(recording().as_bytes()).expect("it is read");
    let Some((_page, mut browser)) = open(store).await else { return };
    browser.until("document.getElementById('source').textContent !== 'connecting'");
    assert_eq!(browser.text("#count"), "100,000");
    let is_small = |browser: &mut super::Browser, place: &str| {
        let elements = browser.js("document.getElementsByTagName('*').length").as_u64().unwrap();
        assert!(elements < MOST, "{elements} elements {place}");
        let rows = browser.js("document.querySelectorAll('#rows .row').length").as_u64().unwrap();
        assert!((10..100).contains(&rows), "{rows} rows {place}");
    };
    is_small(&mut browser, "at the start");
    for fold in ["folded", "not folded"] {
        browser.press("G");
        browser.until("document.querySelector('#rows .row[aria-selected]')?.ariaRowIndex > 99990");
        is_small(&mut browser, "at the end");
        // Pages upwards are loaded, and those below are let go.
        for _ in 0..12 {
            browser.js("document.getElementById('grid').scrollTop = 0");
            browser.until("document.getElementById('grid').scrollTop > 500");
        }
        is_small(&mut browser, fold);
        browser.js("(() => { const place = document.getElementById('place'); place.value = place.max / 2; place.dispatchEvent(new Event('input')); })()");
        browser.until("Array.from(document.querySelectorAll('#rows .row')).some((row) => Math.abs(row.ariaRowIndex - 50000) < 500)");
        is_small(&mut browser, "in the middle");
        browser.press("g");
        browser.until("document.querySelector('#row-1[aria-selected]')");
        browser.click("[name=fold]");
        browser.js("document.getElementById('grid').focus()");
    }
    browser.press("/");
    browser.enter("word 99999");
    browser.until(
        "document.getElementById('row-100000') && document.querySelectorAll('#rows .row').length === 1",
    );
    is_found(&mut browser);
    browser.click("#tab-sessions");
    browser.until("document.querySelectorAll('#transcript .item').length > 0");
    browser.is_clean();
}

fn is_found(browser: &mut super::Browser) {
    assert_eq!(browser.text("#rows .about"), "word 99999 ");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_live_connection_is_followed_until_a_person_reads() {
    let store = Store::new().expect("a file");
    let said = |at: u64| {
        let update =
            json!({"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":format!("{at} ")}});
        let update =
            json!({"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":update}});
        let asked = json!({"jsonrpc":"2.0","id":at,"method":"fs/read_text_file","params":{"sessionId":"s","path":format!("/{at}")}});
        say(&store, at, Direction::In, if at.is_multiple_of(3) { &asked } else { &update });
    };
    (0..10).for_each(said);
    let Some((_page, mut browser)) = open(store.clone()).await else { return };
    assert_eq!(browser.js("document.getElementById('follow').ariaPressed"), "true");
    (10..20_000).for_each(said);
    browser.until("document.getElementById('row-20000')");
    // Growth that comes in small steps is followed as well.
    for at in 20_000..20_050 {
        said(at);
        browser.until(&format!(
            "document.getElementById('count').textContent.replace(',', '') === '{}'",
            at + 1
        ));
    }
    browser.until("document.getElementById('row-20050')");
    // A person who scrolls up reads on in peace.
    browser.js("document.getElementById('grid').scrollTop -= 400");
    browser.until("document.getElementById('follow').ariaPressed === 'false'");
    let first = "document.elementFromPoint(600, document.getElementById('grid').getBoundingClientRect().top + 44).closest('.row').id";
    let place = browser.js(first);
    (20_050..20_100).for_each(said);
    browser.until("document.getElementById('count').textContent === '20,100'");
    assert_eq!(browser.js(first), place);
    browser.press("f");
    browser.until("document.querySelector('#row-20099 .number-of')?.textContent === '× 2'");
    // It goes on while another view is shown.
    browser.press("3");
    (20_100..20_200).for_each(said);
    browser.until("document.getElementById('count').textContent === '20,200'");
    browser.press("1");
    browser.until("document.getElementById('row-20200')");
    let place =
        browser.js("document.getElementById('row-20200').getBoundingClientRect().bottom <= innerHeight");
    assert_eq!(place, true, "the last row is in view");
    store.end();
    browser.until("document.getElementById('source').textContent === 'ended'");
    browser.is_clean();
}
