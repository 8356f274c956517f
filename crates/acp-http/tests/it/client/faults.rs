//! The client over HTTP with streams, when something fails.

use std::time::Duration;

use acp_http::{Error, Remote, Undelivered};
use acp_rpc::CallError;
use serde_json::json;

use super::script::{Events, JSON, Lab, id, initialized, message};

fn why(error: &CallError) -> Option<Undelivered> {
    match error {
        CallError::Remote(error) => Undelivered::of(error),
        other => panic!("{other:?}"),
    }
}

/// rm-ord-06, rm-ord-07: the request of a POST that fails has a typed error, is not sent again, and
/// the connection goes on.
#[tokio::test]
async fn a_post_that_fails_is_the_failure_of_its_request() {
    let refused = |status| Some(Undelivered::Refused(status));
    let unknown = Some(Undelivered::OutcomeUnknown);
    let mut lab = Lab::start(|remote| remote).await;
    for (status, expected) in [
        ("400 Bad Request", refused(400)),
        ("413 Content Too Large", refused(413)),
        ("429 Too Many Requests", refused(429)),
        ("503 Service Unavailable", unknown),
        ("500 Internal Server Error", unknown),
        ("502 Bad Gateway", unknown),
        ("504 Gateway Timeout", unknown),
        // rm-ord-09: a POST is not led elsewhere.
        ("307 Temporary Redirect", refused(307)),
    ] {
        let (call, asked) = lab.call("session/list", json!({})).await;
        asked.answer(status, &["location: /other"], "<secret>").await;
        let error = call.await.unwrap().unwrap_err();
        assert_eq!(why(&error), expected, "{status}");
        assert!(!error.to_string().contains("secret"), "{error}");
        assert!(error.to_string().contains("session/list"), "{error}");
    }
    // The answer was lost.
    let (call, asked) = lab.call("session/list", json!({})).await;
    drop(asked);
    assert_eq!(why(&call.await.unwrap().unwrap_err()), unknown);
    // Nothing was repeated: the next POST is that of the next request.
    let (call, asked) = lab.call("session/last", json!({})).await;
    assert_eq!(message(&asked)["method"], "session/last");
    let last = id(&asked);
    asked.accept().await;
    lab.events.send(json!({"jsonrpc": "2.0", "id": last, "result": 1})).await;
    assert_eq!(call.await.unwrap().unwrap(), 1);
}

/// rm-ord-07: a request whose answer came in spite of its POST is answered once.
#[tokio::test]
async fn an_answer_that_came_counts_more_than_its_post() {
    let mut lab = Lab::start(|remote| remote).await;
    let (call, asked) = lab.call("session/list", json!({})).await;
    lab.events.send(json!({"jsonrpc": "2.0", "id": id(&asked), "result": 1})).await;
    assert_eq!(call.await.unwrap().unwrap(), 1);
    drop(asked);
    lab.events.notify("still there").await;
    assert_eq!(lab.here.next().await, "still there");
}

/// rm-life-09: a POST without an answer has an unknown outcome in the end.
#[tokio::test]
async fn a_post_without_an_answer_has_an_unknown_outcome() {
    let mut lab = Lab::start(|remote| remote.post_timeout(Duration::from_millis(100))).await;
    let (call, _held) = lab.call("session/list", json!({})).await;
    assert_eq!(why(&call.await.unwrap().unwrap_err()), Some(Undelivered::OutcomeUnknown));
}

/// rm-ord-06: 401, 403, 404 and 410 of a POST end the connection.
#[tokio::test]
async fn some_refusals_end_the_connection() {
    for (status, denied) in
        [("401 Unauthorized", true), ("403 Forbidden", true), ("404 Not Found", false), ("410 Gone", false)]
    {
        let mut lab = Lab::start(|remote| remote).await;
        let (call, asked) = lab.call("session/list", json!({})).await;
        asked.answer(status, &[], "").await;
        assert!(matches!(call.await.unwrap(), Err(CallError::Closed(_))));
        let problem = lab.here.problem().await.unwrap();
        assert_eq!((problem.status(), problem.is_denied()), (status[..3].parse().ok(), denied));
    }
}

/// An unusable answer to `initialize` ends the connection, with the reason.
#[tokio::test]
async fn a_beginning_that_fails_says_why() {
    let answer = r#"{"jsonrpc":"2.0","id":0,"result":{}}"#;
    let cases: [(&str, &[&str], &str, &str); 8] = [
        ("200 OK", &[JSON], answer, "Acp-Connection-Id"),
        ("200 OK", &["content-type: text/html"], "<html>", "not JSON"),
        ("200 OK", &[JSON], "{", "not an answer"),
        ("202 Accepted", &[], "", "not 200"),
        ("301 Moved", &["location: http://127.0.0.2/"], "", "301"),
        ("401 Unauthorized", &[], "", "401"),
        ("404 Not Found", &[], "", "404"),
        ("500 Internal Server Error", &[], "", "500"),
    ];
    for (status, headers, body, expected) in cases {
        let (mut server, here, _call) = Lab::asked(|remote| remote.bearer("secret")).await;
        server.next().await.answer(status, headers, body).await;
        let problem = here.problem().await.unwrap().to_string();
        assert!(problem.contains(expected) && problem.contains("initialize"), "{problem}");
    }
    // A JSON-RPC error is the answer, and the connection is over.
    let (mut server, here, call) = Lab::asked(|remote| remote).await;
    let asked = server.next().await;
    let body = json!({"jsonrpc": "2.0", "id": id(&asked), "error": {"code": 1, "message": "no"}}).to_string();
    asked.answer("200 OK", &[JSON], &body).await;
    assert!(matches!(call.await.unwrap(), Err(CallError::Remote(error)) if error.code == 1));
    assert_eq!(here.problem().await, None);
}

