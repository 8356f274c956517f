//! The page at a width of 400 pixels.

use serde_json::json;

use super::chromium::Browser;
use super::{cart, open};

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
    for (view, shown) in [
        ("timeline", "#rows .row"),
        ("sessions", "#transcript figure"),
        ("statistics", "#statistics td"),
        ("capabilities", "#capabilities dt"),
        ("sequence", "#diagram"),
    ] {
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
