//! Terminals of the agent, which the client only shows. The vocabulary has no names for them.

#[cfg(feature = "shell")]
use acp_types::v1::{SessionUpdate, TerminalId, ToolCallContent};
#[cfg(feature = "shell")]
use acp_types::{Map, UnknownVariant, Value, base64};

#[cfg(feature = "shell")]
use crate::wire::terminal::TerminalChange;

pub(super) const TAG: &str = "terminal_update";

#[cfg(feature = "shell")]
const CHUNK_TAG: &str = "terminal_output_chunk";

/// Returns the update about a terminal. The bytes of each piece are encoded by themselves (rule
/// `v2-term-06`).
#[cfg(feature = "shell")]
pub(in crate::wire) fn update(id: &TerminalId, change: &TerminalChange<'_>) -> SessionUpdate {
    let mut members = Map::from([("terminalId", Value::from(id.as_str()))]);
    let mut tag = TAG;
    match change {
        TerminalChange::Opened { command, cwd } => {
            members.insert("command", Value::from(*command));
            if let Some(cwd) = cwd {
                members.insert("cwd", Value::from(*cwd));
            }
        }
        TerminalChange::Printed(bytes) => {
            tag = CHUNK_TAG;
            members.insert("data", Value::from(base64::encode(bytes)));
        }
        TerminalChange::Replaced(bytes) => {
            let output = Map::from([("data", Value::from(base64::encode(bytes)))]);
            members.insert("output", Value::from(output));
        }
        TerminalChange::Ended { exit_code, signal } => {
            // An empty status says that the command has ended, and nobody knows how.
            let mut status = Map::new();
            if let Some(code) = exit_code {
                status.insert("exitCode", Value::from(*code));
            }
            if let Some(signal) = signal {
                status.insert("signal", Value::from(*signal));
            }
            members.insert("exitStatus", Value::from(status));
        }
    }
    SessionUpdate::Unknown(UnknownVariant::new(tag, members))
}

/// Returns the content that shows a terminal in a tool call. The content `terminal` of the
/// vocabulary is a terminal of the client.
#[cfg(feature = "shell")]
pub(in crate::wire) fn content(id: &TerminalId) -> ToolCallContent {
    let members = Map::from([("terminalId", Value::from(id.as_str()))]);
    ToolCallContent::Unknown(UnknownVariant::new("terminal", members))
}
