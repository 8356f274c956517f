//! Messages to the agent, and the answers to them.

use acp_json::FromNode;
use acp_rpc::{CallError, Peer, Pending};
use acp_types::method::{Method, Notification, Request};
use acp_types::v1::SessionId;
use serde_core::Serialize;

use crate::Error;
use crate::wire::Wire;
use crate::wire::moment::Read;

/// A message to the agent.
pub(crate) trait Message: Serialize + Sync {
    /// The method of version 1, whose types are the vocabulary.
    type V1: Method<Params = Self>;
}

/// A request to the agent.
pub(crate) trait Ask: Message<V1: Request> {}

impl<Q: Message<V1: Request>> Ask for Q {}

/// The answer to a request.
pub(crate) type Answer<Q> = <<Q as Message>::V1 as Request>::Response;

impl Wire {
    /// Returns the name of the method.
    pub(crate) const fn method<M: Message>(&self) -> &'static str {
        match self {
            Self::V1 => <M::V1 as Method>::NAME,
        }
    }

    /// Asks the agent.
    pub(crate) async fn ask<Q: Ask>(
        &self,
        peer: &Peer,
        session: Option<&SessionId>,
        request: &Q,
    ) -> Result<Answer<Q>, Error> {
        let answer = match self {
            Self::V1 => peer.request(self.method::<Q>(), request).await,
        };
        answer.map_err(|error| self.failed::<Q>(session, error))
    }

    /// Asks the agent about a session. The answer has its position among the updates.
    pub(crate) async fn ask_at<Q: Ask>(
        &self,
        peer: &Peer,
        session: &SessionId,
        request: &Q,
    ) -> Result<Read<Answer<Q>>, Error>
    where
        Answer<Q>: FromNode,
    {
        let answer = match self {
            Self::V1 => peer.request(self.method::<Q>(), request).await,
        };
        answer.map_err(|error| self.failed::<Q>(Some(session), error))
    }

    /// Sends a request, and returns its answer as a future.
    pub(crate) async fn send_request<Q: Ask>(
        &self,
        peer: &Peer,
        session: &SessionId,
        request: &Q,
    ) -> Result<Pending<Answer<Q>>, Error> {
        let pending = match self {
            Self::V1 => peer.begin(None, self.method::<Q>(), request).await,
        };
        pending.map_err(|error| self.failed::<Q>(Some(session), error))
    }

    /// Returns the error of a call.
    pub(crate) fn failed<M: Message>(&self, session: Option<&SessionId>, error: CallError) -> Error {
        Error::of_call(self.method::<M>(), session, error)
    }

    /// Sends a notification.
    #[cfg(feature = "unstable")]
    pub(crate) async fn send<N: Message<V1: Notification>>(
        &self,
        peer: &Peer,
        notification: &N,
    ) -> Result<(), Error> {
        let sent = match self {
            Self::V1 => peer.notify(self.method::<N>(), notification).await,
        };
        sent.map_err(|error| self.failed::<N>(None, error))
    }

    /// Sends a notification about a session, whether there is room for it or not.
    pub(crate) fn send_now<N: Message<V1: Notification>>(
        &self,
        peer: &Peer,
        session: &SessionId,
        notification: &N,
    ) -> Result<(), Error> {
        let sent = match self {
            Self::V1 => peer.notify_now(self.method::<N>(), notification),
        };
        sent.map_err(|error| self.failed::<N>(Some(session), error))
    }
}
