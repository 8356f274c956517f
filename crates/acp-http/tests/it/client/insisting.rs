//! The client over HTTP with streams: messages that must arrive, and streams that must be heard.

use std::time::Duration;

use acp_rpc::CallError;
use serde_json::json;

use super::script::{Lab, id, message};

/// rm-ord-06, rm-ord-07: an answer is sent again, because the agent waits for it, and another copy
/// of it does no harm.
#[tokio::test(start_paused = true)]
async fn an_answer_that_is_lost_is_sent_again() {
    let mut lab = Lab::start(|remote| remote).await;
    lab.events.send(json!({"jsonrpc": "2.0", "id": 5, "method": "ask"})).await;
    let first = lab.post().await;
    let said = message(&first);
    drop(first);
    for status in ["503 Service Unavailable", "400 Bad Request", "429 Too Many Requests", "400 Bad Request"] {
        let again = lab.post().await;
        assert_eq!(message(&again), said);
        again.answer(status, &[], "").await;
    }
    let last = lab.post().await;
    assert_eq!(message(&last), said);
    last.accept().await;
    // It is the last one.
    let (_call, asked) = lab.call("session/list", json!({})).await;
    assert_eq!(message(&asked)["method"], "session/list");
}

/// A cancellation is sent again, and what comes behind it waits. One that is refused is given up.
#[tokio::test(start_paused = true)]
async fn a_cancellation_that_is_lost_is_sent_again() {
    let mut lab = Lab::start(|remote| remote).await;
    let _stream = lab.session().await;
    let session = json!({"sessionId": "s1"});
    lab.here.peer.notify("session/cancel", &session).await.unwrap();
    let _call = super::script::call(&lab.here, "session/prompt", session.clone());
    drop(lab.post().await);
    for _ in 0..2 {
        let again = lab.post().await;
        assert_eq!(message(&again)["method"], "session/cancel");
        again.answer("503 Service Unavailable", &[], "").await;
    }
    for _ in 0..3 {
        let again = lab.post().await;
        assert_eq!(message(&again)["method"], "session/cancel");
        again.answer("400 Bad Request", &[], "").await;
    }
    assert_eq!(message(&lab.post().await)["method"], "session/prompt");
}

/// Any other notification is sent once.
#[tokio::test(start_paused = true)]
async fn a_notification_that_is_lost_stays_lost() {
    let mut lab = Lab::start(|remote| remote).await;
    lab.here.peer.notify("_count", &json!({})).await.unwrap();
    drop(lab.post().await);
    let (_call, asked) = lab.call("session/list", json!({})).await;
    assert_eq!(message(&asked)["method"], "session/list");
}

/// An answer that the server does not take, such as one that is too long, is replaced by an error.
/// If it does not take that either, the connection ends.
#[tokio::test]
async fn an_answer_that_is_refused_is_replaced_by_an_error() {
    for takes_error in [true, false] {
        let mut lab = Lab::start(|remote| remote).await;
        lab.events.send(json!({"jsonrpc": "2.0", "id": 5, "method": "ask"})).await;
        lab.post().await.answer("413 Content Too Large", &[], "").await;
        let instead = lab.post().await;
        assert_eq!(id(&instead), 5);
        assert!(message(&instead)["error"]["message"].as_str().unwrap().contains("413"));
        if takes_error {
            instead.accept().await;
            let (_call, asked) = lab.call("session/list", json!({})).await;
            assert_eq!(message(&asked)["method"], "session/list");
        } else {
            instead.answer("413 Content Too Large", &[], "").await;
            assert_eq!(lab.here.problem().await.and_then(|problem| problem.status()), Some(413));
        }
    }
}

/// An answer that cannot be sent in the time of a POST ends the connection.
#[tokio::test(start_paused = true)]
async fn an_answer_that_cannot_be_sent_ends_the_connection() {
    let lab = Lab::start(|remote| remote.post_timeout(Duration::from_secs(30)).ping(None)).await;
    let Lab { mut server, here, mut events } = lab;
    events.send(json!({"jsonrpc": "2.0", "id": 5, "method": "ask"})).await;
    let served = async {
        loop {
            server.next().await.answer("503 Service Unavailable", &[], "").await;
        }
    };
    let problem = tokio::select! {
        () = served => unreachable!("it serves for ever"),
        end = here.problem() => end.unwrap(),
    };
    assert!(matches!(problem, acp_http::Error::TimedOut { .. }), "{problem:?}");
}

/// The stream of a session that cannot be opened, after a request was sent: nobody would hear the
/// answer.
#[tokio::test(start_paused = true)]
async fn a_request_whose_session_cannot_be_heard_does_not_wait_for_ever() {
    let mut lab = Lab::start(|remote| remote).await;
    let load = super::script::call(&lab.here, "session/load", json!({"sessionId": "old"}));
    // The head of the stream comes too late, so the request is sent without it.
    let stream = lab.get().await;
    lab.post().await.accept().await;
    stream.answer("405 Method Not Allowed", &[], "").await;
    assert!(matches!(load.await.unwrap(), Err(CallError::Closed(_))));
    assert_eq!(lab.here.problem().await.and_then(|problem| problem.status()), Some(405));
}
