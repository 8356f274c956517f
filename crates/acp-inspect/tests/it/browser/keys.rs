//! The page without a mouse.

use serde_json::json;

use super::{cart, open};

#[tokio::test(flavor = "multi_thread")]
async fn everything_is_done_with_keys() {
    let Some((_page, mut browser)) = open(cart()).await else { return };
    assert_eq!(browser.js("document.activeElement.id"), "grid", "the list has the focus at once");
    for key in ["j", "j", "ArrowDown", "k"] {
        browser.press(key);
    }
    assert_eq!(browser.js("document.getElementById('grid').getAttribute('aria-activedescendant')"), "row-2");
    browser.press("Enter");
    browser.until("document.querySelector('#message h2')?.textContent === '#2 initialize'");
    browser.press("p");
    browser.until("document.querySelector('#message h2')?.textContent === '#1 initialize'");
    browser.press("m");
    browser.until("document.querySelector('#row-1.marked')");
    // The open pane goes with the row.
    browser.press("j");
    browser.until("document.querySelector('#message h2')?.textContent === '#2 initialize'");
    browser.press("c");
    browser.until("document.querySelector('#dialog[open] .difference')");
    browser.press("Escape");
    browser.until("!document.querySelector('#dialog[open]')");
    browser.press("G");
    browser.until("document.querySelector('#row-60[aria-selected]')");
    browser.press("g");
    browser.until("document.querySelector('#row-1[aria-selected]')");
    browser.press("Escape");
    browser.until("document.getElementById('message').hidden");
    browser.press("/");
    browser.enter("coupon");
    browser.until("!document.getElementById('row-1')");
    assert_eq!(browser.js("document.activeElement.id"), "search");
    browser.press("Enter");
    assert_eq!(browser.js("document.activeElement.id"), "grid");
    browser.press("2");
    browser.until("document.querySelector('#transcript .item')");
    browser.press("?");
    browser.until("document.querySelectorAll('#dialog[open] kbd').length > 15");
    browser.press("Escape");
    browser.press("1");
    browser.until("!document.getElementById('timeline').hidden");
    browser.is_clean();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_focus_reaches_each_control_and_is_seen() {
    let Some((_page, mut browser)) = open(cart()).await else { return };
    browser.js("document.getElementById('keys-button').focus()");
    let mut reached = Vec::new();
    for _ in 0..12 {
        browser.press("Tab");
        let seen =
            browser.js("(() => { const node = document.activeElement; const style = getComputedStyle(node);
               const shows = style.outlineStyle !== 'none' || node.id === 'grid';
               return [node.id || node.name || node.tagName, shows]; })()");
        assert_eq!(seen[1], true, "the focus of {seen} is seen");
        reached.push(seen[0].as_str().unwrap().to_owned());
    }
    let wanted = [
        "tab-timeline",
        "search",
        "method",
        "kind",
        "lane",
        "session",
        "errors",
        "fold",
        "follow",
        "export-button",
        "place",
        "grid",
    ];
    assert_eq!(json!(reached), json!(wanted));
}

#[tokio::test(flavor = "multi_thread")]
async fn tabs_are_moved_between_with_arrows() {
    let Some((_page, mut browser)) = open(cart()).await else { return };
    browser.js("document.getElementById('tab-timeline').focus()");
    browser.press("ArrowRight");
    assert_eq!(browser.js("document.activeElement.id"), "tab-sessions");
    browser.press("End");
    assert_eq!(browser.js("document.activeElement.id"), "tab-sequence");
    assert_eq!(browser.js("document.getElementById('sequence').hidden"), false);
    browser.press("ArrowRight");
    assert_eq!(browser.js("document.activeElement.id"), "tab-timeline");
    browser.is_clean();
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_of_one_character_can_be_turned_off() {
    let Some((_page, mut browser)) = open(cart()).await else { return };
    let does = |browser: &mut super::Browser| {
        browser.js("document.getElementById('follow').focus()");
        for key in ["e", "x", "/", "2", "?"] {
            browser.press(key);
        }
        let state = "[document.activeElement.id, document.getElementById('filter').elements.errors.checked,
            document.getElementById('timeline').hidden, document.getElementById('dialog').open]";
        browser.js(state)
    };
    let nothing = json!(["follow", false, false, false]);
    browser.click("#keys-button");
    browser.until("document.querySelector('#dialog[open] input')?.checked");
    browser.click("#dialog input");
    browser.press("Escape");
    browser.until("!document.getElementById('dialog').open");
    assert_eq!(does(&mut browser), nothing);
    browser.js("document.getElementById('grid').focus()");
    browser.press("ArrowDown");
    browser.until("document.querySelector('#row-1[aria-selected]')");
    // The page remembers it.
    browser.js("document.body.dataset.old = 'yes'");
    browser.call("Page.reload", json!({}));
    browser.until("!document.body?.dataset.old && document.querySelector('#rows .row')");
    assert_eq!(does(&mut browser), nothing);
    browser.click("#keys-button");
    browser.until("document.querySelector('#dialog[open] input')?.checked === false");
    browser.click("#dialog input");
    browser.press("Escape");
    browser.until("!document.getElementById('dialog').open");
    browser.js("document.getElementById('follow').focus()");
    browser.press("e");
    assert_eq!(browser.js("document.getElementById('filter').elements.errors.checked"), true);
    browser.is_clean();
}
