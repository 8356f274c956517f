//! Messages to the agent, and the answers to them.

use std::pin::Pin;
use std::task::{Context, Poll};

use acp_json::FromNode;
use acp_rpc::{CallError, Peer, Pending};
use acp_types::method::{Method, Notification, Request};
use acp_types::v1::SessionId;
use serde_core::Serialize;

use crate::Error;
use crate::wire::Wire;
use crate::wire::moment::Read;
#[cfg(feature = "v2")]
use crate::wire::v2::message::{AnswerOfV2, Answered, Params};
#[cfg(feature = "v2")]
pub(crate) use crate::wire::v2::message::{MessageOfV2, MethodOfV2};

/// A message to the agent.
pub(crate) trait Message: Serialize + Sync + MethodOfV2 {
    /// The method of version 1, whose types are the vocabulary.
    type V1: Method<Params = Self>;
}

/// A request to the agent.
#[cfg(not(feature = "v2"))]
pub(crate) trait Ask: Message<V1: Request> + 'static {}

#[cfg(not(feature = "v2"))]
impl<Q: Message<V1: Request> + 'static> Ask for Q {}

/// A request to the agent. Its answer is the same in both versions.
#[cfg(feature = "v2")]
pub(crate) trait Ask:
    Message<V1: Request<Response = <Self as AnswerOfV2>::Answer>> + AnswerOfV2 + 'static
{
}

#[cfg(feature = "v2")]
impl<Q> Ask for Q where Q: Message<V1: Request<Response = <Q as AnswerOfV2>::Answer>> + AnswerOfV2 + 'static {}

/// Without version 2 a message has one form.
#[cfg(not(feature = "v2"))]
mod one_form {
    pub(crate) trait MethodOfV2 {}
    pub(crate) trait MessageOfV2 {}

    impl<M> MethodOfV2 for M {}
    impl<M> MessageOfV2 for M {}
}
#[cfg(not(feature = "v2"))]
pub(crate) use one_form::{MessageOfV2, MethodOfV2};

/// The answer to a request.
pub(crate) type Answer<Q> = <<Q as Message>::V1 as Request>::Response;

impl Wire {
    /// Returns the name of the method.
    pub(crate) const fn method<M: Message>(self) -> &'static str {
        match self {
            Self::V1 => <M::V1 as Method>::NAME,
            #[cfg(feature = "v2")]
            Self::V2 => M::METHOD,
        }
    }

    /// Asks the agent.
    pub(crate) async fn ask<Q: Ask>(
        self,
        peer: &Peer,
        session: Option<&SessionId>,
        request: &Q,
    ) -> Result<Answer<Q>, Error> {
        let method = self.method::<Q>();
        let answer = match self {
            Self::V1 => peer.request(method, request).await,
            #[cfg(feature = "v2")]
            Self::V2 => {
                let answer = peer.request::<_, Answered<Q>>(method, &Params(request)).await;
                answer.map(|answer| answer.0)
            }
        };
        answer.map_err(|error| self.failed::<Q>(session, error))
    }

    /// Asks the agent about a session. The answer has its position among the updates.
    pub(crate) async fn ask_at<Q: Ask>(
        self,
        peer: &Peer,
        session: &SessionId,
        request: &Q,
    ) -> Result<Read<Answer<Q>>, Error>
    where
        Answer<Q>: FromNode,
    {
        let method = self.method::<Q>();
        let answer = match self {
            Self::V1 => peer.request(method, request).await,
            #[cfg(feature = "v2")]
            Self::V2 => {
                let answer = peer.request::<_, Read<Answered<Q>>>(method, &Params(request)).await;
                answer.map(|answer| Read { value: answer.value.0, at: answer.at })
            }
        };
        answer.map_err(|error| self.failed::<Q>(Some(session), error))
    }

    /// Sends a request, and returns its answer as a future.
    pub(crate) async fn send_request<Q: Ask>(
        self,
        peer: &Peer,
        session: &SessionId,
        request: &Q,
    ) -> Result<Answering<Q>, Error> {
        let method = self.method::<Q>();
        let pending = match self {
            Self::V1 => peer.begin(None, method, request).await.map(Answering::V1),
            #[cfg(feature = "v2")]
            Self::V2 => peer.begin(None, method, &Params(request)).await.map(Answering::V2),
        };
        pending.map_err(|error| self.failed::<Q>(Some(session), error))
    }

    /// Returns true if this error of `session/close` means that the session is closed already.
    pub(crate) fn is_closed_by(self, error: &acp_rpc::Error) -> bool {
        match self {
            Self::V1 => {
                let _ = error;
                false
            }
            #[cfg(feature = "v2")]
            Self::V2 => error.code == acp_types::v1::ErrorCode::RESOURCE_NOT_FOUND.0,
        }
    }

    /// Returns the error of a call.
    pub(crate) fn failed<M: Message>(self, session: Option<&SessionId>, error: CallError) -> Error {
        Error::of_call(self.method::<M>(), session, error)
    }

    /// Sends a notification.
    #[cfg(feature = "unstable")]
    pub(crate) async fn send<N: Message<V1: Notification> + MessageOfV2>(
        self,
        peer: &Peer,
        notification: &N,
    ) -> Result<(), Error> {
        let sent = match self {
            Self::V1 => peer.notify(self.method::<N>(), notification).await,
            #[cfg(feature = "v2")]
            Self::V2 => peer.notify(self.method::<N>(), &Params(notification)).await,
        };
        sent.map_err(|error| self.failed::<N>(None, error))
    }

    /// Sends a notification about a session, whether there is room for it or not.
    pub(crate) fn send_now<N: Message<V1: Notification> + MessageOfV2>(
        self,
        peer: &Peer,
        session: &SessionId,
        notification: &N,
    ) -> Result<(), Error> {
        let sent = match self {
            Self::V1 => peer.notify_now(self.method::<N>(), notification),
            #[cfg(feature = "v2")]
            Self::V2 => peer.notify_now(self.method::<N>(), &Params(notification)),
        };
        sent.map_err(|error| self.failed::<N>(Some(session), error))
    }
}

/// A request whose answer is on its way.
pub(crate) enum Answering<Q: Ask> {
    V1(Pending<Answer<Q>>),
    #[cfg(feature = "v2")]
    V2(Pending<Answered<Q>>),
}

impl<Q: Ask> Future for Answering<Q> {
    type Output = Result<Answer<Q>, CallError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match self.get_mut() {
            Self::V1(pending) => Pin::new(pending).poll(cx),
            #[cfg(feature = "v2")]
            Self::V2(pending) => Pin::new(pending).poll(cx).map_ok(|answer| answer.0),
        }
    }
}
