//! The client over HTTP with streams, as long as nothing fails.

use acp_http::Error;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::peer::Connected;
use super::raw::{Asked, Server};
use super::script::{Events, Lab, call, id, initialized, message};

const PROMPT: &str = "session/prompt";

/// rm-ck-01, rm-life-08, rm-ord-02, rm-str-07: from `initialize` to DELETE.
#[tokio::test]
async fn a_connection_from_its_beginning_to_its_end() {
    let mut lab = Lab::start(|remote| remote.bearer("secret")).await;
    let mut session = lab.session().await;
    let (prompt, asked) = lab.call(PROMPT, json!({"sessionId": "s1"})).await;
    for (name, value) in [
        ("content-type", "application/json"),
        ("acp-connection-id", "c1"),
        ("acp-session-id", "s1"),
        ("authorization", "Bearer secret"),
        ("cookie", "replica=b"),
    ] {
        assert_eq!(asked.header(name), Some(value), "{name}");
    }
    assert_eq!(asked.header("origin"), None);
    let prompt_id = id(&asked);
    asked.accept().await;
    session.notify("first").await;
    assert_eq!(lab.here.next().await, "first");
    // The answer comes on another stream than it should.
    lab.events.send(json!({"jsonrpc": "2.0", "id": prompt_id, "result": 1})).await;
    assert_eq!(prompt.await.unwrap().unwrap(), 1);
    lab.here.peer.close();
    let asked = lab.server.when(|asked| asked.verb == "DELETE").await;
    assert_eq!(asked.header("acp-connection-id"), Some("c1"));
    asked.accept().await;
    assert!(matches!(lab.here.end.await.unwrap(), acp_rpc::CloseReason::Local));
}

/// rm-h2-04: over `http://` it is HTTP/1.1, unless the server is known to speak HTTP/2.
#[tokio::test]
async fn a_connection_has_the_version_of_http_that_was_asked_for() {
    for (is_two, expected) in [(false, "POST /acp HTTP/1.1\r\n"), (true, "PRI * HTTP/2.0\r\n\r\n")] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let remote = acp_http::http(format!("http://{}/acp", listener.local_addr().unwrap()));
        let remote = if is_two { remote.h2c() } else { remote };
        let here = Connected::over(remote.connect().await.unwrap());
        let _call = call(&here, "initialize", json!({}));
        let (mut socket, _) = listener.accept().await.unwrap();
        let mut begin = vec![0; expected.len()];
        socket.read_exact(&mut begin).await.unwrap();
        assert_eq!(String::from_utf8(begin).unwrap(), expected);
    }
}

/// rm-ck-03: a cookie does not stand for credentials: they are sent beside it, and are refused
/// in spite of it.
#[tokio::test]
async fn a_cookie_is_not_a_credential() {
    let mut lab = Lab::start(|remote| remote.bearer("secret")).await;
    let (_call, asked) = lab.call("session/list", json!({})).await;
    assert_eq!(asked.header("cookie"), Some("replica=b"));
    assert_eq!(asked.header("authorization"), Some("Bearer secret"));
    asked.answer("401 Unauthorized", &["set-cookie: replica=c; Path=/"], "").await;
    assert!(lab.here.problem().await.unwrap().is_denied());
}

/// A program may write more before the answer to `initialize` is there.
#[tokio::test]
async fn nothing_overtakes_the_beginning() {
    let mut server = Server::start().await;
    let remote = acp_http::http(format!("http://{}", server.address));
    let mut parts = remote.connect().await.unwrap().into_parts();
    for (id, method) in ["initialize", PROMPT, "session/list"].iter().enumerate() {
        let params = json!({"sessionId": "s1"});
        let line = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        parts.writer.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }
    parts.writer.flush().await.unwrap();
    let asked = server.next().await;
    assert_eq!(message(&asked)["method"], "initialize");
    initialized(asked).await;
    let asked = server.when(is_post).await;
    assert_eq!(asked.header("acp-connection-id"), Some("c1"), "{}", asked.body);
}

fn is_post(asked: &Asked) -> bool {
    asked.verb == "POST"
}

