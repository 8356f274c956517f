//! Parts of a connection as files.

use acp_inspect::Store;
use acp_testkit::mock::{Form, Mock, Side};
use acp_testkit::recordings::Direction;
use serde_json::json;

use crate::support::{Page, say, turn};

#[tokio::test]
async fn a_part_is_exported_without_secrets_and_is_a_recording() {
    let store = turn(1);
    let login = json!({"jsonrpc":"2.0","id":9,"method":"_login","params":{"apiKey":"hunter2","name":"me"}});
    say(&store, 9100, Direction::Out, &login);
    let page = Page::open(store).await;
    let answer = page.get("/api/export?kind=redacted&from=5").await;
    assert!(answer.head.contains("attachment; filename=\"redacted.ndjson\""), "{}", answer.head);
    assert!(!answer.text().contains("hunter2") && answer.text().contains("_login"), "{}", answer.text());
    let again = Store::new().unwrap();
    assert_eq!(again.read(answer.body.as_slice()).unwrap(), 0, "every line is a record");
    assert_eq!(again.seen().messages, 6);
    let part = page.get("/api/export?kind=redacted&from=2&to=3").await;
    assert_eq!(part.text().lines().count(), 3, "a head and two records");
}

#[tokio::test]
async fn an_exported_script_plays_the_agent() {
    let page = Page::open(turn(1)).await;
    let answer = page.get("/api/export?kind=mock").await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let script = answer.text();
    let mock = Mock::parse(&script, Form::Toml, Side::Agent);
    assert!(mock.is_ok(), "{mock:?}: {script}");
    assert_eq!(page.get("/api/export?kind=mock&from=5").await.status, 422, "nobody can tell the sides");
    assert_eq!(page.get("/api/export?kind=other").await.status, 400);
}

#[test]
fn a_recording_is_read_with_its_gaps_and_faults() {
    let recording = "{\"time\":1,\"kind\":\"start\",\"version\":1}\n\
        {\"time\":2,\"direction\":\"in\",\"kind\":\"not_json\",\"bytes\":3,\"body\":\"abc\"}\n\
        {\"time\":3,\"kind\":\"dropped\",\"count\":7}\nno record\n\
        {\"time\":4,\"direction\":\"in\",\"kind\":\"oversized\",\"bytes\":99999999}\n";
    let store = Store::new().unwrap();
    assert_eq!(store.read(recording.as_bytes()).unwrap(), 1);
    let seen = store.seen();
    assert_eq!((seen.messages, seen.lost, seen.ended), (2, 7, true));
}
