//! The way of messages from one joint of a chain on.

use acp_rpc::BoxFuture;

use super::responder::Responder;
use crate::wire::message::Call;

/// The direction of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Toward {
    /// From the client to the agent.
    Agent,
    /// From the agent to the client.
    Client,
}

impl Toward {
    /// Returns the other direction, which is that of the answers.
    #[must_use]
    pub const fn back(self) -> Self {
        match self {
            Self::Agent => Self::Client,
            Self::Client => Self::Agent,
        }
    }
}

/// Passes messages on. A joint is a place between two neighbours of a chain, counted from the
/// client's side: joint 0 is between the client and the first proxy.
pub(crate) trait Route: Send + Sync {
    /// Passes a message on from a joint. It is a request if it has a responder.
    fn pass(&self, joint: usize, toward: Toward, call: &Call<'_>, responder: Option<Responder>);

    /// Returns a future to wait for before more is passed on from a joint, while the next place has
    /// no room.
    fn full(&self, joint: usize, toward: Toward) -> Option<BoxFuture>;
}
