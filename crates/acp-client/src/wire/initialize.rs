//! The choice of the version.

use acp_rpc::{CallError, Peer};
use acp_types::v1::{InitializeRequest, InitializeResponse};

use crate::Error;
use crate::wire::Wire;

impl Wire {
    /// Asks the agent for its version and its capabilities.
    pub(crate) async fn initialize(
        &self,
        peer: &Peer,
        request: &InitializeRequest,
    ) -> Result<InitializeResponse, CallError> {
        match self {
            Self::V1 => peer.request(self.method::<InitializeRequest>(), request).await,
        }
    }

    /// Refuses the version of an agent that is not spoken here (rule v1-init-06). Versions before
    /// the first do not exist, and this client does not speak newer ones.
    pub(crate) fn check_version(&self, initialized: &InitializeResponse) -> Result<(), Error> {
        let (asked, answered) = (self.version(), initialized.protocol_version);
        if answered == asked { Ok(()) } else { Err(Error::Version { asked, answered }) }
    }
}