/// A request whose stream could not be opened may have been answered on it.
#[tokio::test]
async fn a_stream_that_may_have_been_open_is_not_opened_again() {
    for answer in [None, Some("502 Bad Gateway"), Some("504 Gateway Timeout")] {
        let (mut server, here, _call) = Lab::asked(|remote| remote).await;
        initialized(server.next().await).await;
        let asked = server.when(|asked| asked.verb == "GET").await;
        match answer {
            Some(status) => asked.answer(status, &[], "").await,
            None => drop(asked),
        }
        let problem = here.problem().await.unwrap();
        assert!(matches!(problem, Error::Network { .. } | Error::Refused { .. }), "{problem}");
    }
}

/// rm-sse-05: line ends, comments, a byte order mark, lines of data, other fields and names.
#[tokio::test]
async fn events_are_read_in_each_form_and_each_piece() {
    let text = "\u{feff}: a comment\n\ndata:{\"jsonrpc\":\"2.0\",\ndata: \"method\":\"one\"}\n\n\
                :\r\n\r\nid: 7\r\nretry: 5\r\nevent: message\r\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"two\"}\r\n\r\n\
                event: other\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"never\"}\n\ndata\n\ndata:\n\n\
                :\rdata: {\"jsonrpc\":\"2.0\",\"method\":\"three\"}\r\r"
        .as_bytes();
    for size in [1, 2, 3, 7, text.len()] {
        let mut lab = Lab::start(|remote| remote).await;
        for piece in text.chunks(size) {
            lab.events.raw(piece).await;
        }
        for expected in ["one", "two", "three"] {
            assert_eq!(lab.here.next().await, expected, "pieces of {size}");
        }
    }
}

/// rm-str-07: answers are sent with the session of their request, which came on its stream.
#[tokio::test]
async fn an_answer_names_the_session_of_its_request() {
    let mut lab = Lab::start(|remote| remote).await;
    let mut session = lab.session().await;
    session.send(json!({"jsonrpc": "2.0", "id": 9, "method": "ask"})).await;
    let asked = lab.post().await;
    assert_eq!((id(&asked), asked.header("acp-session-id")), (9.into(), Some("s1")));
    asked.accept().await;
    // rm-str-08, rm-str-09: what has no session is answered without one.
    lab.events.send(json!({"jsonrpc": "2.0", "id": 10, "method": "mcp/message"})).await;
    let asked = lab.post().await;
    assert_eq!((id(&asked), asked.header("acp-session-id")), (10.into(), None));
}

/// rm-ord-02, rm-ord-03, rm-ord-04: a POST that is held back holds its own lane back, and nothing
/// else.
#[tokio::test]
async fn a_post_that_is_held_back_holds_only_its_session_back() {
    let mut lab = Lab::start(|remote| remote).await;
    let mut session = lab.session().await;
    let (_prompt, held) = lab.call(PROMPT, json!({"sessionId": "s1"})).await;
    lab.here.peer.notify("session/cancel", &json!({"sessionId": "s1"})).await.unwrap();
    // Another lane goes on.
    let (_list, other) = lab.call("session/list", json!({})).await;
    assert_eq!(message(&other)["method"], "session/list");
    other.accept().await;
    // An answer goes, too.
    session.send(json!({"jsonrpc": "2.0", "id": 9, "method": "ask"})).await;
    let answer = lab.post().await;
    assert_eq!(id(&answer), 9);
    answer.accept().await;
    held.accept().await;
    let cancel = lab.post().await;
    assert_eq!(message(&cancel)["method"], "session/cancel");
}

/// rm-ord-03: a cancellation does not wait for the request that is held back, and does not
/// overtake one that has not been sent.
#[tokio::test]
async fn a_cancellation_stays_behind_its_request() {
    let mut lab = Lab::start(|remote| remote).await;
    let _session = lab.session().await;
    let (first, held) = lab.call(PROMPT, json!({"sessionId": "s1"})).await;
    let second = call(&lab.here, "session/set_mode", json!({"sessionId": "s1"}));
    tokio::task::yield_now().await;
    second.abort();
    first.abort();
    let cancel = lab.post().await;
    assert_eq!(message(&cancel)["params"]["requestId"], id(&held));
    cancel.accept().await;
    held.accept().await;
    let mut methods = Vec::new();
    for _ in 0..2 {
        let asked = lab.post().await;
        methods.push(message(&asked)["method"].clone());
        asked.accept().await;
    }
    assert_eq!(methods, ["session/set_mode", "$/cancel_request"]);
}

