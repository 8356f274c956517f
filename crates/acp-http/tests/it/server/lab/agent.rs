//! An agent that does as it is told, and tells what happens to it.

use acp_json::Node;
use acp_rpc::{CancellationToken, Delivery, Error, Peer, Reply, Request, Service, Task};
use serde_json::{Value, json};
use tokio::sync::mpsc;

/// The agent. Its token ends it.
pub(super) struct Agent(pub(super) mpsc::UnboundedSender<String>, pub(super) CancellationToken);

impl Service for Agent {
    fn request(&self, method: &str, params: Node<'_>, request: Request) -> Result<Task, Error> {
        let params: Value = serde_json::from_str(&acp_json::Value::from(params).to_string()).unwrap();
        let _ = self.0.send(format!("{method} {}", params["sessionId"].as_str().unwrap_or_default()));
        let (method, end) = (method.to_owned(), self.1.clone());
        Ok(Box::pin(async move { obey(&method, &params, &request.peer, &end).await.map(Reply::new) }))
    }

    fn notification(&self, method: &str, _: Node<'_>, _: &Peer) -> Delivery {
        let _ = self.0.send(method.to_owned());
        Delivery::Done
    }
}

/// Does what the mode or the method says, and returns the result.
async fn obey(method: &str, params: &Value, peer: &Peer, end: &CancellationToken) -> Result<Value, Error> {
    let session = &params["sessionId"];
    let update = |note: &str| json!({"sessionId": session, "update": {"note": note}});
    match (method, params["mode"].as_str().unwrap_or_default()) {
        (_, "fail") => return Err(Error::invalid_params("no")),
        (_, "silent") => std::future::pending().await,
        (_, "end") => {
            // Its driver is dropped, so nothing is answered.
            end.cancel();
            std::future::pending().await
        }
        ("initialize", "early") => peer.notify("_early", &()).await.unwrap(),
        (_, "say") => say(params, peer).await,
        ("session/new" | "session/fork", _) => {
            return Ok(json!({"sessionId": params["name"].as_str().unwrap_or("s1")}));
        }
        ("session/load" | "session/prompt", _) => {
            peer.notify("session/update", &update("one")).await.unwrap();
            peer.notify("session/update", &update("two")).await.unwrap();
            if method == "session/prompt" {
                let _: Result<acp_json::Value, _> =
                    peer.request("session/request_permission", &update("one")).await;
            }
        }
        ("_emit", _) => emit(params, peer).await,
        _ => {}
    }
    let version = params["protocolVersion"].as_i64().unwrap_or(1);
    Ok(json!({"protocolVersion": version, "session": session.as_str().unwrap_or_default()}))
}

/// Sends `count` updates of `size` bytes, with numbers.
async fn say(params: &Value, peer: &Peer) {
    let text = "x".repeat(params["size"].as_u64().unwrap_or(0).try_into().unwrap());
    for number in 0..params["count"].as_u64().unwrap() {
        let update = json!({"sessionId": params["sessionId"], "number": number, "text": text});
        if peer.notify("session/update", &update).await.is_err() {
            break;
        }
    }
}

/// Sends a notification `of` with the params `inner`, or a request if it `asks`.
async fn emit(params: &Value, peer: &Peer) {
    let (method, inner) = (params["of"].as_str().unwrap().to_owned(), params["inner"].clone());
    if params["asks"] == true {
        let peer = peer.clone();
        tokio::spawn(async move { drop(peer.request::<_, acp_json::Value>(&method, &inner).await) });
    } else {
        peer.notify(&method, &inner).await.unwrap();
    }
}
