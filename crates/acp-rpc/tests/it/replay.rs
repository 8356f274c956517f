//! Recorded traffic, played against a live side.

use acp_json::{Node, Value};
use acp_rpc::tap::{Record, Recorder, ReplayError, Replayed, replay};
use acp_rpc::{
    CloseReason, Delivery, Direction, Error, Id, Kind, Options, Peer, Reply, Request, Service, Task,
    Transport, connect,
};

use crate::common::{Lab, soon};
use crate::paper::{Paper, records};

/// One side of the recorded exchange: it calls, is called meanwhile, and is notified.
async fn exchange(peer: &Peer) -> (String, Value, i32) {
    let nested = soon("an answer", peer.request::<_, String>("nest", &3)).await.unwrap();
    let calls = ["b", "a"].map(|text| {
        let peer = peer.clone();
        tokio::spawn(async move { peer.request::<_, Value>("echo", &[text]).await.unwrap() })
    });
    let mut echoed = Vec::new();
    for call in calls {
        echoed.push(soon("an answer", call).await.unwrap());
    }
    peer.notify("note", &[1]).await.unwrap();
    let error = soon("an answer", peer.request::<_, Value>("fail", &())).await.unwrap_err();
    (nested, Value::from(echoed), error.remote().unwrap().code)
}

async fn recorded_exchange() -> String {
    let paper = Paper::default();
    let recorder = Recorder::new(paper.clone()).unwrap();
    let (here, there) = Transport::duplex();
    let (peer, driver) = connect(here, Lab::new().0, Options::default().tap(recorder.tap()));
    let (_, other) = connect(there, Lab::new().0, Options::default());
    tokio::spawn(other);
    let driver = tokio::spawn(driver);
    let result = exchange(&peer).await;
    assert_eq!(result.0, "3 2 1 bottom");
    peer.close();
    soon("the end", driver).await.unwrap();
    recorder.finish().unwrap();
    paper.text()
}