/// A server that nobody reaches.
#[tokio::test]
async fn an_address_without_a_server_is_unreachable() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let here =
        super::peer::Connected::over(acp_http::http(format!("http://{free}/acp")).connect().await.unwrap());
    let _call = super::script::call(&here, "initialize", json!({}));
    let problem = here.problem().await.unwrap();
    assert!(matches!(problem, Error::Unreachable { .. }), "{problem:?}");
}

/// The connection's stream that cannot be opened ends the connection.
#[tokio::test]
async fn a_connection_without_its_stream_ends() {
    let cases: [(&str, &[&str], &str); 5] = [
        ("200 OK", &["content-type: text/html"], "no stream of events"),
        ("406 Not Acceptable", &[], "406"),
        ("404 Not Found", &[], "404"),
        ("405 Method Not Allowed", &[], "405"),
        // rm-ord-09: credentials stay with their origin.
        ("302 Found", &["location: http://127.0.0.2:9/"], "302"),
    ];
    for (status, headers, expected) in cases {
        let (mut server, here, _call) = Lab::asked(|remote| remote.bearer("secret")).await;
        initialized(server.next().await).await;
        server.next().await.answer(status, headers, "").await;
        let problem = here.problem().await.unwrap().to_string();
        assert!(problem.contains(expected), "{problem}");
    }
}

/// rm-ord-09: a stream is followed on the same origin.
#[tokio::test]
async fn a_stream_may_be_led_to_another_path() {
    let (mut server, mut here, _call) = Lab::asked(|remote| remote.bearer("secret")).await;
    initialized(server.next().await).await;
    server.next().await.answer("307 Temporary Redirect", &["location: /other"], "").await;
    let mut events = Events::open(server.next().await).await;
    events.notify("hello").await;
    assert_eq!(here.next().await, "hello");
}

/// rm-sse-08: a stream that ends in order is opened again, with the id of its last event.
#[tokio::test]
async fn a_stream_that_ends_is_opened_again() {
    let mut lab = Lab::start(|remote| remote).await;
    lab.events.raw("id: 3\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"one\"}\n\n").await;
    lab.events.end().await;
    let asked = lab.server.next().await;
    assert_eq!(asked.header("last-event-id"), Some("3"));
    // It fails at first.
    asked.answer("503 Service Unavailable", &[], "").await;
    let mut events = Events::open(lab.server.next().await).await;
    events.notify("two").await;
    assert_eq!((lab.here.next().await, lab.here.next().await), ("one".into(), "two".into()));
    // rm-sse-08: the end of the agent is an end in order, and then 404.
    events.end().await;
    lab.server.next().await.answer("404 Not Found", &[], "").await;
    assert_eq!(lab.here.problem().await, None);
}

/// rm-rec-04, rm-rec-06: a stream that breaks off is opened again if its events have ids, and a
/// server that cannot go on behind the last one ends the connection.
#[tokio::test]
async fn a_stream_that_breaks_off_goes_on_only_without_a_gap() {
    let mut lab = Lab::start(|remote| remote).await;
    lab.events.raw("id: 3\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"one\"}\n\nid: 4\ndata: {\"half\"").await;
    assert_eq!(lab.here.next().await, "one");
    drop(lab.events);
    let asked = lab.server.next().await;
    assert_eq!(asked.header("last-event-id"), Some("3"));
    let mut events = Events::open(asked).await;
    events.raw("id: 4\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"two\"}\n\n").await;
    assert_eq!(lab.here.next().await, "two");
    drop(events);
    lab.server.next().await.answer("409 Conflict", &[], "").await;
    assert_eq!(lab.here.problem().await.and_then(|problem| problem.status()), Some(409));
}

/// rm-rec-01: without ids nobody knows what is lost.
#[tokio::test]
async fn a_stream_without_ids_that_breaks_off_ends_the_connection() {
    for half in ["", "data: {\"half\""] {
        let mut lab = Lab::start(|remote| remote).await;
        let (call, asked) = lab.call("session/list", json!({})).await;
        asked.accept().await;
        lab.events.raw(format!(":\n\n{half}")).await;
        if half.is_empty() {
            drop(lab.events);
        } else {
            lab.events.end().await;
        }
        assert!(matches!(call.await.unwrap(), Err(CallError::Closed(_))));
        assert!(matches!(lab.here.problem().await, Some(Error::Network { .. })));
    }
}

