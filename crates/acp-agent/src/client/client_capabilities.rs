//! Capabilities of the client that updates need.

#[cfg(feature = "unstable")]
use acp_types::v1::PlanUpdateContent;
use acp_types::v1::{ClientCapabilities, SessionConfigKind, SessionUpdate};

use crate::error::{Error, Result};

/// Refuses updates that the client has not asked for (rules `v1-cap-18` to `v1-cap-20`,
/// `v1-plan-07`).
pub(crate) fn check_offered(update: &SessionUpdate, client: &ClientCapabilities) -> Result<()> {
    match missing(update, client) {
        Some(capability) => Err(Error::not_offered(capability)),
        None => Ok(()),
    }
}

/// Returns the capability that the update needs and the client lacks.
fn missing(update: &SessionUpdate, client: &ClientCapabilities) -> Option<&'static str> {
    let session = client.session.as_ref();
    let (offered, capability) = match update {
        SessionUpdate::Notice(_) => {
            (session.is_some_and(|session| session.notices.is_some()), "session.notices")
        }
        SessionUpdate::CompactionUpdate(_) | SessionUpdate::CompactionSummaryChunk(_) => {
            (session.is_some_and(|session| session.compaction.is_some()), "session.compaction")
        }
        SessionUpdate::ConfigOptionUpdate(update) => {
            let mut options = update.config_options.iter();
            if !options.any(|option| matches!(option.kind, SessionConfigKind::Boolean(_))) {
                return None;
            }
            let options = session.and_then(|session| session.config_options.as_ref());
            (options.is_some_and(|options| options.boolean.is_some()), "session.configOptions.boolean")
        }
        // A list of entries can be the only plan of a session.
        #[cfg(feature = "unstable")]
        SessionUpdate::PlanUpdate(update) if matches!(update.plan, PlanUpdateContent::Items(_)) => {
            return None;
        }
        #[cfg(feature = "unstable")]
        SessionUpdate::PlanUpdate(_) => (client.plan.is_some(), "plan"),
        #[cfg(feature = "unstable")]
        SessionUpdate::SubagentUpdate(_)
        | SessionUpdate::SessionMessage(_)
        | SessionUpdate::SessionMessageChunk(_) => (client.subagents.is_some(), "subagents"),
        _ => return None,
    };
    (!offered).then_some(capability)
}
