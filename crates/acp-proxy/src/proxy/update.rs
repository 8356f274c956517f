//! Updates of sessions that a proxy makes itself.

use std::fmt;

use acp_rpc::EncodeError;
use acp_types::v1::SessionNotification;
#[cfg(feature = "v2")]
use acp_types::v1::ext::unique_id;
#[cfg(feature = "v2")]
use serde_json::{Value, json};

#[cfg(feature = "v2")]
use super::modes::Modes;
use crate::flow::json::Json;
#[cfg(feature = "v2")]
use crate::wire::view::view;

/// The kind and the id of the message that the last chunk belonged to.
#[derive(Debug, Default)]
pub(super) struct Message(#[cfg(feature = "v2")] Option<(String, String)>);

/// An update that cannot be sent.
#[derive(Debug)]
#[non_exhaustive]
pub enum UpdateError {
    /// The update has no JSON text.
    NotJson(EncodeError),
    /// The chain speaks version 2, which tells a mode with all config options of its session. Those
    /// are known from the answer that has opened the session, to a proxy with a handler of
    /// `session/set_mode`.
    UnknownOptions {
        /// The session.
        session: Box<str>,
    },
    /// The chain speaks this version, and the proxy was built without the feature `v2`.
    OtherVersion(u64),
}

/// Writes an update as version 1 has it.
pub(super) fn of_v1(update: &SessionNotification) -> Result<Json, UpdateError> {
    Json::of(update).map_err(UpdateError::NotJson)
}

/// Writes an update as version 2 has it. Chunks get the id of their message: those of one kind that
/// follow each other are one message.
#[cfg(feature = "v2")]
pub(super) fn of_v2(
    update: &SessionNotification,
    message: &mut Message,
    modes: &Modes,
) -> Result<Json, UpdateError> {
    let plain = of_v1(update)?;
    let failed = |error: serde_json::Error| UpdateError::NotJson(serde_core::ser::Error::custom(error));
    let mut params: Value = serde_json::from_str(plain.as_str()).map_err(failed)?;
    let members = params.get_mut("update").and_then(Value::as_object_mut);
    let Some(members) = members else { return Ok(plain) };
    let kind = members.get("sessionUpdate").and_then(Value::as_str).unwrap_or_default().to_owned();
    match &*kind {
        "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk" => {
            let id = members.entry("messageId").or_insert_with(|| message.id_for(&kind).into());
            message.0 = id.as_str().map(|id| (kind, id.to_owned()));
        }
        "current_mode_update" => {
            let session = update.session_id.as_str();
            let mode = members.remove("currentModeId").unwrap_or_default();
            let options = modes.with_mode(session, mode.as_str().unwrap_or_default());
            let unknown = || UpdateError::UnknownOptions { session: session.into() };
            let options = options.ok_or_else(unknown)?;
            members.insert("sessionUpdate".to_owned(), json!("config_option_update"));
            members.insert("configOptions".to_owned(), serde_json::from_str(&options).map_err(failed)?);
            message.0 = None;
            return Ok(Json::from_text(params.to_string()));
        }
        _ => message.0 = None,
    }
    (view("session/update").params.to_v2)(&mut params);
    Ok(Json::from_text(params.to_string()))
}

#[cfg(feature = "v2")]
impl Message {
    /// Returns the id of the message that a chunk of this kind belongs to.
    fn id_for(&self, kind: &str) -> String {
        match &self.0 {
            Some((last, id)) if last == kind => id.clone(),
            _ => unique_id("msg"),
        }
    }
}

impl fmt::Display for UpdateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotJson(error) => write!(f, "the update is not JSON: {error}"),
            Self::UnknownOptions { session } => write!(
                f,
                "version 2 tells a mode with all config options, and those of the session `{session}` are \
                 not known: send a `config_option_update` with all of them, or add a handler of \
                 `session/set_mode`"
            ),
            Self::OtherVersion(version) => write!(
                f,
                "the chain speaks version {version}, and this update is one of version 1: build \
                 `acp-proxy` with the feature `v2`, or say `only_v1`"
            ),
        }
    }
}

impl std::error::Error for UpdateError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::NotJson(error) => Some(error),
            _ => None,
        }
    }
}

impl From<UpdateError> for acp_rpc::Error {
    fn from(error: UpdateError) -> Self {
        Self::internal(error.to_string())
    }
}
