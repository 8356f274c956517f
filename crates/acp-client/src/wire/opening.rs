//! Requests that open a session.

use std::pin::Pin;
use std::task::{Context, Poll};

use acp_rpc::{CallError, LaneKey, Peer, Pending};
use acp_types::method::Request;
use acp_types::v1::{LoadSessionRequest, LoadSessionResponse, SessionId};

use crate::Error;
use crate::wire::Wire;
use crate::wire::ask::{Answer, Message, MessageOfV2};
use crate::wire::opened::Opened;
use crate::wire::v1::opened_response::{NamesSession, OpenedResponse, OpensSession};
#[cfg(feature = "v2")]
use crate::wire::v2::message::Params;
#[cfg(feature = "v2")]
use acp_types::v2::{NewSessionResponse, ResumeSessionResponse};

/// A request that opens a session.
pub(crate) trait Opens: Message<V1: Request<Response: OpensSession>> + MessageOfV2 {}

impl<Q: Message<V1: Request<Response: OpensSession>> + MessageOfV2> Opens for Q {}

/// A request that makes a session. The agent names it.
pub(crate) trait OpensNew: Message<V1: Request<Response: NamesSession>> + MessageOfV2 {}

impl<Q: Message<V1: Request<Response: NamesSession>> + MessageOfV2> OpensNew for Q {}

impl Wire {
    /// Opens a session that the request names. The answer comes after all earlier updates of the
    /// session.
    pub(crate) async fn open<Q: Opens>(
        self,
        peer: &Peer,
        (session, lane): (&SessionId, LaneKey),
        request: &Q,
    ) -> Result<Opened, Error> {
        let method = self.method::<Q>();
        let opened = match self {
            Self::V1 => {
                let answer = peer.request_in_lane(lane, method, request).await;
                answer.map(OpenedResponse::<Answer<Q>>::opened)
            }
            #[cfg(feature = "v2")]
            Self::V2 => {
                let answer = peer.request_in_lane(lane, method, &Params(request)).await;
                answer.map(OpenedResponse::<ResumeSessionResponse>::opened)
            }
        };
        opened.map_err(|error| self.failed::<Q>(Some(session), error))
    }

    /// Opens a new session. `of` is the session that it is made of, if it is.
    pub(crate) async fn open_new<Q: OpensNew>(
        self,
        peer: &Peer,
        of: Option<&SessionId>,
        request: &Q,
    ) -> Result<(SessionId, Opened), Error> {
        let method = self.method::<Q>();
        let opened = match self {
            Self::V1 => {
                let answer = peer.request::<_, OpenedResponse<Answer<Q>>>(method, request).await;
                answer.map(|answer| (answer.value.session_id().clone(), answer.opened()))
            }
            #[cfg(feature = "v2")]
            Self::V2 => {
                let params = Params(request);
                let answer = peer.request::<_, OpenedResponse<NewSessionResponse>>(method, &params).await;
                answer.map(|answer| (answer.value.session_id().clone(), answer.opened()))
            }
        };
        opened.map_err(|error| self.failed::<Q>(of, error))
    }

    /// Sends a request to load a session. Its answer comes after all earlier updates of the
    /// session.
    pub(crate) async fn load(
        self,
        peer: &Peer,
        lane: LaneKey,
        request: &LoadSessionRequest,
    ) -> Result<Loading, Error> {
        let method = self.method::<LoadSessionRequest>();
        let pending = match self {
            Self::V1 => peer.begin(Some(lane), method, request).await.map(Loading::V1),
            #[cfg(feature = "v2")]
            Self::V2 => peer.begin(Some(lane), method, &Params(request)).await.map(Loading::V2),
        };
        pending.map_err(|error| self.failed::<LoadSessionRequest>(Some(&request.session_id), error))
    }
}

/// A session that is being loaded.
pub(crate) enum Loading {
    V1(Pending<OpenedResponse<LoadSessionResponse>>),
    #[cfg(feature = "v2")]
    V2(Pending<OpenedResponse<ResumeSessionResponse>>),
}

impl Future for Loading {
    type Output = Result<Opened, CallError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match self.get_mut() {
            Self::V1(pending) => Pin::new(pending).poll(cx).map_ok(OpenedResponse::opened),
            #[cfg(feature = "v2")]
            Self::V2(pending) => Pin::new(pending).poll(cx).map_ok(OpenedResponse::opened),
        }
    }
}