#[tokio::test]
async fn a_recorded_peer_answers_as_the_real_one_did() {
    let recording = recorded_exchange().await;
    let (transport, replay) = replay(records(&recording), Direction::In).unwrap();
    let played = tokio::spawn(replay);
    let (peer, driver) = connect(transport, Lab::new().0, Options::default());
    let driver = tokio::spawn(driver);
    // This is not in the recording. From here on the ids differ.
    let error = soon("an answer", peer.request::<_, Value>("extra", &())).await.unwrap_err();
    assert_eq!(error.remote().unwrap().code, Error::INTERNAL_ERROR);
    let (nested, echoed, code) = exchange(&peer).await;
    assert_eq!((nested.as_str(), code), ("3 2 1 bottom", Error::INVALID_PARAMS));
    assert_eq!(echoed.to_string(), r#"[["b"],["a"]]"#);
    assert!(matches!(soon("the end", driver).await.unwrap(), CloseReason::Eof));
    let played = soon("the end", played).await.unwrap();
    assert_eq!(played.unexpected, ["extra"]);
    assert_eq!((played.unsent, played.missing.len()), (0, 0));
}

#[tokio::test]
async fn a_recorded_side_can_be_played_to_its_peer() {
    let recording = recorded_exchange().await;
    let (transport, replay) = replay(records(&recording), Direction::Out).unwrap();
    let (lab, mut events) = Lab::new();
    let (_, driver) = connect(transport, lab, Options::default());
    tokio::spawn(driver);
    let played = soon("the end", replay).await;
    assert!(played.is_faithful(), "{played}");
    assert_eq!(soon("the note", events.recv()).await.unwrap(), "note [1]");
}

fn line(direction: &str, kind: &str, body: &str) -> String {
    let node: Value = body.parse().unwrap();
    let part = |name| node.get(name).map(|it| format!(r#","{name}":{}"#, acp_json::to_string(it)));
    let (method, id) = (part("method").unwrap_or_default(), part("id").unwrap_or_default());
    let kind = kind.replace("error", r#"error","code":-1,"note":""#);
    format!(r#"{{"time":1,"direction":"{direction}","kind":"{kind}"{method}{id},"bytes":1,"body":{body}}}"#)
        + "\n"
}

/// Opens sessions with ids of its own, and knows only those.
struct Sessions;

impl Service for Sessions {
    fn request(&self, method: &str, params: Node<'_>, _: Request) -> Result<Task, Error> {
        let known = params.get("sessionId").and_then(Node::as_str) == Some("live");
        match method {
            "open" => Ok(Box::pin(async { Ok(Reply::new(serde_json::json!({ "sessionId": "live" }))) })),
            "use" if known => Ok(Box::pin(async { Ok(Reply::empty()) })),
            _ => Err(Error::invalid_params("no such session")),
        }
    }

    fn notification(&self, _: &str, _: Node<'_>, _: &Peer) -> Delivery {
        Delivery::Ignore
    }
}

#[tokio::test]
async fn ids_that_the_live_side_gives_are_used() {
    let recording = [
        line("out", "request", r#"{"jsonrpc":"2.0","id":0,"method":"open"}"#),
        line("in", "result", r#"{"jsonrpc":"2.0","id":0,"result":{"sessionId":"recorded"}}"#),
        line(
            "out",
            "request",
            r#"{"jsonrpc":"2.0","id":1,"method":"use","params":{"sessionId":"recorded"}}"#,
        ),
        line("in", "result", r#"{"jsonrpc":"2.0","id":1,"result":{}}"#),
    ];
    let (transport, replay) = replay(records(&recording.concat()), Direction::Out).unwrap();
    let paper = Paper::default();
    let recorder = Recorder::new(paper.clone()).unwrap();
    let (_, driver) = connect(transport, Sessions, Options::default().tap(recorder.tap()));
    let driver = tokio::spawn(driver);
    let played = soon("the end", replay).await;
    assert!(played.is_faithful(), "{played}");
    soon("the end", driver).await.unwrap();
    recorder.finish().unwrap();
    assert!(matches!(
        records(&paper.text()).last().unwrap().unwrap(),
        Record::Line(entry) if entry.kind == Kind::Result && entry.id == Some(Id::Int(1))
    ));
}

#[tokio::test]
async fn requests_that_come_in_another_order_get_their_own_answers() {
    let recording = [
        line("out", "request", r#"{"jsonrpc":"2.0","id":0,"method":"ask","params":[1]}"#),
        line("out", "request", r#"{"jsonrpc":"2.0","id":1,"method":"ask","params":[2]}"#),
        line("in", "result", r#"{"jsonrpc":"2.0","id":1,"result":"two"}"#),
        line("in", "result", r#"{"jsonrpc":"2.0","id":0,"result":"one"}"#),
    ];
    let (transport, replay) = replay(records(&recording.concat()), Direction::In).unwrap();
    let played = tokio::spawn(replay);
    let (peer, driver) = connect(transport, Lab::new().0, Options::default());
    tokio::spawn(driver);
    let two = peer.begin::<_, String>(None, "ask", &[2]).await.unwrap();
    let one = peer.begin::<_, String>(None, "ask", &[1]).await.unwrap();
    assert_eq!(soon("the answer", two).await.unwrap(), "two");
    assert_eq!(soon("the answer", one).await.unwrap(), "one");
    assert!(soon("the end", played).await.unwrap().is_faithful());
}

#[tokio::test]
async fn what_a_live_side_leaves_out_is_told() {
    let recording = [
        line("in", "not_json", r#""a banner""#),
        r#"{"time":1,"direction":"in","kind":"not_json","bytes":9}"#.to_owned() + "\n",
        line("out", "error", r#"{"jsonrpc":"2.0","error":{"code":-1,"message":"parse error"}}"#),
        line("out", "notification", r#"{"jsonrpc":"2.0","method":"$/cancel_request"}"#),
        line("in", "request", r#"{"jsonrpc":"2.0","id":"q","method":"echo","params":[1]}"#),
        line("out", "result", r#"{"jsonrpc":"2.0","id":"q","result":[1]}"#),
        line("out", "notification", r#"{"jsonrpc":"2.0","method":"tell"}"#),
        line("in", "notification", r#"{"jsonrpc":"2.0","method":"note"}"#),
    ];
    let (transport, replay) = replay(records(&recording.concat()), Direction::In).unwrap();
    let played = tokio::spawn(replay);
    let (lab, _events) = Lab::new();
    let (peer, driver) = connect(transport, lab.clone(), Options::default());
    let driver = tokio::spawn(driver);
    peer.notify("other", &()).await.unwrap();
    let error = soon("an answer", peer.request::<_, Value>("ask", &())).await.unwrap_err();
    assert!(error.to_string().contains("`ask`"), "{error}");
    peer.close();
    soon("the end", driver).await.unwrap();
    assert_eq!(lab.faults(), ["a line of 8 bytes is not JSON (at byte 1)"]);
    let played = soon("the end", played).await.unwrap();
    assert_eq!((played.sent, played.unsent), (2, 1));
    assert_eq!(played.missing, ["tell"]);
    assert_eq!(played.unexpected, ["other", "ask"]);
    assert!(!played.is_faithful());
}

#[test]
fn what_cannot_be_played_is_refused() {
    let kept = line("in", "notification", r#"{"jsonrpc":"2.0","method":"note"}"#);
    let bare = r#"{"time":1,"direction":"in","kind":"notification","method":"note","bytes":1}"#;
    for (text, expected) in [
        (format!("{kept}{{"), "line 2 of the recording is not a record: it is not JSON"),
        (
            format!(r#"{kept}{{"time":1,"kind":"dropped","count":3}}"#),
            "3 lines are missing from the recording, so it cannot be played: record again with a larger budget",
        ),
        (format!("{kept}{bare}"), "record 2 (Notification `note`) has no `body`, so it cannot be played"),
    ] {
        let error: ReplayError = replay(records(&text), Direction::In).unwrap_err();
        assert_eq!(error.to_string(), expected);
        if text.ends_with(bare) {
            // Only the methods of expected messages count.
            assert!(replay(records(&text), Direction::Out).is_ok());
        }
    }
    assert!(Replayed::default().is_faithful());
}

#[tokio::test(start_paused = true)]
async fn a_paced_replay_waits_as_the_side_did_and_a_lasting_one_stays() {
    let timed = |time: u64, line: String| line.replacen("\"time\":1", &format!("\"time\":{time}"), 1);
    let recording = [
        timed(1_000_000, line("out", "request", r#"{"jsonrpc":"2.0","id":0,"method":"ask"}"#)),
        timed(4_000_000, line("in", "notification", r#"{"jsonrpc":"2.0","method":"note"}"#)),
        timed(9_000_000, line("in", "result", r#"{"jsonrpc":"2.0","id":0,"result":"late"}"#)),
    ];
    for (is_paced, seconds) in [(true, 8), (false, 0)] {
        let (transport, replay) = replay(records(&recording.concat()), Direction::In).unwrap();
        let played = tokio::spawn(if is_paced { replay.paced() } else { replay }.lasting());
        let (peer, driver) = connect(transport, Lab::new().0, Options::default());
        let driver = tokio::spawn(driver);
        let begun = tokio::time::Instant::now();
        assert_eq!(peer.request::<_, String>("ask", &()).await.unwrap(), "late");
        assert_eq!(begun.elapsed().as_secs(), seconds);
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        assert!(!driver.is_finished(), "it does not hang up");
        peer.close();
        driver.await.unwrap();
        assert!(played.await.unwrap().is_faithful());
    }
}

#[tokio::test]
async fn requests_are_matched_by_the_params_that_do_not_depend_on_the_run() {
    let recording = [
        line("out", "request", r#"{"jsonrpc":"2.0","id":0,"method":"ask","params":{"cwd":"/a","n":1}}"#),
        line("out", "request", r#"{"jsonrpc":"2.0","id":1,"method":"ask","params":{"cwd":"/a","n":2}}"#),
        line("in", "result", r#"{"jsonrpc":"2.0","id":0,"result":"one"}"#),
        line("in", "result", r#"{"jsonrpc":"2.0","id":1,"result":"two"}"#),
    ];
    let (transport, replay) = replay(records(&recording.concat()), Direction::In).unwrap();
    tokio::spawn(replay);
    let (peer, driver) = connect(transport, Lab::new().0, Options::default());
    tokio::spawn(driver);
    let params = |number: i32| serde_json::json!({"_meta": {}, "n": number, "cwd": "/elsewhere"});
    let two = peer.begin::<_, String>(None, "ask", &params(2)).await.unwrap();
    let one = peer.begin::<_, String>(None, "ask", &params(1)).await.unwrap();
    assert_eq!(soon("the answer", two).await.unwrap(), "two");
    assert_eq!(soon("the answer", one).await.unwrap(), "one");
}
