//! The picture of the page in the documentation. `UPDATE_PICTURES=1` takes it anew.

use std::path::Path;

use acp_inspect::Source;
use serde_json::json;

use super::{cart, open_as};

#[tokio::test(flavor = "multi_thread")]
async fn the_picture_of_the_documentation_is_taken_of_the_page() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/images/inspector.png");
    let Some((_page, mut browser)) = open_as(cart(), Source::Recording, "cart.ndjson").await else { return };
    browser.scheme("dark");
    browser.size(1280, 760);
    browser.click("#row-35");
    browser.until("document.querySelector('#message pre')");
    browser.until("document.getElementById('place').hasAttribute('aria-valuetext')");
    browser.js("document.activeElement.blur()");
    let picture = browser.call("Page.captureScreenshot", json!({"format": "png"}));
    let picture = bytes(picture["data"].as_str().unwrap());
    assert!(picture.starts_with(b"\x89PNG") && picture.len() < 200_000, "{} bytes", picture.len());
    if std::env::var_os("UPDATE_PICTURES").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, picture).unwrap();
    }
}

/// Reads base64.
fn bytes(text: &str) -> Vec<u8> {
    const DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bytes, mut held, mut bits) = (Vec::new(), 0_u32, 0);
    for digit in text.chars().map_while(|digit| DIGITS.find(digit)) {
        held = (held << 6 | u32::try_from(digit).unwrap()) & 0xffff;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from(held >> bits & 0xff).unwrap());
        }
    }
    bytes
}
