//! Statistics, sessions, capabilities, comparisons, diagrams and events.

use acp_testkit::recordings::Direction;
use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use crate::support::{Page, say, turn};

#[tokio::test]
async fn the_latencies_of_a_method_are_counted() {
    let store = turn(1);
    for at in 0..99_u64 {
        say(&store, 10_000, Direction::Out, &json!({"jsonrpc":"2.0","id":at+10,"method":"_x","params":{}}));
        say(
            &store,
            10_001 + at,
            Direction::In,
            &json!({"jsonrpc":"2.0","id":at+10,"error":{"code":1,"message":""}}),
        );
    }
    let page = Page::open(store).await;
    let methods = page.get("/api/statistics").await.json();
    let found = methods["methods"].as_array().unwrap().iter().find(|line| line["method"] == "_x").unwrap();
    assert_eq!(
        found,
        &json!({"method":"_x","direction":"client → agent","count":99,"errors":99,"p50":50,"p99":99})
    );
}

#[tokio::test]
async fn a_session_is_a_transcript() {
    let page = Page::open(turn(1)).await;
    let sessions = page.get("/api/sessions").await.json();
    assert_eq!(sessions, json!([{"id":"s1","title":null,"turns":1,"first":4,"last":9}]));
    let whole = page.get("/api/sessions/s1?after=0").await.json();
    let said: Vec<_> =
        whole["items"].as_array().unwrap().iter().map(|item| json!([item["kind"], item["text"]])).collect();
    assert_eq!(
        json!(said),
        json!([["user", "Hello"], ["agent", "Good day"], ["tool", "Edit"], ["end", "end_turn"]])
    );
    let rows = json!([{"mark":"left","text":"x"}, {"mark":"right","text":"y"}]);
    assert_eq!(whole["items"][2]["tool"]["diffs"], json!([{"path":"/a","rows":rows}]));
    let first = page.get("/api/sessions/s1?after=0&limit=2").await.json();
    assert_eq!(json!([first["more"], first["next"]]), json!([true, 7]));
    let rest = page.get("/api/sessions/s1?after=7").await.json();
    assert_eq!(rest["items"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn both_sides_tell_their_capabilities() {
    let page = Page::open(turn(1)).await;
    assert_eq!(
        page.get("/api/capabilities").await.json(),
        json!({
            "client": {"protocolVersion":1,"clientCapabilities":{"x":1}},
            "agent": {"protocolVersion":1,"agentCapabilities":{}},
            "version": 1,
        })
    );
}

#[tokio::test]
async fn two_messages_are_compared_line_by_line() {
    let page = Page::open(turn(1)).await;
    let rows = page.get("/api/compare?left=6&right=7").await.json();
    let marked = |mark: &str| -> Vec<String> {
        let rows = rows["rows"].as_array().unwrap().iter().filter(|row| row["mark"] == mark);
        rows.map(|row| row["text"].as_str().unwrap().trim().to_owned()).collect()
    };
    assert_eq!(marked("left"), [r#""text": "Good ","#]);
    assert_eq!(marked("right"), [r#""text": "day","#]);
    assert_eq!(page.get("/api/compare?left=6&right=99").await.status, 404);
    assert_eq!(page.get("/api/compare?left=6").await.status, 400);
}

#[tokio::test]
async fn a_diagram_has_an_arrow_for_each_message() {
    let page = Page::open(turn(1)).await;
    let answer = page.get("/api/sequence.svg?from=5&to=8").await;
    assert!(answer.head.contains("content-type: image/svg+xml"), "{}", answer.head);
    let svg = answer.text();
    assert_eq!(svg.matches("marker-end").count(), 4, "{svg}");
    assert!(svg.contains(">session/prompt<") && svg.contains(">8</text>"), "{svg}");
    let folded = page.get("/api/sequence.svg?from=5&to=8&fold=1").await.text();
    assert_eq!(folded.matches("marker-end").count(), 3, "{folded}");
    assert!(folded.contains(">agent_message_chunk × 2<"), "{folded}");
}

#[tokio::test]
async fn events_tell_of_growth_and_of_the_end() {
    let page = Page::open(turn(1)).await;
    let mut stream = BufReader::new(TcpStream::connect(&page.host).await.unwrap());
    let head = format!("GET /api/events HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\n\r\n", page.host, page.cookie);
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut lines = stream.lines();
    let mut next = async || loop {
        let line = lines.next_line().await.unwrap().expect("it goes on");
        if let Some(event) = line.strip_prefix("data: ") {
            return serde_json::from_str::<serde_json::Value>(event).unwrap();
        }
    };
    assert_eq!(next().await["messages"], 9);
    for at in 0..1000 {
        say(&page.store, 10_000 + at, Direction::In, &json!({"jsonrpc":"2.0","method":"_x"}));
    }
    page.store.end();
    let mut events = 0;
    loop {
        events += 1;
        let event = next().await;
        if event["ended"] == true {
            assert_eq!(event["messages"], 1009);
            break;
        }
    }
    assert!(events < 100, "{events} events for 1000 messages");
}

#[tokio::test]
async fn the_page_has_all_files_that_it_names_and_nothing_inline() {
    let page = Page::closed(turn(1)).await;
    let html = page.get("/").await.text();
    let mut names = html.split(['"', '\'']).filter(|part| part.starts_with('/') && part.len() > 1).peekable();
    assert!(names.peek().is_some(), "{html}");
    for name in names {
        let file = page.get(name).await;
        let kind =
            if name.ends_with(".js") { "content-type: text/javascript" } else { "content-type: text/css" };
        assert!(file.status == 200 && file.head.contains(kind), "{name}: {}", file.head);
        // Text of a peer would become markup.
        assert!(!file.text().contains("innerHTML"), "{name}");
    }
    assert!(!html.contains("<script>") && !html.contains("<style") && !html.contains("style="), "{html}");
}
