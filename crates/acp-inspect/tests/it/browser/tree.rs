//! The page as assistive technology sees it, compared with files. `UPDATE_TREES=1` writes them anew:
//! read the difference.

use std::collections::HashMap;
use std::path::Path;

use serde_json::{Value, json};

use super::chromium::Browser;
use super::{cart, open};

/// Roles of the tree that say nothing: boxes, and parts of text.
const SILENT: [&str; 7] =
    ["none", "generic", "InlineTextBox", "ListMarker", "MenuListPopup", "LabelText", "LineBreak"];

/// Returns the tree, a line for each element with a role, deeper ones indented.
fn tree(browser: &mut Browser) -> String {
    let nodes = browser.call("Accessibility.getFullAXTree", json!({}))["nodes"].take();
    let nodes: Vec<Value> = serde_json::from_value(nodes).unwrap();
    let by_id: HashMap<&str, &Value> =
        nodes.iter().map(|node| (node["nodeId"].as_str().unwrap(), node)).collect();
    let mut text = String::new();
    write(&by_id, &nodes[0], 0, "", &mut text);
    text
}

/// Writes an element and those in it. Text that is a part of the name of the element around it is not
/// written again.
fn write(nodes: &HashMap<&str, &Value>, node: &Value, depth: usize, around: &str, text: &mut String) {
    let role = node["role"]["value"].as_str().unwrap_or_default();
    let name = node["name"]["value"].as_str().unwrap_or_default();
    let is_known = role == "StaticText" && (name.trim().is_empty() || around.contains(name.trim()));
    let shows = node["ignored"] != true && !SILENT.contains(&role) && !is_known;
    if shows {
        let states = node["properties"].as_array().into_iter().flatten().filter_map(state);
        let states: String = states.map(|state| format!(" {state}")).collect();
        text.push_str(&format!("{}{role} {name:?}{states}\n", "  ".repeat(depth)));
    }
    for child in node["childIds"].as_array().into_iter().flatten() {
        if let Some(child) = nodes.get(child.as_str().unwrap()) {
            write(nodes, child, depth + usize::from(shows), if shows { name } else { around }, text);
        }
    }
}

/// Returns a state that a person is told of.
fn state(property: &Value) -> Option<String> {
    let (name, value) = (property["name"].as_str()?, &property["value"]["value"]);
    let is_told = matches!(name, "selected" | "checked" | "pressed" | "expanded" | "disabled" | "level");
    let is_set = *value != json!(false) && *value != json!("false");
    (is_told && is_set).then(|| format!("{name}={}", value.to_string().trim_matches('"')))
}

fn compare(browser: &mut Browser, name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/it/browser/trees/{name}.txt"));
    let tree = tree(browser);
    if std::env::var_os("UPDATE_TREES").is_some() {
        std::fs::write(&path, &tree).expect("it is written");
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    let path = path.display();
    assert!(tree == known, "{path} differs. After a look, run the test with UPDATE_TREES=1.\n{tree}");
}

#[tokio::test(flavor = "multi_thread")]
async fn assistive_technology_sees_each_view() {
    let Some((_page, mut browser)) = open(cart()).await else { return };
    browser.until("document.getElementById('status').textContent === '60 messages, the end'");
    browser.click("#row-35");
    browser.until("document.querySelector('#message pre')");
    browser.until("document.getElementById('place').hasAttribute('aria-valuetext')");
    compare(&mut browser, "timeline");
    for (view, shown) in [
        ("sessions", "#transcript figure"),
        ("statistics", "#statistics td"),
        ("capabilities", "#capabilities dt"),
        ("sequence", "#diagram"),
    ] {
        browser.click(&format!("#tab-{view}"));
        browser.until(&format!("document.querySelector('{shown}')"));
        compare(&mut browser, view);
    }
    browser.press("?");
    browser.until("document.querySelector('#dialog[open] kbd')");
    compare(&mut browser, "keys");
}
