//! Values that are kept for a request, with layers around its handler.

use std::sync::Arc;

use acp_json::Node;
use acp_rpc::layer::layer_fn;
use acp_rpc::{Delivery, Error, Options, Peer, Reply, Request, Service, Task};
use futures_util::FutureExt;

use crate::common::raw;

/// Notifies the peer when it is dropped.
struct Held(Peer);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.notify_now("let go", &()).unwrap_or_default();
    }
}

/// Keeps a value for each request, and answers as the method says.
struct Attaching;

impl Service for Attaching {
    fn request(&self, method: &str, _: Node<'_>, request: Request) -> Result<Task, Error> {
        request.keep(Held(request.peer.clone()));
        match method {
            "answered" => Ok(Box::pin(async { Ok(Reply::empty()) })),
            "failed" => Ok(Box::pin(async { Err(Error::internal("no")) })),
            "panicked" => Ok(Box::pin(async { panic!("as asked") })),
            "dropped" => Ok(Box::pin(std::future::pending())),
            "late" => Ok(Box::pin(async move {
                let late = request.clone();
                let notify = move |peer: &Peer| {
                    // The request is answered by now.
                    late.keep(Held(peer.clone()));
                    peer.notify_now("after", &()).unwrap();
                };
                Ok(Reply::empty().after(notify))
            })),
            _ => Err(Error::method_not_found(method)),
        }
    }

    fn notification(&self, _: &str, _: Node<'_>, _: &Peer) -> Delivery {
        Delivery::Ignore
    }
}

/// Drops handlers that do not answer at once, and answers for them later.
struct Impatient(Arc<dyn Service>);

impl Service for Impatient {
    fn request(&self, method: &str, params: Node<'_>, request: Request) -> Result<Task, Error> {
        let task = self.0.request(method, params, request)?;
        Ok(Box::pin(async move {
            if let Some(answer) = task.now_or_never() {
                return answer;
            }
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
            Err(Error::internal("too slow"))
        }))
    }

    fn notification(&self, method: &str, params: Node<'_>, peer: &Peer) -> Delivery {
        self.0.notification(method, params, peer)
    }
}

#[tokio::test]
async fn what_is_kept_for_a_request_is_let_go_behind_its_answer() {
    let options = Options::default().layer_in(layer_fn(Impatient));
    let (mut wire, _peer, driver) = raw(Attaching, options);
    tokio::spawn(driver);
    let table = [
        ("answered", r#""result":{}"#),
        ("failed", r#""error":{"code":-32603,"message":"no"}"#),
        ("panicked", r#""error":{"code":-32603"#),
        ("dropped", r#""error":{"code":-32603,"message":"too slow"}"#),
        ("unknown", r#""error":{"code":-32601"#),
    ];
    for (method, answer) in table {
        wire.send(format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}"}}"#)).await;
        let line = wire.next().await;
        assert!(line.contains(answer), "{method}: {line}");
        assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","method":"let go"}"#, "{method}");
    }
    // Values that are kept after the answer, until the hook after it is done, come with it.
    wire.send(r#"{"jsonrpc":"2.0","id":1,"method":"late"}"#).await;
    for expected in [r#""result":{}"#, "after", "let go", "let go"] {
        assert!(wire.next().await.contains(expected), "{expected}");
    }
}