/// rm-str-04: the stream is open before `session/load` is sent, and an answer that comes on the
/// connection's stream does not overtake the replay.
#[tokio::test]
async fn a_session_is_loaded_behind_its_open_stream() {
    let mut lab = Lab::start(|remote| remote).await;
    let load = call(&lab.here, "session/load", json!({"sessionId": "old"}));
    let asked = lab.server.next().await;
    assert_eq!((asked.verb.as_str(), asked.header("acp-session-id")), ("GET", Some("old")));
    let mut session = Events::open(asked).await;
    let asked = lab.post().await;
    let load_id = id(&asked);
    asked.accept().await;
    session.notify("replayed").await;
    assert_eq!(lab.here.next().await, "replayed");
    lab.events.send(json!({"jsonrpc": "2.0", "id": load_id, "result": {}})).await;
    assert_eq!(load.await.unwrap().unwrap(), json!({}));
}

/// rm-str-04: a server that sends the history on the session's stream and the answer on that of the
/// connection, which is faster.
#[tokio::test(start_paused = true)]
async fn the_answer_of_a_load_waits_for_the_history() {
    let mut lab = Lab::start(|remote| remote).await;
    let load = call(&lab.here, "session/load", json!({"sessionId": "old"}));
    let mut stream = Events::open(lab.get().await).await;
    let asked = lab.post().await;
    lab.events.send(json!({"jsonrpc": "2.0", "id": id(&asked), "result": {}})).await;
    asked.accept().await;
    for number in 0..3 {
        // The clock goes on by itself, whenever there is nothing else to do.
        tokio::time::sleep(std::time::Duration::from_millis(70)).await;
        assert!(!load.is_finished(), "{number}");
        stream.notify(&format!("history {number}")).await;
        assert_eq!(lab.here.next().await, format!("history {number}"));
    }
    assert_eq!(load.await.unwrap().unwrap(), json!({}));
}

/// rm-ord-08: a server that learns of a session only when it is loaded.
#[tokio::test]
async fn an_unknown_session_is_loaded_without_its_header() {
    let mut lab = Lab::start(|remote| remote).await;
    let load = call(&lab.here, "session/load", json!({"sessionId": "old"}));
    lab.get().await.answer("404 Not Found", &[], "").await;
    let asked = lab.post().await;
    assert_eq!(asked.header("acp-session-id"), Some("old"));
    asked.answer("404 Not Found", &[], "").await;
    let asked = lab.post().await;
    assert_eq!(asked.header("acp-session-id"), None);
    let load_id = id(&asked);
    asked.accept().await;
    lab.events.send(json!({"jsonrpc": "2.0", "id": load_id, "result": {}})).await;
    // Now there is a stream.
    let asked = lab.get().await;
    assert_eq!(asked.header("acp-session-id"), Some("old"));
    let mut session = Events::open(asked).await;
    load.await.unwrap().unwrap();
    session.notify("hello").await;
    assert_eq!(lab.here.next().await, "hello");
}

/// A server that sends the head of a stream with its first event does not keep the others waiting.
#[tokio::test(start_paused = true)]
async fn a_late_head_is_not_waited_for() {
    let (mut server, _here, initialize) = Lab::asked(|remote| remote).await;
    super::script::initialized(server.next().await).await;
    let _held = server.next().await;
    initialize.await.unwrap().unwrap();
}

/// rm-str-05: the stream of a session that was closed is not opened again.
#[tokio::test]
async fn a_closed_session_has_no_stream() {
    let mut lab = Lab::start(|remote| remote).await;
    let mut session = lab.session().await;
    let (close, asked) = lab.call("session/close", json!({"sessionId": "s1"})).await;
    let close_id = id(&asked);
    asked.accept().await;
    session.send(json!({"jsonrpc": "2.0", "id": close_id, "result": {}})).await;
    close.await.unwrap().unwrap();
    session.end().await;
    lab.here.peer.close();
    assert_eq!(lab.server.next().await.verb, "DELETE");
}
