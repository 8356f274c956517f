//! The payload of a peer stays with it: no answer, no report, no error and no observer repeats it.

use std::sync::{Arc, Mutex};

use acp_json::Node;
use acp_rpc::{CloseReason, Delivery, Error, Fault, Options, Peer, Request, Service, Tap, Task};

use crate::common::{Lab, raw, soon};

const SECRET: &str = "hunter2";

/// Everything about a connection that appears in logs.
#[derive(Clone, Default)]
struct Notes(Arc<Mutex<Vec<String>>>);

impl Notes {
    fn note(&self, note: String) {
        self.0.lock().unwrap().push(note);
    }

    fn assert_silent(&self, what: &str) {
        for note in &*self.0.lock().unwrap() {
            assert!(!note.contains(SECRET), "{what}: {note}");
            // Bytes are shown as numbers.
            assert!(!note.contains("104, 117, 110"), "{what}: {note}");
        }
    }

    fn tap(&self) -> Tap {
        let notes = self.clone();
        Tap::new(move |traffic| notes.note(format!("{traffic} {traffic:?}")))
    }
}

/// A service that keeps its reports.
struct Reporter(Lab, Notes);

impl Service for Reporter {
    fn request(&self, method: &str, params: Node<'_>, request: Request) -> Result<Task, Error> {
        self.1.note(format!("{request:?}"));
        self.0.request(method, params, request)
    }

    fn notification(&self, method: &str, params: Node<'_>, peer: &Peer) -> Delivery {
        let delivery = self.0.notification(method, params, peer);
        self.1.note(format!("{delivery:?}"));
        delivery
    }

    fn fault(&self, fault: Fault<'_>) {
        self.1.note(format!("{fault} {fault:?}"));
    }

    fn closed(&self, reason: &CloseReason) {
        self.1.note(format!("{reason} {reason:?}"));
    }
}

#[tokio::test]
async fn no_line_is_repeated() {
    let filler = "x".repeat(2000);
    let lines: Vec<String> = [
        "hunter2",
        r#"{"hunter2"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"echo","params":["hunter2"}"#,
        r#""hunter2""#,
        r#"["hunter2"]"#,
        r#"{"hunter2":"hunter2"}"#,
        r#"{"jsonrpc":"hunter2","id":1,"method":"echo"}"#,
        r#"{"jsonrpc":"2.0","id":["hunter2"],"method":"echo"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":["hunter2"]}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"typed","params":"hunter2"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"typed","params":{"line":"hunter2"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"typed","params":{"hunter2":1,"_meta":{"key":"hunter2"}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"unknown","params":["hunter2"]}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"panic","params":["hunter2"],"hunter2":1}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"unwritable","params":["hunter2"]}"#,
        r#"{"jsonrpc":"2.0","method":"explode","params":["hunter2"]}"#,
        r#"{"jsonrpc":"2.0","method":"unknown","params":["hunter2"]}"#,
        r#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":["hunter2"]}}"#,
        r#"{"jsonrpc":"2.0","method":"$/cancel_request","params":"hunter2"}"#,
        r#"{"jsonrpc":"2.0","id":99,"result":"hunter2"}"#,
        r#"{"jsonrpc":"2.0","id":99,"error":{"code":1,"message":"hunter2","data":"hunter2"}}"#,
        r#"{"jsonrpc":"2.0","error":{"code":1,"message":"hunter2","data":"hunter2"}}"#,
        r#"{"jsonrpc":"2.0","id":null,"result":"hunter2"}"#,
    ]
    .into_iter()
    .map(str::to_owned)
    .chain([
        format!("hunter2{filler}"),
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"echo","params":["hunter2{filler}"]}}"#),
    ])
    .collect();
    for line in lines {
        let (lab, _events) = Lab::new();
        let notes = Notes::default();
        let options = Options::default().max_line(1000).tap(notes.tap());
        let (mut wire, _peer, driver) = raw(Reporter(lab, notes.clone()), options);
        let driver = tokio::spawn(driver);
        wire.send(&line).await;
        for answer in wire.finish().await {
            notes.note(answer);
        }
        soon("the end", driver).await.unwrap();
        notes.assert_silent(&line);
    }
}

#[tokio::test]
async fn no_error_of_a_call_repeats_the_answer() {
    // The message of an error is for people to read. Nothing else of it is.
    let answers = [
        r#""result":"hunter2""#,
        r#""result":{"hunter2":"hunter2"}"#,
        r#""result":[1,"hunter2"]"#,
        r#""error":{"code":1,"message":"no","data":{"token":"hunter2"}}"#,
        r#""error":{"code":1,"message":"no","hunter2":1}"#,
        r#""error":{"code":"hunter2"}"#,
        r#""error":"hunter2""#,
        r#""error":["hunter2"],"result":"hunter2""#,
        r#""hunter2":"hunter2""#,
        r#""result":"hunter2"#,
    ];
    for answer in answers {
        let (lab, _events) = Lab::new();
        let notes = Notes::default();
        let options = Options::default().tap(notes.tap());
        let (mut wire, peer, driver) = raw(Reporter(lab, notes.clone()), options);
        tokio::spawn(driver);
        let call = tokio::spawn(async move { peer.request::<_, Vec<i64>>("ask", &["hunter2"]).await });
        wire.next().await;
        wire.send(format!(r#"{{"jsonrpc":"2.0","id":0,{answer}}}"#)).await;
        let error = soon("the answer", call).await.unwrap().unwrap_err();
        notes.note(format!("{error} {error:?}"));
        notes.assert_silent(answer);
    }
}

#[tokio::test]
async fn long_ids_and_methods_are_cut() {
    let long = "x".repeat(100_000);
    let (lab, _events) = Lab::new();
    let notes = Notes::default();
    let (mut wire, _peer, driver) = raw(Reporter(lab, notes.clone()), Options::default());
    tokio::spawn(driver);
    wire.send(format!(r#"{{"jsonrpc":"2.0","id":"{long}","result":1}}"#)).await;
    wire.send(format!(r#"{{"id":"{long}","method":"echo"}}"#)).await;
    // The id is repeated here, because it names the refused message.
    assert!(wire.next().await.contains(&long));
    wire.send(format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{long}"}}"#)).await;
    let answer = wire.next().await;
    assert!(answer.contains("xx..") && answer.len() < 300, "{answer}");
    let notes = notes.0.lock().unwrap();
    assert_eq!(notes.len(), 3);
    for note in &notes[..2] {
        assert!(note.contains("xx\"..") && note.len() < 500, "{note}");
    }
}
