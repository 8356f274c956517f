//! The id of the request of a turn.

use std::sync::{Arc, OnceLock};

use acp_client::layer::{Exchange, Layer, Outbound, Outgoing, Progress};
use serde_json::Value;

/// Takes note of the first `session/prompt`. It is a layer, because a connection has one tap only,
/// which may be that of a recording.
#[derive(Clone, Debug, Default)]
pub(crate) struct RequestId(Arc<OnceLock<Progress>>);

impl RequestId {
    /// Returns the id, or `null` before the request is sent.
    pub(crate) fn json(&self) -> Value {
        let id = self.0.get().and_then(Progress::id);
        serde_json::to_value(id).unwrap_or_default()
    }
}

impl<S: Outbound> Layer<S> for RequestId {
    type Service = Noted<S>;

    fn layer(&self, inner: S) -> Noted<S> {
        Noted { id: self.clone(), inner }
    }
}

/// The calls behind the layer.
pub(crate) struct Noted<S> {
    id: RequestId,
    inner: S,
}

impl<S: Outbound> Outbound for Noted<S> {
    fn send<'a>(&self, outgoing: Outgoing<'a>) -> Exchange<'a> {
        if outgoing.method() == "session/prompt" {
            // A run has one turn.
            let _ = self.id.0.set(outgoing.progress());
        }
        self.inner.send(outgoing)
    }
}
