//! Updates that the vocabulary has no value for: those that an agent makes of the types of version
//! 2, and whole messages.

use acp_types::v1::{ContentBlock, MessageId, SessionUpdate};
/// The types of version 2 of the protocol, a draft, for
/// [`Turn::update_v2`](crate::Turn::update_v2).
#[cfg(feature = "v2")]
pub use acp_types::v2;

use super::Wire;
#[cfg(feature = "v2")]
use crate::error::{Error, Result};

impl Wire {
    /// Returns an update of version 2 as it is sent.
    ///
    /// # Errors
    /// This is another version.
    #[cfg(feature = "v2")]
    pub(crate) fn raw(&self, update: &v2::SessionUpdate) -> Result<SessionUpdate> {
        match self {
            Wire::V1 => {
                Err(Error::Unsupported { what: "an update of version 2".into(), version: self.version() })
            }
            Wire::V2 => super::v2::raw::update(update),
        }
    }

    /// Returns the update that replaces all of a message. `piece` is one of its pieces. There is
    /// none in version 1.
    #[cfg_attr(
        not(feature = "v2"),
        allow(unused_variables, clippy::missing_const_for_fn, reason = "version 1 has none")
    )]
    pub(crate) fn whole_message(
        &self,
        piece: &SessionUpdate,
        id: &MessageId,
        content: &[ContentBlock],
    ) -> Option<SessionUpdate> {
        match self {
            Wire::V1 => None,
            #[cfg(feature = "v2")]
            Wire::V2 => super::v2::raw::whole_message(piece, id, content),
        }
    }
}
