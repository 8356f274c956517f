//! Streams: what goes where, and in which order.

use acp_http::server::Options;
use serde_json::json;

use super::lab::Lab;

async fn send(lab: &Lab, id: &str, message: serde_json::Value) {
    let answer = lab.post(&[id], &message.to_string()).await;
    assert_eq!(answer.status, 202, "{answer:?}");
}

#[tokio::test]
async fn a_session_from_its_beginning_to_its_end() {
    let lab = Lab::start(Options::new()).await;
    let id = lab.initialize().await;
    // rm-get-03, v1-http-10, rm-sse-04: the stream is there before its first event.
    let mut connection = lab.get(&[&id]).await;
    assert_eq!(connection.answer.header("content-type"), Some("text/event-stream"));
    assert_eq!(connection.answer.header("cache-control"), Some("no-store, no-transform"));
    assert_eq!(connection.answer.header("x-accel-buffering"), Some("no"));
    assert_eq!(connection.line().await.unwrap(), ":");
    // rm-sse-01, rm-sse-02, rm-str-03
    send(&lab, &id, json!({"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {}})).await;
    let (number, opened) = connection.next().await.unwrap();
    assert_eq!((number, opened["result"]["sessionId"].as_str()), (1, Some("s1")));
    // rm-get-04
    let mut session = lab.get(&[&id, "acp-session-id: s1"]).await;
    // rm-get-06, v1-http-12: one reader; only one who has seen everything takes over.
    let taken = lab.get(&[&id, "acp-session-id: s1"]).await;
    assert_eq!(taken.answer.status, 409);
    // rm-str-01, rm-str-02, rm-str-05, rm-str-10
    let prompt =
        json!({"jsonrpc": "2.0", "id": 2, "method": "session/prompt", "params": {"sessionId": "s1"}});
    send(&lab, &id, prompt).await;
    for (number, note) in [(1, "one"), (2, "two")] {
        let (seen, update) = session.next().await.unwrap();
        assert_eq!((seen, update["params"]["update"]["note"].as_str()), (number, Some(note)));
    }
    let (_, question) = session.next().await.unwrap();
    assert_eq!(question["method"], "session/request_permission");
    // rm-post-18
    let answer = json!({"jsonrpc": "2.0", "id": question["id"], "result": {}}).to_string();
    assert_eq!(lab.post(&[&id, "acp-session-id: other"], &answer).await.status, 400);
    assert_eq!(lab.post(&[&id], &answer).await.status, 202);
    assert_eq!(session.next().await.unwrap().1["id"], 2);
    // rm-get-06, the other half
    let mut session = {
        let next = lab.get(&[&id, "acp-session-id: s1", "last-event-id: 4"]).await;
        assert_eq!(next.answer.status, 200);
        assert!(session.next().await.is_none());
        next
    };
    // rm-rec-04, rm-rec-06: what was taken after the cursor is not kept, so there would be a gap.
    assert_eq!(lab.get(&[&id, "acp-session-id: s1", "last-event-id: 3"]).await.answer.status, 409);
    // rm-str-06
    send(&lab, &id, json!({"jsonrpc": "2.0", "id": 3, "method": "_echo", "params": {}})).await;
    assert_eq!(connection.next().await.unwrap().1["id"], 3);
    // rm-str-05: the stream ends with the session.
    let close = json!({"jsonrpc": "2.0", "id": 4, "method": "session/close", "params": {"sessionId": "s1"}});
    send(&lab, &id, close).await;
    assert_eq!(session.next().await.unwrap(), (5, session_answer()));
    assert!(session.next().await.is_none());
}

fn session_answer() -> serde_json::Value {
    json!({"jsonrpc": "2.0", "id": 4, "result": {"protocolVersion": 1, "session": "s1"}})
}

/// rm-rec-04: a reader that is behind what was taken is told so, also when nobody else reads.
#[tokio::test]
async fn a_gap_is_refused() {
    let lab = Lab::start(Options::new()).await;
    let id = lab.initialize().await;
    let mut connection = lab.get(&[&id]).await;
    for number in 1..=2 {
        send(&lab, &id, json!({"jsonrpc": "2.0", "id": number, "method": "_echo", "params": {}})).await;
        assert_eq!(connection.next().await.unwrap().0, number);
    }
    drop(connection);
    assert_eq!(lab.get(&[&id, "last-event-id: 1"]).await.answer.status, 409);
    assert_eq!(lab.get(&[&id, "last-event-id: 2"]).await.answer.status, 200);
}

/// The drafted resumption: events that were sent come once more, with their numbers.
#[tokio::test]
async fn rm_rec_04_kept_events_are_sent_again() {
    let lab = Lab::start(Options::new().kept_events(2_000)).await;
    let id = lab.initialize().await;
    let say = |id: &str, count: usize, size: usize| {
        let params = json!({"sessionId": "s", "mode": "say", "count": count, "size": size});
        json!({"jsonrpc": "2.0", "id": id, "method": "session/prompt", "params": params})
    };
    let head = [id.as_str(), "acp-session-id: s"];
    let mut session = lab.get(&head).await;
    send(&lab, &id, say("a", 5, 10)).await;
    for number in 1..=6 {
        assert_eq!(session.next().await.unwrap().0, number);
    }
    // rm-rec-06: the newer reader takes the stream from the older one.
    let mut again = lab.get(&[head[0], head[1], "last-event-id: 2"]).await;
    assert_eq!(again.answer.status, 200);
    assert!(session.next().await.is_none());
    for number in 3..=5 {
        let (event, update) = again.next().await.unwrap();
        assert_eq!((event, update["params"]["number"].as_u64()), (number, Some(number - 1)));
    }
    assert_eq!(again.next().await.unwrap().1["id"], "a");
    // rm-rec-07: new events come behind them, and none comes twice.
    send(&lab, &id, say("b", 1, 10)).await;
    assert_eq!(again.next().await.unwrap().0, 7);
    assert_eq!(
        again.next().await.unwrap(),
        (8, json!({"jsonrpc": "2.0", "id": "b", "result": {"protocolVersion": 1, "session": "s"}}))
    );
    // Without a cursor the stream is taken. One from the future is nobody's.
    for cursor in ["x: y", "last-event-id: 9"] {
        assert_eq!(lab.get(&[head[0], head[1], cursor]).await.answer.status, 409, "{cursor}");
    }
    // What is beyond the bytes is gone.
    send(&lab, &id, say("c", 20, 200)).await;
    while again.next().await.unwrap().1["id"] != "c" {}
    assert_eq!(lab.get(&[head[0], head[1], "last-event-id: 8"]).await.answer.status, 409);
    let mut end = lab.get(&[head[0], head[1], "last-event-id: 27"]).await;
    assert_eq!((end.next().await.unwrap().0, end.next().await.unwrap().0), (28, 29));
}

/// rm-rec-07: a question that is sent again keeps its id, and is answered once.
#[tokio::test]
async fn a_question_that_is_sent_again_is_answered_once() {
    let lab = Lab::start(Options::new().kept_events(100_000)).await;
    let id = lab.initialize().await;
    let head = [id.as_str(), "acp-session-id: s"];
    let mut session = lab.get(&head).await;
    let prompt = json!({"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": {"sessionId": "s"}});
    send(&lab, &id, prompt).await;
    let mut questions = Vec::new();
    for _ in 0..3 {
        while questions
            .last()
            .is_none_or(|(_, message): &(u64, serde_json::Value)| message.get("id").is_none())
        {
            questions.push(session.next().await.unwrap());
        }
        let (number, question) = questions.pop().unwrap();
        assert_eq!((number, question["method"].as_str()), (3, Some("session/request_permission")));
        session = lab.get(&[head[0], head[1], "last-event-id: 2"]).await;
        questions = vec![];
    }
    let (_, question) = session.next().await.unwrap();
    let answer = json!({"jsonrpc": "2.0", "id": question["id"], "result": {}});
    send(&lab, &id, answer.clone()).await;
    assert_eq!(session.next().await.unwrap().1["id"], 1);
    // Another answer is the agent's to ignore.
    send(&lab, &id, answer).await;
    send(&lab, &id, json!({"jsonrpc": "2.0", "id": 2, "method": "_a", "params": {"sessionId": "s"}})).await;
    assert_eq!(session.next().await.unwrap().1["id"], 2);
}

#[tokio::test]
async fn rm_str_04_the_answer_of_load_follows_the_replay() {
    let lab = Lab::start(Options::new()).await;
    let id = lab.initialize().await;
    let load = json!({"jsonrpc": "2.0", "id": 1, "method": "session/load", "params": {"sessionId": "old"}});
    // rm-get-05: the agent does not know the session yet.
    let mut session = lab.get(&[&id, "acp-session-id: old"]).await;
    send(&lab, &id, load.clone()).await;
    for expected in ["session/update", "session/update"] {
        assert_eq!(session.next().await.unwrap().1["method"], expected);
    }
    assert_eq!(session.next().await.unwrap().1["id"], 1);
    // Without the stream of the session both are on that of the connection.
    let id = lab.initialize().await;
    let mut connection = lab.get(&[&id]).await;
    send(&lab, &id, load.clone()).await;
    for expected in ["session/update", "session/update"] {
        assert_eq!(connection.next().await.unwrap().1["method"], expected);
    }
    assert_eq!(connection.next().await.unwrap().1["id"], 1);
    // Some clients open the stream when they hear of the session. Then its messages are there.
    let mut session = lab.get(&[&id, "acp-session-id: old"]).await;
    let params = json!({"sessionId": "old", "mode": "say", "count": 2});
    send(&lab, &id, json!({"jsonrpc": "2.0", "id": 2, "method": "session/prompt", "params": params})).await;
    for expected in ["session/update", "session/update"] {
        assert_eq!(session.next().await.unwrap().1["method"], expected);
    }
    assert_eq!(session.next().await.unwrap().1["id"], 2);
}

/// rm-str-10: an answer does not overtake what waits for a stream that is not open yet, or not any
/// more.
#[tokio::test]
async fn rm_str_05_an_answer_follows_what_waits_for_the_stream() {
    let lab = Lab::start(Options::new().kept_events(1 << 20)).await;
    let id = lab.initialize().await;
    let mut connection = lab.get(&[&id]).await;
    // The second time the stream has been open before.
    for (number, cursor) in [(1, "last-event-id: 0"), (2, "last-event-id: 4")] {
        let params = json!({"sessionId": "s", "mode": "say", "count": 3});
        let prompt = json!({"jsonrpc": "2.0", "id": number, "method": "session/prompt", "params": params});
        send(&lab, &id, prompt).await;
        send(&lab, &id, json!({"jsonrpc": "2.0", "id": "other", "method": "_a"})).await;
        assert_eq!(connection.next().await.unwrap().1["id"], "other");
        let mut session = lab.get(&[&id, "acp-session-id: s", cursor]).await;
        for _ in 0..3 {
            assert_eq!(session.next().await.unwrap().1["method"], "session/update");
        }
        assert_eq!(session.next().await.unwrap().1["id"], number);
    }
}

#[tokio::test]
async fn rm_get_05_few_streams_of_unknown_sessions_are_open() {
    let lab = Lab::start(Options::new().unconfirmed(1)).await;
    let id = lab.initialize().await;
    let _first = lab.get(&[&id, "acp-session-id: a"]).await;
    assert_eq!(lab.get(&[&id, "acp-session-id: b"]).await.answer.status, 404);
}

#[tokio::test]
async fn rm_str_11_an_agent_waits_for_readers_within_the_budget() {
    let lab = Lab::start(Options::new().buffer(1000)).await;
    let id = lab.initialize().await;
    let mut connection = lab.get(&[&id]).await;
    let params = json!({"sessionId": "s", "mode": "say", "count": 10_000});
    let flood = json!({"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": params});
    send(&lab, &id, flood).await;
    // The stream is read only now, and nothing is lost.
    let mut session = lab.get(&[&id, "acp-session-id: s"]).await;
    for number in 1..=10_000 {
        assert_eq!(session.next().await.unwrap().0, number);
    }
    assert_eq!(session.next().await.unwrap().1["id"], 1);
    drop(session);
    // rm-str-12: an id that cannot be a header.
    let odd = json!({"jsonrpc": "2.0", "id": 2, "method": "session/load", "params": {"sessionId": "ä b"}});
    send(&lab, &id, odd).await;
    assert_eq!(connection.next().await.unwrap().1["params"]["sessionId"], "ä b");
}
