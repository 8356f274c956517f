//! Web pages that have served their purpose.

use acp_rpc::Peer;
use acp_types::method::Method as _;
use acp_types::v1::{CompleteElicitationNotification, ElicitationId, methods};

use crate::error::{Error, Result};

const METHOD: &str = methods::ElicitationComplete::NAME;

pub(in crate::wire) async fn complete(peer: &Peer, id: &ElicitationId) -> Result<()> {
    let notification = CompleteElicitationNotification::new(id);
    peer.notify(METHOD, &notification).await.map_err(|error| Error::call(METHOD, error))
}

#[cfg(feature = "mcp")]
pub(in crate::wire) fn complete_now(peer: &Peer, id: &ElicitationId) {
    let _ = peer.notify_now(METHOD, &CompleteElicitationNotification::new(id));
}
