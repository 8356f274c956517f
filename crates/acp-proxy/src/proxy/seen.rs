//! A message of version 2 as a handler of the vocabulary sees it.

use acp_json::FromNode;
use acp_rpc::{Encode, EncodeError};
use serde_json::Value;

use crate::flow::json::Json;
use crate::wire::view::{View, merge};

/// The view of a message, for the changes of its handler.
pub(super) struct Seen {
    view: View,
    message: Value,
    /// The part of the view that the handler's type takes.
    before: Value,
}

/// Reads the params of a message of version 2 as a type of the vocabulary.
///
/// # Errors
/// The view is not a value of this type. The error names the member.
pub(super) fn read<P: FromNode + Encode>(params: &Json, view: View) -> Result<(P, Seen), String> {
    let mut message: Value = serde_json::from_str(params.as_str()).map_err(|error| error.to_string())?;
    (view.to_v1)(&mut message);
    let seen: P = acp_json::from_str(&message.to_string()).map_err(|error| error.to_string())?;
    let before = Json::of(&seen).map_err(|error| error.to_string())?;
    let before = serde_json::from_str(before.as_str()).map_err(|error| error.to_string())?;
    Ok((seen, Seen { view, message, before }))
}

impl Seen {
    /// Returns the message with the changes of the handler, or the message as it came if there are
    /// none.
    pub(super) fn changed(&self, params: &Json, came: Option<&Json>) -> Result<Json, EncodeError> {
        let failed = <EncodeError as serde_core::ser::Error>::custom;
        let after: Value = serde_json::from_str(params.as_str()).map_err(failed)?;
        if let Some(came) = came.filter(|_| after == self.before) {
            return Ok(came.clone());
        }
        let mut message = self.message.clone();
        merge(&mut message, &self.before, after);
        (self.view.to_v2)(&mut message);
        Ok(Json::from_text(message.to_string()))
    }
}
