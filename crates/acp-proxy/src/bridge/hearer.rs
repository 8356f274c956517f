//! The receivers of what a server says about a request, before its answer.

use std::sync::Weak;

use acp_rpc::Id;

use super::out::Out;
use crate::wire::forms;
use crate::wire::message::Call;

/// A receiver that is not bound to one request of a client.
pub(super) trait Listens: Send + Sync {
    fn heard(&self, call: &Call<'_>);
}

/// The receiver of the notifications about one request.
#[derive(Clone)]
pub(super) enum Hearer {
    /// The client that has sent the request, under this id.
    Client { out: Out, id: Id },
    /// A listener for a client of the legacy era.
    Listener(Weak<dyn Listens>),
    /// Nobody: the request is the bridge's own.
    Nobody,
}

impl Hearer {
    /// Returns the id of the request at the client, as JSON text.
    pub(super) fn id(&self) -> Option<String> {
        match self {
            Self::Client { id, .. } => Some(forms::id_text(id)),
            Self::Listener(_) | Self::Nobody => None,
        }
    }

    /// Passes a notification on.
    pub(super) fn hear(&self, call: &Call<'_>) {
        match self {
            Self::Client { out, .. } => out.push(|buffer| forms::plain(buffer, None, call)),
            Self::Listener(listener) => {
                if let Some(listener) = listener.upgrade() {
                    listener.heard(call);
                }
            }
            Self::Nobody => {}
        }
    }
}
