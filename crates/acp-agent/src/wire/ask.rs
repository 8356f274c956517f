//! Requests to the client, and their answers.

#[cfg(feature = "v2")]
use acp_json::{At, FromNode, Node, ReadError};
#[cfg(all(feature = "mcp", feature = "unstable"))]
use acp_rpc::LaneKey;
use acp_rpc::{CallError, Peer};
use acp_types::method::{Method, Request};
use acp_types::v1::ElicitationId;
use serde_core::Serialize;
#[cfg(feature = "v2")]
use serde_core::Serializer;

use super::loss::Losses;
use super::{Wire, v1};
use crate::error::{Error, Result};

/// A request to the client.
pub(crate) trait Ask: Serialize + Sized + Sync + 'static {
    /// The method of version 1, whose types are the vocabulary.
    type V1: Request<Params = Self>;

    /// Returns the request with what version 1 has of it, and what is lost. `None` means that it
    /// has all.
    ///
    /// # Errors
    /// Nothing is left of it.
    fn fit_v1(&self) -> std::result::Result<Option<(Self, Losses)>, &'static str> {
        Ok(None)
    }

    /// Returns what is lost when the request is written as version 2 has it.
    #[cfg(feature = "v2")]
    fn lost_in_v2(&self) -> Losses {
        Losses::default()
    }

    /// Writes the request as version 2 has it.
    #[cfg(feature = "v2")]
    fn write_v2<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error>;

    /// Reads the answer of version 2.
    #[cfg(feature = "v2")]
    fn read_v2(answer: Node<'_>, at: &At<'_>) -> std::result::Result<Answer<Self>, ReadError>;
}

/// The answer to a request.
pub(crate) type Answer<Q> = <<Q as Ask>::V1 as Request>::Response;

/// A request in the form of version 2.
#[cfg(feature = "v2")]
struct InV2<'a, Q>(&'a Q);

#[cfg(feature = "v2")]
impl<Q: Ask> Serialize for InV2<'_, Q> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        self.0.write_v2(serializer)
    }
}

/// An answer in the form of version 2.
#[cfg(feature = "v2")]
struct OfV2<Q: Ask>(Answer<Q>);

#[cfg(feature = "v2")]
impl<Q: Ask> FromNode for OfV2<Q> {
    fn from_node(node: Node<'_>, at: &At<'_>) -> std::result::Result<Self, ReadError> {
        Q::read_v2(node, at).map(OfV2)
    }
}

impl Wire {
    /// Returns the name of the method.
    pub(crate) const fn method<Q: Ask>(&self) -> &'static str {
        match self {
            Wire::V1 => <Q::V1 as Method>::NAME,
            #[cfg(feature = "v2")]
            Wire::V2 => <Q::V1 as Method>::NAME,
        }
    }

    /// Asks the client.
    pub(crate) async fn ask<Q: Ask>(&self, peer: &Peer, request: &Q) -> Result<Answer<Q>> {
        let answer = match self {
            Wire::V1 => peer.request(self.method::<Q>(), request).await,
            #[cfg(feature = "v2")]
            Wire::V2 => {
                let answer = peer.request::<_, OfV2<Q>>(self.method::<Q>(), &InV2(request)).await;
                answer.map(|OfV2(answer)| answer)
            }
        };
        answer.map_err(|error| self.failed::<Q>(error))
    }

    /// Asks the client. The answer comes after the earlier messages of the lane.
    #[cfg(all(feature = "mcp", feature = "unstable"))]
    pub(crate) async fn ask_in_lane<Q: Ask>(
        &self,
        peer: &Peer,
        lane: LaneKey,
        request: &Q,
    ) -> Result<Answer<Q>, CallError> {
        match self {
            Wire::V1 => peer.request_in_lane(lane, self.method::<Q>(), request).await,
            #[cfg(feature = "v2")]
            Wire::V2 => {
                let method = self.method::<Q>();
                let answer = peer.request_in_lane::<_, OfV2<Q>>(lane, method, &InV2(request)).await;
                answer.map(|OfV2(answer)| answer)
            }
        }
    }

    /// Returns the error for an answer that does not mean anything.
    pub(crate) fn malformed<Q: Ask>(&self, problem: &'static str) -> Error {
        self.failed::<Q>(CallError::Malformed { method: self.method::<Q>().to_owned(), problem })
    }

    fn failed<Q: Ask>(&self, error: CallError) -> Error {
        Error::call(self.method::<Q>(), error)
    }

    /// Reports that a web page has served its purpose.
    pub(crate) async fn complete_elicitation(&self, peer: &Peer, id: &ElicitationId) -> Result<()> {
        match self {
            Wire::V1 => v1::elicitation::complete(peer, id).await,
            #[cfg(feature = "v2")]
            Wire::V2 => v1::elicitation::complete(peer, id).await,
        }
    }

    /// Reports that a web page has served its purpose, without waiting. A client that is gone shows
    /// none.
    #[cfg(feature = "mcp")]
    pub(crate) fn complete_elicitation_now(&self, peer: &Peer, id: &ElicitationId) {
        match self {
            Wire::V1 => v1::elicitation::complete_now(peer, id),
            #[cfg(feature = "v2")]
            Wire::V2 => v1::elicitation::complete_now(peer, id),
        }
    }
}
