//! The rows of the timeline: pairs, pages, filters and clusters.

use acp_inspect::Store;
use acp_testkit::recordings::Direction;
use serde_json::{Value, json};

use crate::support::{Page, add, say, turn};

async fn seqs(page: &Page, query: &str) -> Vec<u64> {
    let answer = page.get(&format!("/api/rows?{query}")).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()["rows"].as_array().unwrap().iter().map(|row| row["seq"].as_u64().unwrap()).collect()
}

#[tokio::test]
async fn a_response_has_its_request_and_its_latency() {
    for version in [1, 2] {
        let page = Page::open(turn(version)).await;
        let rows = page.get("/api/rows?after=4").await.json();
        let (prompt, answer) = (&rows["rows"][0], &rows["rows"][4]);
        assert_eq!(
            json!([
                prompt["from"],
                prompt["to"],
                prompt["kind"],
                prompt["id"],
                prompt["pair"],
                prompt["latency"]
            ]),
            json!(["client", "agent", "request", "2", 9, null])
        );
        assert_eq!(
            json!([answer["from"], answer["method"], answer["session"], answer["pair"], answer["latency"]]),
            json!(["agent", "session/prompt", "s1", 5, 7000])
        );
        assert_eq!(page.get("/api/state").await.json()["version"], version);
    }
}

#[tokio::test]
async fn equal_ids_of_both_sides_are_two_requests() {
    let store = Store::new().unwrap();
    say(&store, 0, Direction::Out, &json!({"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{}}));
    say(&store, 5, Direction::In, &json!({"jsonrpc":"2.0","id":1,"method":"fs/read_text_file","params":{}}));
    say(&store, 9, Direction::Out, &json!({"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}));
    say(&store, 20, Direction::In, &json!({"jsonrpc":"2.0","id":1,"result":{}}));
    say(&store, 30, Direction::In, &json!({"jsonrpc":"2.0","id":1,"result":{}}));
    let page = Page::open(store).await;
    let rows = page.get("/api/rows?after=0").await.json();
    let pairs: Vec<&Value> = rows["rows"].as_array().unwrap().iter().map(|row| &row["pair"]).collect();
    assert_eq!(json!(pairs), json!([4, 3, 2, 1, null]), "the second answer has no request");
    assert_eq!(rows["rows"][2]["error"], true);
}

#[tokio::test]
async fn pages_go_in_both_directions() {
    let page = Page::open(turn(1)).await;
    assert_eq!(seqs(&page, "after=0&limit=4").await, [1, 2, 3, 4]);
    assert_eq!(seqs(&page, "after=7&limit=4").await, [8, 9]);
    assert_eq!(seqs(&page, "before=5&limit=3").await, [2, 3, 4]);
    assert_eq!(seqs(&page, "before=999&limit=2").await, [8, 9]);
    for nothing in ["before=0", "before=1", "after=9", "after=18446744073709551615"] {
        assert!(seqs(&page, nothing).await.is_empty(), "{nothing}");
    }
    assert_eq!(page.get("/api/rows?after=0&limit=9").await.json()["more"], false);
    assert_eq!(page.get("/api/rows?after=0&limit=8").await.json()["more"], true);
    assert_eq!(page.get("/api/rows?before=10&limit=8").await.json()["more"], true);
}

#[tokio::test]
async fn a_filter_takes_what_it_says() {
    let store = turn(1);
    add(&store, 9100, Direction::In, b"not JSON");
    let page = Page::open(store).await;
    for (filter, wants) in [
        ("method=session/", vec![3, 4, 5, 6, 7, 8, 9]),
        ("method=*/new", vec![3, 4]),
        ("method=s*n/p*t", vec![5, 9]),
        ("session=s1&kind=request", vec![5]),
        ("kind=notification", vec![6, 7, 8]),
        ("errors=1", vec![10]),
        ("text=GOOD", vec![6]),
        ("text=%22Hello%22", vec![5]),
        ("lane=client&text=stopReason", vec![9]),
        ("lane=elsewhere", vec![]),
    ] {
        assert_eq!(seqs(&page, &format!("after=0&{filter}")).await, wants, "{filter}");
        assert_eq!(seqs(&page, &format!("before=99&{filter}")).await, wants, "{filter} from the end");
    }
}

#[tokio::test]
async fn a_stream_is_one_row_when_it_is_folded() {
    let page = Page::open(turn(1)).await;
    for query in ["after=4&fold=1", "before=10&limit=4&fold=1"] {
        let rows = page.get(&format!("/api/rows?{query}")).await.json();
        let clusters: Vec<Value> =
            rows["rows"].as_array().unwrap().iter().map(|row| json!([row["seq"], row["cluster"]])).collect();
        assert_eq!(
            json!(clusters),
            json!([[5, null], [6, {"first": 6, "last": 7, "count": 2}], [8, null], [9, null]]),
            "{query}"
        );
    }
}

#[tokio::test]
async fn a_message_that_does_not_fit_its_type_is_marked() {
    let store = turn(1);
    say(
        &store,
        9500,
        Direction::Out,
        &json!({"jsonrpc":"2.0","id":7,"method":"session/new","params":{"cwd":1}}),
    );
    let page = Page::open(store).await;
    let rows = page.get("/api/rows?after=2").await.json();
    assert_eq!(rows["rows"][0]["marks"], json!([]));
    assert_eq!(rows["rows"][7]["marks"][0], "schema");
    let message = page.get("/api/messages/10").await.json();
    assert!(message["findings"][0]["says"].as_str().unwrap().contains("cwd"), "{message}");
    assert_eq!(message["call"], r#"acp call 'session/new' '{"cwd":1}'"#);
}
