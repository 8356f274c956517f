//! Statistics, capabilities, comparisons, diagrams and events.

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
async fn a_diagram_shows_characters_that_are_not_seen_as_escapes() {
    let unseen = "\u{200e}\u{200f}\u{61c}\u{200b}\u{200d}\u{2060}\u{feff}\u{202e}\u{2066}\u{1b}\u{9b}\u{ad}\u{ffff}\u{e0041}";
    let seen = r"\u200e\u200f\u061c\u200b\u200d\u2060\ufeff\u202e\u2066\u001b\u009b\u00ad\uffff\udb40\udc41";
    let store = turn(1);
    let say = |direction, message| say(&store, 10_000, direction, &message);
    say(Direction::In, json!({"jsonrpc":"2.0","method":format!("_m<{unseen}"),"params":{}}));
    let params = json!({"sessionId":"s1","update":{"sessionUpdate":format!("u{unseen}")}});
    say(Direction::In, json!({"jsonrpc":"2.0","method":"session/update","params":params}));
    let server = json!({"type":"acp","name":format!("l{unseen}"),"serverId":"a"});
    let params = json!({"cwd":"/","mcpServers":[server]});
    say(Direction::Out, json!({"jsonrpc":"2.0","id":3,"method":"session/new","params":params}));
    let page = Page::open(store).await;
    let svg = page.get("/api/sequence.svg?from=1&to=12").await.text();
    for name in ["_m&lt;", ">u", ">mcp/l"] {
        assert!(svg.contains(&format!("{name}{seen}<")), "{name}: {svg}");
    }
    assert!(!svg.contains(|character: char| character != '\n' && unseen.contains(character)), "{svg}");
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
    }
    // The scripts that scripts import.
    let mut names = vec!["app.js".to_owned()];
    let mut at = 0;
    while let Some(name) = names.get(at) {
        let file = page.get(&format!("/{name}")).await;
        assert_eq!(file.status, 200, "{name}");
        let text = file.text();
        // Text of a peer would become markup.
        for danger in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "DOMParser"]
        {
            assert!(!text.contains(danger), "{name}: {danger}");
        }
        let imported = text.lines().filter_map(|line| line.split_once(" from \"./")?.1.split('"').next());
        let new: Vec<String> =
            imported.filter(|name| !names.iter().any(|known| known == name)).map(str::to_owned).collect();
        names.extend(new);
        at += 1;
    }
    assert!(names.len() > 15, "{names:?}");
    assert!(!html.contains("<script>") && !html.contains("<style") && !html.contains("style="), "{html}");
}

#[tokio::test]
async fn an_overview_counts_messages_and_errors_over_time() {
    let store = turn(1);
    say(&store, 9999, Direction::In, &json!({"jsonrpc":"2.0","id":7,"error":{"code":1,"message":""}}));
    let page = Page::open(store).await;
    let seen = page.get("/api/overview?buckets=4").await.json();
    assert_eq!(
        seen,
        json!({"micros": 9999, "buckets": [
            {"first":1,"count":8,"errors":0}, {"first":9,"count":0,"errors":0}, {"first":9,"count":0,"errors":0},
            {"first":9,"count":2,"errors":1}
        ]})
    );
    let empty = Page::open(acp_inspect::Store::new().unwrap()).await;
    assert_eq!(empty.get("/api/overview").await.json(), json!({"micros":0,"buckets":[]}));
    for strange in ["buckets=0", "buckets=99999999999", "buckets=x"] {
        assert_eq!(page.get(&format!("/api/overview?{strange}")).await.status, 200, "{strange}");
    }
}

#[tokio::test]
async fn a_row_says_a_few_words_about_its_message() {
    let store = turn(1);
    say(
        &store,
        9100,
        Direction::In,
        &json!({"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"x".repeat(1000)}}),
    );
    let page = Page::open(store).await;
    let rows = page.get("/api/rows?after=0&fold=1").await.json();
    let words: Vec<_> = rows["rows"].as_array().unwrap().iter().map(|row| row["about"].clone()).collect();
    assert_eq!(
        json!(words[..8]),
        json!(["version 1", "version 1", null, "s1", "Hello", "Good day", "Edit", "end_turn"])
    );
    let error = words[8].as_str().unwrap();
    assert!(error.starts_with("-32000: xxx") && error.len() == 160, "{error}");
}

/// Servers of one name share a lane in all sessions, and each of another name has its own. Their
/// messages count as those of the connection.
#[tokio::test]
async fn each_server_that_a_session_declares_has_a_lane() {
    let store = turn(1);
    let lent = |id: &str, name: &str| json!({"type":"acp","name":name,"serverId":id});
    for (id, servers) in
        [(3, [lent("a", "files"), lent("b", "web")]), (4, [lent("c", "files"), lent("d", "web")])]
    {
        let params = json!({"cwd":"/","mcpServers":servers});
        say(
            &store,
            10_000,
            Direction::Out,
            &json!({"jsonrpc":"2.0","id":id,"method":"session/new","params":params}),
        );
    }
    for (id, server) in [(5, "a"), (6, "b"), (7, "c")] {
        let params = json!({"serverId":server,"requestId":"r","method":"tools/list"});
        say(
            &store,
            10_100,
            Direction::In,
            &json!({"jsonrpc":"2.0","id":id,"method":"mcp/message","params":params}),
        );
        say(&store, 10_200, Direction::Out, &json!({"jsonrpc":"2.0","id":id,"result":{}}));
    }
    let page = Page::open(store).await;
    let lanes = page.get("/api/state").await.json()["lanes"].clone();
    assert_eq!(lanes, json!(["client", "agent", "mcp/files", "mcp/web"]));
    for (lane, count) in [("mcp%2Ffiles", 4), ("mcp%2Fweb", 2), ("mcp", 0)] {
        let rows = page.get(&format!("/api/rows?after=0&lane={lane}")).await.json();
        assert_eq!(rows["rows"].as_array().unwrap().len(), count, "{lane}");
    }
    let counted = page.get("/api/statistics").await.json();
    let messages = counted["methods"].as_array().unwrap().iter().find(|line| line["method"] == "mcp/message");
    assert_eq!(messages.unwrap()["count"], 3);
}

#[tokio::test]
async fn a_server_of_mcp_has_a_lane_of_its_own() {
    let store = turn(1);
    let page = Page::open(store.clone()).await;
    assert_eq!(page.get("/api/state").await.json()["lanes"], json!(["client", "agent"]));
    let asked = json!({"jsonrpc":"2.0","id":5,"method":"mcp/message","params":{"connectionId":"c","method":"tools/list"}});
    say(&store, 10_000, Direction::In, &asked);
    say(&store, 10_100, Direction::Out, &json!({"jsonrpc":"2.0","id":5,"result":{}}));
    assert_eq!(page.get("/api/state").await.json()["lanes"], json!(["client", "agent", "mcp"]));
    let rows = page.get("/api/rows?after=9&lane=mcp").await.json();
    let ways: Vec<_> = rows["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| json!([row["from"], row["to"], row["about"]]))
        .collect();
    assert_eq!(json!(ways), json!([["agent", "mcp", "tools/list"], ["mcp", "agent", null]]));
    let svg = page.get("/api/sequence.svg?from=9&to=11").await.text();
    assert!(svg.contains("x1=\"400\" y1=\"92\" x2=\"680\"") && svg.contains(">mcp</text>"), "{svg}");
}
