//! A transport that carries whole messages.

use std::io;

use acp_json::Value;
use acp_rpc::{CallError, CloseReason, Options, Peer, Transport, connect};
use futures_channel::mpsc::{Receiver, Sender, channel};
use futures_util::{SinkExt, StreamExt};
use tokio::task::JoinHandle;

use crate::common::{Lab, soon};

/// The far end, message by message; sending an error breaks the connection.
struct Far {
    send: Sender<io::Result<String>>,
    sent: Receiver<Vec<u8>>,
}

impl Far {
    async fn say(&mut self, message: impl Into<String>) {
        self.send.send(Ok(message.into())).await.unwrap();
    }

    async fn receive(&mut self) -> String {
        String::from_utf8(soon("a message", self.sent.next()).await.unwrap()).unwrap()
    }
}

/// A connection over messages. Each direction holds very few.
fn connected(lab: Lab) -> (Far, Peer, JoinHandle<CloseReason>) {
    let (send, incoming) = channel(0);
    let (outgoing, sent) = channel(0);
    let (peer, driver) = connect(Transport::messages(incoming, outgoing), lab, Options::default());
    (Far { send, sent }, peer, tokio::spawn(driver))
}

#[tokio::test]
async fn a_message_is_a_message_in_both_directions() {
    let (lab, mut events) = Lab::new();
    let (mut far, peer, driver) = connected(lab.clone());
    far.say(r#"{"jsonrpc":"2.0","id":1,"method":"empty"}"#).await;
    assert_eq!(far.receive().await, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    far.say("{\n  \"jsonrpc\": \"2.0\",\n  \"method\": \"note\",\n  \"params\": [\"a\\nb\"]\n}\n").await;
    assert_eq!(soon("the note", events.recv()).await.unwrap(), r#"note ["a\nb"]"#);
    far.say("").await;
    far.say("not\nJSON").await;
    assert!(far.receive().await.contains("-32700"));
    assert_eq!(lab.faults(), ["a line of 8 bytes is not JSON (at byte 2)"]);
    // Larger than any buffer on the way.
    let long = "x".repeat(300_000);
    far.say(format!(r#"{{"jsonrpc":"2.0","id":2,"method":"echo","params":["{long}"]}}"#)).await;
    assert_eq!(far.receive().await, format!(r#"{{"jsonrpc":"2.0","id":2,"result":["{long}"]}}"#));
    // Several messages that leave in one write are several messages.
    for number in 0..100 {
        peer.notify_now("tell", &[number]).unwrap();
    }
    for number in 0..100 {
        assert_eq!(
            far.receive().await,
            format!(r#"{{"jsonrpc":"2.0","method":"tell","params":[{number}]}}"#)
        );
    }
    drop(far.send);
    assert!(matches!(soon("the end", driver).await.unwrap(), CloseReason::Eof));
    assert_eq!(soon("the end of messages", far.sent.next()).await, None);
}

#[tokio::test]
async fn what_is_queued_leaves_before_a_close() {
    let (lab, _events) = Lab::new();
    let (mut far, peer, driver) = connected(lab);
    peer.notify_now("first", &()).unwrap();
    peer.notify_now("last", &()).unwrap();
    peer.close();
    assert!(far.receive().await.contains("first"));
    assert!(far.receive().await.contains("last"));
    assert_eq!(soon("the end of messages", far.sent.next()).await, None);
    assert!(matches!(soon("the end", driver).await.unwrap(), CloseReason::Local));
}

#[tokio::test(start_paused = true)]
async fn errors_of_either_half_end_the_connection() {
    let (lab, _events) = Lab::new();
    let (mut far, _peer, driver) = connected(lab);
    far.send.send(Err(io::Error::other("reset"))).await.unwrap();
    assert_eq!(soon("the end", driver).await.unwrap().to_string(), "reset");

    let (lab, _events) = Lab::new();
    let (far, peer, driver) = connected(lab);
    let Far { send, sent } = far;
    drop(sent);
    let error = soon("an error", peer.request::<_, Value>("ask", &())).await.unwrap_err();
    assert!(matches!(error, CallError::Closed(CloseReason::Io(_))), "{error}");
    drop(send);
    assert!(matches!(soon("the end", driver).await.unwrap(), CloseReason::Io(_)));
}

/// Messages that are there at once are read at once, and all of them come before the end behind
/// them.
#[tokio::test]
async fn the_end_comes_after_all_messages() {
    for (end, reason) in [(None, CloseReason::Eof.to_string()), (Some("reset"), "reset".to_owned())] {
        let (lab, mut events) = Lab::new();
        // More than a buffer of the reader holds.
        let text = "x".repeat(3_000);
        let notes = (0..20)
            .map(|number| format!(r#"{{"jsonrpc":"2.0","method":"note","params":[{number},"{text}"]}}"#));
        let notes: Vec<io::Result<String>> =
            notes.map(Ok).chain(end.map(|text| Err(io::Error::other(text)))).collect();
        let (outgoing, _sent) = channel(0);
        let transport = Transport::messages(futures_util::stream::iter(notes), outgoing);
        let (_peer, driver) = connect(transport, lab, Options::default());
        let driver = tokio::spawn(driver);
        for number in 0..20 {
            let note = soon("a note", events.recv()).await.unwrap();
            assert!(note.starts_with(&format!("note [{number},")), "{note}");
        }
        assert_eq!(soon("the end", driver).await.unwrap().to_string(), reason);
    }
}
