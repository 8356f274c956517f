//! The side under test: a connection of acp-rpc, and its messages.

use acp_json::Node;
use acp_rpc::{CloseReason, Delivery, Error, Options, Peer, Reply, Request, Service, Task, Transport};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// Writes down each message, and answers each request with `{"heard":METHOD}`.
struct Writes {
    heard: mpsc::UnboundedSender<String>,
}

impl Service for Writes {
    fn request(&self, method: &str, _: Node<'_>, _: Request) -> Result<Task, Error> {
        let _ = self.heard.send(method.to_owned());
        let answer = serde_json::json!({ "heard": method });
        Ok(Box::pin(async move { Ok(Reply::new(answer)) }))
    }

    fn notification(&self, method: &str, _: Node<'_>, _: &Peer) -> Delivery {
        let _ = self.heard.send(method.to_owned());
        Delivery::Done
    }
}

pub(crate) struct Connected {
    pub(crate) peer: Peer,
    pub(crate) heard: mpsc::UnboundedReceiver<String>,
    pub(crate) end: JoinHandle<CloseReason>,
}

impl Connected {
    pub(crate) fn over(transport: Transport) -> Self {
        let (sender, heard) = mpsc::unbounded_channel();
        let (peer, driver) = acp_rpc::connect(transport, Writes { heard: sender }, Options::default());
        Self { peer, heard, end: tokio::spawn(driver) }
    }

    pub(crate) async fn next(&mut self) -> String {
        self.heard.recv().await.unwrap()
    }

    /// The error of acp-http that ended the connection; `None` for an orderly end.
    pub(crate) async fn problem(self) -> Option<acp_http::Error> {
        match self.end.await.unwrap() {
            CloseReason::Ended => None,
            CloseReason::Io(error) => {
                Some(acp_http::Error::of(&error).unwrap_or_else(|| panic!("{error:?}")).clone())
            }
            other => panic!("{other:?}"),
        }
    }
}
