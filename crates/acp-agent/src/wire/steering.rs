//! The extension `_session/steering`.

use acp_rpc::{Encode as _, EncodeError};
use acp_types::Meta;
use acp_types::method::Method as _;
use acp_types::v1::ContentBlock;
use acp_types::v1::ext::{SteerRequest, SteerResponse, Steering};

use super::Wire;
use crate::op::Op;

/// The operation of the extension, which the library handles itself.
#[derive(Debug)]
pub enum Steer {}

impl Op for Steer {
    const NAME: &'static str = "steer";
    const METHOD: &'static str = Steering::NAME;
    const IS_OWN: bool = true;
    type Params = SteerRequest;
    type Response = SteerResponse;

    fn meta(params: &SteerRequest) -> Option<&Meta> {
        params.meta.as_ref()
    }
}

impl Wire {
    /// Returns whether the extension is served. Version 2 has a second prompt for that.
    pub(crate) const fn has_steering(&self) -> bool {
        match self {
            Wire::V1 => true,
            #[cfg(feature = "v2")]
            Wire::V2 => false,
        }
    }
}

impl Wire {
    /// Returns whether a prompt that comes while a turn runs can be inserted into that turn.
    pub(crate) const fn inserts_into_turns(&self) -> bool {
        match self {
            Wire::V1 => false,
            #[cfg(feature = "v2")]
            Wire::V2 => true,
        }
    }
}

/// Returns the number of bytes of a message as JSON.
pub(crate) fn size(prompt: &[ContentBlock]) -> Result<usize, EncodeError> {
    let mut buffer = Vec::new();
    prompt.encode(&mut buffer)?;
    Ok(buffer.len())
}
