//! Promises that hold until a request is answered, whoever answers it.

use std::sync::Arc;
use std::time::Duration;

use acp_json::Node;
use acp_rpc::layer::{Concurrency, Only, Timeout, layer_fn};
use acp_rpc::{CloseReason, Delivery, Error, Fault, Options, Peer, Reply, Request, Service, Task};

use crate::common::raw;

/// Notifies the peer when it is dropped.
struct NotifiesOnDrop(Peer);

impl Drop for NotifiesOnDrop {
    fn drop(&mut self) {
        let _ = self.0.notify_now("dropped", &());
    }
}

/// Keeps a value for every request, and answers as the method says.
struct Attaching;

impl Service for Attaching {
    fn request(&self, method: &str, _: Node<'_>, request: Request) -> Result<Task, Error> {
        request.keep(NotifiesOnDrop(request.peer.clone()));
        request.if_cancelled(Reply::new("cancelled"));
        match method {
            "result" => Ok(Box::pin(async { Ok(Reply::new("result")) })),
            "error" => Ok(Box::pin(async { Err(Error::internal("no")) })),
            "cancelled" => Ok(Box::pin(async { Err(Error::cancelled()) })),
            "panic" => Ok(Box::pin(async { panic!("as asked") })),
            "refuse" => Err(Error::internal("no")),
            _ => Ok(Box::pin(std::future::pending())),
        }
    }

    fn notification(&self, _: &str, _: Node<'_>, _: &Peer) -> Delivery {
        Delivery::Ignore
    }
}

/// Passes the request to the service, and then answers in its place.
struct Overruling<S>(S);

impl<S: Service> Service for Overruling<S> {
    fn request(&self, method: &str, params: Node<'_>, request: Request) -> Result<Task, Error> {
        let task = self.0.request(method, params, request)?;
        match method {
            "overrule" => Err(Error::internal("no")),
            "replace" => Ok(Box::pin(async move {
                drop(task);
                tokio::task::yield_now().await;
                Ok(Reply::new("replaced"))
            })),
            _ => Ok(task),
        }
    }

    fn notification(&self, method: &str, params: Node<'_>, peer: &Peer) -> Delivery {
        self.0.notification(method, params, peer)
    }

    fn fault(&self, fault: Fault<'_>) {
        self.0.fault(fault);
    }

    fn closed(&self, reason: &CloseReason) {
        self.0.closed(reason);
    }
}

#[tokio::test]
async fn what_is_kept_is_dropped_behind_the_answer() {
    let timeout = Only::new(|method| method == "time_out", Timeout::new(Duration::from_millis(1)));
    let overruling = layer_fn(|inner: Arc<dyn Service>| Overruling(inner));
    let options = Options::default().layer_in(overruling).layer_in(timeout);
    let (mut wire, _peer, driver) = raw(Attaching, options);
    tokio::spawn(driver);
    for (id, (method, answer)) in [
        ("result", "\"result\""),
        ("error", "-32603"),
        ("cancelled", "\"cancelled\""),
        ("panic", "-32603"),
        ("refuse", "-32603"),
        ("overrule", "-32603"),
        ("replace", "\"replaced\""),
        ("time_out", "-32603"),
    ]
    .into_iter()
    .enumerate()
    {
        wire.send(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}"}}"#)).await;
        let line = wire.next().await;
        assert!(line.contains(&format!(r#""id":{id},"#)) && line.contains(answer), "{method}: {line}");
        let line = wire.next().await;
        assert!(line.contains("dropped"), "{method}: {line}");
    }
}

#[tokio::test]
async fn who_is_cancelled_while_a_layer_lets_him_wait_is_answered_as_promised() {
    let (mut wire, _peer, driver) = raw(Attaching, Options::default().layer_in(Concurrency::new(1)));
    tokio::spawn(driver);
    wire.send(r#"{"jsonrpc":"2.0","id":1,"method":"hang"}"#).await;
    wire.send(r#"{"jsonrpc":"2.0","id":2,"method":"hang"}"#).await;
    wire.send(r#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":2}}"#).await;
    let line = wire.next().await;
    assert!(line.contains(r#""id":2,"result":"cancelled""#), "{line}");
}