/// rm-life-08: the server is told again of the end, or its agent would stay.
#[tokio::test]
async fn the_end_is_told_until_the_server_knows_it() {
    let mut lab = Lab::start(|remote| remote).await;
    drop(lab.events);
    for status in [None, Some("502 Bad Gateway"), Some("202 Accepted")] {
        let asked = lab.server.when(|asked| asked.verb == "DELETE").await;
        assert_eq!(asked.header("acp-connection-id"), Some("c1"));
        match status {
            Some(status) => asked.answer(status, &[], "").await,
            None => drop(asked),
        }
    }
}

/// A stream that ends again and again, without anything on it, is given up.
#[tokio::test]
async fn a_stream_that_brings_nothing_is_given_up() {
    let mut lab = Lab::start(|remote| remote).await;
    lab.events.end().await;
    let gets = tokio::spawn(async move {
        let mut gets = 0;
        loop {
            let asked = lab.server.next().await;
            if asked.verb == "DELETE" {
                return gets;
            }
            Events::open(asked).await.end().await;
            gets += 1;
        }
    });
    assert!(matches!(lab.here.problem().await, Some(Error::Unexpected { .. })));
    assert_eq!(gets.await.unwrap(), 5);
}

/// rm-sse-03: a stream on which not even comments come counts as broken.
#[tokio::test]
async fn a_silent_stream_is_broken() {
    let silence = Duration::from_millis(50);
    let lab = Lab::start(|remote| remote.ping(silence)).await;
    assert_eq!(lab.here.problem().await, Some(Error::Silent { after: silence * 3 }));
}

/// rm-sse-06: an event beyond the limit is skipped, and what it was about is told.
#[tokio::test]
async fn an_event_that_is_too_long_is_skipped() {
    let mut lab = Lab::start(|remote| remote.message_limit(1000)).await;
    let long = "x".repeat(2000);
    lab.events.send(json!({"jsonrpc": "2.0", "id": 5, "method": "ask", "params": long})).await;
    let asked = lab.post().await;
    assert_eq!((id(&asked), &message(&asked)["error"]["code"]), (5.into(), &(-32600).into()));
    asked.accept().await;
    let (call, asked) = lab.call("session/list", json!({})).await;
    lab.events.send(json!({"jsonrpc": "2.0", "id": id(&asked), "result": long})).await;
    asked.accept().await;
    let error = call.await.unwrap().unwrap_err();
    assert!(error.to_string().contains("1000"), "{error}");
    lab.events.notify("after").await;
    assert_eq!(lab.here.next().await, "after");
}

/// rm-sse-07: anything but a message is answered once, without an id.
#[tokio::test]
async fn an_event_that_is_no_message_is_answered() {
    let mut lab = Lab::start(|remote| remote).await;
    for (payload, code) in [("not json", -32700), ("[]", -32600), ("7", -32600)] {
        lab.events.raw(format!("data: {payload}\n\n")).await;
        let asked = lab.post().await;
        let answer = message(&asked);
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(null), &json!(code)), "{payload}");
        asked.accept().await;
    }
}

/// A session whose stream is refused fails its requests, and not those of others.
#[tokio::test]
async fn a_session_without_a_stream_fails_alone() {
    let mut lab = Lab::start(|remote| remote).await;
    let load = super::script::call(&lab.here, "session/load", json!({"sessionId": "old"}));
    lab.get().await.answer("405 Method Not Allowed", &[], "").await;
    assert_eq!(why(&load.await.unwrap().unwrap_err()), Some(Undelivered::NotSent));
    let (_call, asked) = lab.call("session/list", json!({})).await;
    assert_eq!(message(&asked)["method"], "session/list");
}

/// rm-auth-06: credentials are asked for before each request, and refreshed once after a refusal.
#[tokio::test]
async fn credentials_are_refreshed_once() {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures_core::future::BoxFuture;

    struct Counts(AtomicUsize);
    impl acp_http::Authorization for Counts {
        fn authorization(&self) -> BoxFuture<'_, Option<http::HeaderValue>> {
            let number = self.0.load(Ordering::SeqCst);
            Box::pin(async move { http::HeaderValue::from_str(&format!("Bearer {number}")).ok() })
        }

        fn refresh(&self) -> BoxFuture<'_, bool> {
            self.0.fetch_add(1, Ordering::SeqCst);
            Box::pin(async { true })
        }
    }
    let mut lab = Lab::start(|remote: Remote| remote.authorization(Counts(AtomicUsize::new(0)))).await;
    let (_call, asked) = lab.call("session/list", json!({})).await;
    assert_eq!(asked.header("authorization"), Some("Bearer 0"));
    asked.answer("401 Unauthorized", &[], "").await;
    let asked = lab.post().await;
    assert_eq!(asked.header("authorization"), Some("Bearer 1"));
    asked.answer("401 Unauthorized", &[], "").await;
    assert!(lab.here.problem().await.unwrap().is_denied());
}
