//! The rules of the protocol that messages break.

use acp_inspect::Store;
use acp_testkit::recordings::Direction;
use serde_json::{Value, json};

use crate::support::{Page, say};

/// A client that names a folder without a root, and an agent with a content that nobody knows.
fn conversation(store: &Store, begins: bool) {
    let initialize = [
        (
            Direction::Out,
            json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}}),
        ),
        (Direction::In, json!({"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1}})),
    ];
    let rest = [
        (
            Direction::Out,
            json!({"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": "here", "mcpServers": []}}),
        ),
        (Direction::In, json!({"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s"}})),
    ];
    for (direction, message) in initialize.into_iter().skip(if begins { 0 } else { 2 }).chain(rest) {
        say(store, 0, direction, &message);
    }
}

async fn rules(page: &Page, seq: u64) -> Vec<String> {
    let message = page.get(&format!("/api/messages/{seq}")).await.json();
    let ids = message["rules"].as_array().unwrap().iter();
    ids.map(|rule| rule["id"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_message_names_the_rules_that_it_breaks() {
    let store = Store::new().unwrap();
    conversation(&store, true);
    let page = Page::open(store).await;
    let rows = page.get("/api/rows?after=0").await.json();
    let marks = |row: usize| rows["rows"][row]["marks"].clone();
    assert!(marks(2).as_array().unwrap().contains(&json!("v1-new-03")), "{rows}");
    assert_eq!((marks(1), marks(3)), (json!([]), json!([])));
    let message = page.get("/api/messages/3").await.json();
    let found = message["rules"].as_array().unwrap().iter().find(|rule| rule["id"] == "v1-new-03").unwrap();
    assert_eq!((&found["messages"], &found["strength"]), (&json!([3]), &json!("MUST")));
    for words in ["rule", "says"] {
        assert!(found[words].as_str().is_some_and(|text| !text.is_empty()), "{found}");
    }
    assert_eq!(rules(&page, 4).await, [""; 0]);
}

/// Nobody knows what was agreed in the lines that are missing.
#[tokio::test]
async fn nobody_is_blamed_where_lines_are_missing() {
    let (without, lost) = (Store::new().unwrap(), Store::new().unwrap());
    conversation(&without, false);
    conversation(&lost, true);
    lost.lost(1);
    for (store, seq) in [(without, 1), (lost, 3)] {
        let page = Page::open(store).await;
        assert_eq!(rules(&page, seq).await, [""; 0]);
        let rows = page.get("/api/rows?after=0").await.json();
        assert!(rows["rows"].as_array().unwrap().iter().all(|row| row["marks"] == Value::Array(Vec::new())));
    }
}
