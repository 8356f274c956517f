//! The page in headless Chromium.

mod chromium;
mod contrast;
mod drive;
mod hostile;
mod keys;
mod long;
mod narrow;
mod picture;
mod tree;
mod use_of_page;

use acp_inspect::{Source, Store};
use serde_json::json;

use self::chromium::Browser;
use crate::support::Page;

/// A recording of a prompt: reads, an edit with a permission, a plan, tests and an error.
const CART: &[u8] = include_bytes!("cart.ndjson");

fn cart() -> Store {
    let store = Store::new().expect("a file");
    assert_eq!(store.read(CART).expect("it is read"), 0);
    store
}

/// Opens the page about a live connection, as [`open_as`].
async fn open(store: Store) -> Option<(Page, Browser)> {
    open_as(store, Source::Live, "test").await
}

/// Opens the page about a store, with its token, and waits until it counts the messages. Returns
/// `None` without a browser.
async fn open_as(store: Store, source: Source, name: &str) -> Option<(Page, Browser)> {
    let mut browser = Browser::start().await?;
    let messages = store.seen().messages;
    let page = Page::of(store, source, name).await;
    let address = format!("http://{}/#token={}", page.host, page.token);
    browser.call("Page.navigate", json!({"url": address}));
    browser.until(&format!(
        "document.getElementById('count')?.textContent.replaceAll(',', '') === '{messages}' \
         && document.querySelector('#rows .row')"
    ));
    Some((page, browser))
}
