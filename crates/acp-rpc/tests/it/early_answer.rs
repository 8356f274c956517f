//! Answers that leave while their handler goes on.

use std::sync::Arc;

use acp_json::Node;
use acp_rpc::{CallError, Delivery, Encode, Error, Options, Peer, Reply, Request, Service, Task};
use serde_core::ser::Error as _;
use tokio::sync::Notify;

use crate::common::{raw, soon};

struct Early {
    release: Arc<Notify>,
}

struct Bad;

impl Encode for Bad {
    fn encode(&self, buffer: &mut Vec<u8>) -> Result<(), acp_rpc::EncodeError> {
        buffer.extend_from_slice(b"half");
        Err(acp_rpc::EncodeError::custom("no form"))
    }
}

impl Service for Early {
    fn request(&self, method: &str, _: Node<'_>, request: Request) -> Result<Task, Error> {
        let (release, method) = (Arc::clone(&self.release), method.to_owned());
        Ok(Box::pin(async move {
            let (one, two) = ("first", [2]);
            let good: [(&str, &(dyn Encode + Sync)); 2] = [("one", &one), ("two", &two)];
            let bad: [(&str, &(dyn Encode + Sync)); 2] = [("one", &one), ("two", &Bad)];
            let behind = if method == "bad" { bad } else { good };
            match request.answer_early(&method, &"early", &behind).await {
                Ok(()) => {
                    assert!(matches!(
                        request.answer_early(&method, &"again", &[]).await,
                        Err(CallError::Closed(_))
                    ));
                }
                Err(error) => return Err(Error::internal(error.to_string())),
            }
            request.keep(Told(request.peer.clone()));
            release.notified().await;
            match method.as_str() {
                "panics" => panic!("handler panic"),
                "fails" => Err(Error::internal("too late")),
                _ => Ok(Reply::new("late")),
            }
        }))
    }

    fn notification(&self, _: &str, _: Node<'_>, _: &Peer) -> Delivery {
        Delivery::Ignore
    }
}

/// Tells the peer when it is dropped.
struct Told(Peer);

impl Drop for Told {
    fn drop(&mut self) {
        let _ = self.0.notify_now("gone", &());
    }
}

#[tokio::test]
async fn an_early_answer_is_the_only_one_and_what_belongs_to_it_follows_at_once() {
    let release = Arc::new(Notify::new());
    let (mut wire, _peer, driver) = raw(Early { release: Arc::clone(&release) }, Options::default());
    tokio::spawn(driver);
    for method in ["works", "fails", "panics"] {
        // The same id, which is free again from the answer on.
        wire.send(format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}"}}"#)).await;
        assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","id":1,"result":"early"}"#);
        assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","method":"one","params":"first"}"#);
        assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","method":"two","params":[2]}"#);
        // A cancel does not reach the handler any more.
        wire.send(r#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}"#).await;
        release.notify_one();
        // What the request keeps lives as long as the handler, and no second answer comes first.
        assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","method":"gone"}"#, "{method}");
    }
    wire.send(r#"{"jsonrpc":"2.0","id":1,"method":"bad"}"#).await;
    let refused = wire.next().await;
    assert!(refused.contains(r#""error""#) && refused.contains("no form"), "{refused}");
    soon("the end", wire.finish()).await;
}

#[tokio::test]
async fn requests_that_were_answered_early_still_weigh_until_their_handlers_end() {
    let release = Arc::new(Notify::new());
    let options = Options::default().in_flight_budget(4 * 1024);
    let (mut wire, _peer, driver) = raw(Early { release: Arc::clone(&release) }, options);
    tokio::spawn(driver);
    let request = |id: u32| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"works"}}"#);
    let mut running = 0;
    let refused = loop {
        wire.send(request(running)).await;
        let answer = wire.next().await;
        if !answer.contains("early") {
            break answer;
        }
        wire.next().await;
        wire.next().await;
        running += 1;
        assert!(running < 1000, "they weigh nothing");
    };
    assert!(refused.contains(r#""error""#), "{refused}");
    for _ in 0..running {
        release.notify_one();
        assert!(wire.next().await.contains("gone"));
    }
    wire.send(request(1)).await;
    assert!(wire.next().await.contains("early"));
}
