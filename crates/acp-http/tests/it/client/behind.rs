//! Messages that stay behind the stream of a session, and those that do not wait for them.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::sleep;

use super::script::{Call, Events, Lab, call, id};

/// A session whose `session/load` was answered on the connection's stream.
async fn loaded() -> (Lab, Events, Call) {
    let mut lab = Lab::start(|remote| remote).await;
    let load = call(&lab.here, "session/load", json!({"sessionId": "old"}));
    let stream = Events::open(lab.get().await).await;
    let asked = lab.post().await;
    lab.events.send(answer(&id(&asked))).await;
    asked.accept().await;
    (lab, stream, load)
}

fn answer(id: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": {}})
}

/// A turn of the session goes on, so its stream is never silent for long.
#[tokio::test(start_paused = true)]
async fn the_answer_of_a_load_comes_while_a_turn_goes_on() {
    let (mut lab, mut stream, load) = loaded().await;
    for number in 0.. {
        stream.notify(&format!("piece {number}")).await;
        assert_eq!(lab.here.next().await, format!("piece {number}"));
        if load.is_finished() {
            break;
        }
        assert!(number < 400, "the answer does not come");
        sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(load.await.unwrap().unwrap(), json!({}));
}

#[tokio::test(start_paused = true)]
async fn others_do_not_wait_for_the_history_of_a_session() {
    let (mut lab, mut stream, load) = loaded().await;
    let of_session = json!({"jsonrpc": "2.0", "method": "of session", "params": {"sessionId": "old"}});
    lab.events.send(of_session).await;
    let question = json!({"jsonrpc": "2.0", "id": 7, "method": "question", "params": {"sessionId": "old"}});
    lab.events.send(question).await;
    let withdrawn = json!({"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 7}});
    lab.events.send(withdrawn).await;
    lab.events.notify("of all").await;
    let (other, asked) = lab.call("session/list", json!({})).await;
    lab.events.send(answer(&id(&asked))).await;
    asked.accept().await;
    // The history goes on meanwhile.
    for number in 0..3 {
        stream.notify("history").await;
        if number == 0 {
            let (one, two) = (lab.here.next().await, lab.here.next().await);
            assert!([one, two].contains(&"of all".to_owned()));
        } else {
            assert_eq!(lab.here.next().await, "history");
        }
        assert!(!load.is_finished(), "{number}");
        sleep(Duration::from_millis(70)).await;
    }
    other.await.unwrap().unwrap();
    // Those of the session stay behind its answer, in their order.
    assert_eq!(lab.here.next().await, "of session");
    assert_eq!(lab.here.next().await, "question");
    load.await.unwrap().unwrap();
}

/// The stream of a session ends with its `session/close`, whose answer comes on either stream.
#[tokio::test(start_paused = true)]
async fn a_session_that_is_closed_meanwhile_is_answered_in_full() {
    for on_its_own in [false, true] {
        let (mut lab, mut stream, load) = loaded().await;
        let (close, asked) = lab.call("session/close", json!({"sessionId": "old"})).await;
        let events = if on_its_own { &mut stream } else { &mut lab.events };
        events.send(answer(&id(&asked))).await;
        asked.accept().await;
        load.await.unwrap().unwrap();
        close.await.unwrap().unwrap();
        // It may be taken up again, with a stream of its own.
        drop(stream);
        let again = call(&lab.here, "session/load", json!({"sessionId": "old"}));
        let _stream = Events::open(lab.get().await).await;
        let asked = lab.post().await;
        lab.events.send(answer(&id(&asked))).await;
        asked.accept().await;
        again.await.unwrap().unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_came_before_the_connection_broke_off_counts() {
    let (Lab { events, here: _here, server: _server }, _stream, load) = loaded().await;
    drop(events);
    assert_eq!(load.await.unwrap().unwrap(), json!({}));
}

/// The pieces that wait are limited by their bytes. More of them only come later.
#[tokio::test(start_paused = true)]
async fn many_bytes_behind_a_session_lose_nothing() {
    let (mut lab, _stream, load) = loaded().await;
    let text = "x".repeat(300 * 1024);
    for number in 0..10 {
        let params = json!({"sessionId": "old", "text": text});
        let method = format!("piece {number}");
        lab.events.send(json!({"jsonrpc": "2.0", "method": method, "params": params})).await;
    }
    for number in 0..10 {
        assert_eq!(lab.here.next().await, format!("piece {number}"));
    }
    load.await.unwrap().unwrap();
}
