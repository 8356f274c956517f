//! The extension `_session/steering`.

use acp_rpc::Peer;
use acp_types::method::Method as _;
use acp_types::v1::ext::{SteerRequest, SteerResponse, Steering};

use crate::Error;
use crate::wire::Wire;

/// The method of the extension.
pub(crate) const METHOD: &str = Steering::NAME;

impl Wire {
    /// Refuses a connection without the extension. Version 2 has a second prompt for that.
    pub(crate) fn check_steering(self) -> Result<(), Error> {
        match self {
            Self::V1 => Ok(()),
            #[cfg(feature = "v2")]
            Self::V2 => Err(Error::Unsupported { method: METHOD, what: "steering", version: self.version() }),
        }
    }

    /// Sends a message for a turn that runs.
    pub(crate) async fn steer(self, peer: &Peer, request: &SteerRequest) -> Result<SteerResponse, Error> {
        let answer = peer.request(METHOD, request).await;
        answer.map_err(|error| Error::of_call(METHOD, Some(&request.session_id), error))
    }
}
