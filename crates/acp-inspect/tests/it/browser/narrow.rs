//! The page at a width of 400 pixels.

use serde_json::json;

use super::{cart, open};

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
        let widths = browser.js("[document.documentElement.scrollWidth, document.body.scrollWidth]");
        assert_eq!(widths, json!([400, 400]), "{view}");
    }
    browser.click("#tab-timeline");
    browser.click("#row-6");
    browser.until("document.querySelector('#message pre')");
    let pane = browser.js(
        "(({ left, right }) => [left, right])(document.getElementById('message').getBoundingClientRect())",
    );
    assert_eq!(pane, json!([0, 400]), "a message takes the whole width");
    browser.click("#message header button");
    browser.until("document.getElementById('message').hidden");
    browser.is_clean();
}
