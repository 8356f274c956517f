//! A message of version 2 as a handler of the vocabulary sees it.

use acp_json::FromNode;
use acp_rpc::{Encode, EncodeError};
use serde_json::Value;

use crate::flow::json::Json;
use crate::flow::reply::Reply;
use crate::wire::message::Answer;
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
    (view.params.to_v1)(&mut message);
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
        (self.view.params.to_v2)(&mut message);
        Ok(Json::from_text(message.to_string()))
    }

    /// Returns a reply of the chain as the handler sees it.
    pub(super) fn reply(&self, reply: Reply) -> Reply {
        let (Some(way), Some(came)) = (self.view.result, reply.result()) else { return reply };
        match turned(came, way.to_v1) {
            Some(view) => Reply::seen_as(came.clone(), view),
            None => reply,
        }
    }
}

/// Returns the reply of a handler as version 2 has it. One that came leaves as it came.
pub(super) fn answered(view: View, reply: Reply) -> Reply {
    if let Some(came) = reply.came() {
        return Reply::from_answer(Answer::Result(came.as_str()));
    }
    let (Some(way), Some(result)) = (view.result, reply.result()) else { return reply };
    match turned(result, way.to_v2) {
        Some(result) => Reply::from_answer(Answer::Result(result.as_str())),
        None => reply,
    }
}

/// Returns a result in the form of the other version, or `None` if it is the same there.
fn turned(result: &Json, turn: fn(&mut Value)) -> Option<Json> {
    let before: Value = serde_json::from_str(result.as_str()).ok()?;
    let mut value = before.clone();
    turn(&mut value);
    (value != before).then(|| Json::from_text(value.to_string()))
}
