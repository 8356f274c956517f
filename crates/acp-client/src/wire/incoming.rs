//! Messages of the agent, and the answers to them.

use acp_json::{FromNode, Node, ReadError};
use acp_rpc::{Id, Reply};
use acp_types::v1::{SessionId, SessionUpdate};
use serde_core::Serialize;

use crate::wire::update::Update;
#[cfg(feature = "v2")]
use crate::wire::v2;
use crate::wire::work::Work;
use crate::wire::{Wire, v1};
use crate::{Event, RpcError};

impl Wire {
    /// Returns the meaning of a request of this name.
    pub(crate) fn work(self, method: &str, params: &Node<'_>) -> Work {
        match self {
            Self::V1 => v1::incoming::work(method, params),
            #[cfg(feature = "v2")]
            Self::V2 => Work::Other,
        }
    }

    /// Returns the name by which the vocabulary calls the method of a message. `None` is for a
    /// method that the version does not have.
    pub(crate) fn operation<'m>(self, method: &'m str, _: &Node<'_>) -> Option<&'m str> {
        match self {
            Self::V1 => Some(method),
            #[cfg(feature = "v2")]
            Self::V2 => v2::incoming::operation(method),
        }
    }

    /// Refuses ids of requests that the version does not have.
    #[cfg_attr(not(feature = "v2"), allow(unused_variables, reason = "version 1 has all ids"))]
    pub(crate) fn check_id(self, id: &Id) -> Result<(), RpcError> {
        match self {
            Self::V1 => Ok(()),
            #[cfg(feature = "v2")]
            Self::V2 => v2::incoming::check_id(id),
        }
    }

    /// Returns the session that a request belongs to.
    pub(crate) fn session(self, params: &Node<'_>) -> Option<SessionId> {
        match self {
            Self::V1 => v1::incoming::session(params),
            #[cfg(feature = "v2")]
            Self::V2 => v1::incoming::session(params),
        }
    }

    /// Reads the params of a message.
    pub(crate) fn read<P: FromNode + 'static>(self, params: Node<'_>) -> Result<P, ReadError> {
        match self {
            Self::V1 => acp_json::read(params),
            #[cfg(feature = "v2")]
            Self::V2 => v2::incoming::read(params),
        }
    }

    /// Returns true if a notification of this name is an update of a session.
    pub(crate) fn is_update(self, method: &str) -> bool {
        match self {
            Self::V1 => v1::incoming::is_update(method),
            #[cfg(feature = "v2")]
            Self::V2 => v1::incoming::is_update(method),
        }
    }

    /// Reads the params of an update. With `is_handled` there are handlers of updates.
    pub(crate) fn update(self, params: Node<'_>, is_handled: bool) -> Result<Update, ReadError> {
        match self {
            Self::V1 => v1::incoming::update(params, is_handled),
            #[cfg(feature = "v2")]
            Self::V2 => v2::update::read(params, is_handled),
        }
    }

    /// Returns the event that an update for handlers is.
    pub(crate) fn event(self, update: SessionUpdate) -> Event {
        match self {
            Self::V1 => Event::from(update),
            #[cfg(feature = "v2")]
            Self::V2 => v2::update::event(update),
        }
    }

    /// Writes the answer to a request.
    pub(crate) fn answer(self, response: impl Serialize + Send + 'static) -> Reply {
        match self {
            Self::V1 => Reply::new(response),
            // The answers of clients have one form in both versions.
            #[cfg(feature = "v2")]
            Self::V2 => Reply::new(response),
        }
    }

    /// Returns the answer to a request of this name whose turn is cancelled (rule v1-cancel-03) or
    /// whose session is closed. `None` is for requests that go on.
    pub(crate) fn answer_when_withdrawn(self, method: &str) -> Option<fn() -> Reply> {
        match self {
            Self::V1 => v1::incoming::answer_when_withdrawn(method),
            #[cfg(feature = "v2")]
            Self::V2 => v1::incoming::answer_when_withdrawn(method),
        }
    }

    /// Returns the answer to a request of this name that the agent takes back. `None` is for
    /// `-32800`.
    pub(crate) fn answer_when_taken_back(self, method: &str) -> Option<Reply> {
        #[cfg(not(feature = "v2"))]
        let _ = method;
        match self {
            Self::V1 => None,
            #[cfg(feature = "v2")]
            Self::V2 => v2::incoming::answer_when_taken_back(method),
        }
    }
}
