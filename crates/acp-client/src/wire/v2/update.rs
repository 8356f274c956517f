//! Updates of a session.

use acp_json::{Map, Node, ReadError, Value};
use acp_types::UnknownVariant;
use acp_types::v1::{
    AvailableCommandsUpdate, ConfigOptionUpdate, Plan, PlanEntry, SessionNotification, SessionUpdate,
};
use acp_types::v2::{self, StateUpdate, UpdateSessionNotification};

use super::{commands, config, state};
use crate::Event;
use crate::event::State;
use crate::wire::update::Update;

/// The tag of a report of the state.
const STATE: &str = "state_update";

/// Reads an update. With `is_handled` it is also read as handlers of updates get it.
pub(in crate::wire) fn read(params: Node<'_>, is_handled: bool) -> Result<Update, ReadError> {
    let tag = params.get("update").and_then(|update| update.get("sessionUpdate")).and_then(Node::as_str);
    let read = match tag {
        // Version 1 has the same.
        Some(
            "user_message_chunk"
            | "agent_message_chunk"
            | "agent_thought_chunk"
            | "session_info_update"
            | "usage_update"
            | "notice"
            | "compaction_update"
            | "compaction_summary_chunk",
        ) => acp_json::read(params)?,
        _ => notification(params)?,
    };
    Ok(if is_handled {
        let event = event(read.update.clone());
        Update { session_id: read.session_id.clone(), event, handled: Some(read), offer: None }
    } else {
        Update { session_id: read.session_id, event: event(read.update), handled: None, offer: None }
    })
}

/// Returns the event of an update. One that the vocabulary does not have is unknown to handlers of
/// updates; states are events all the same.
pub(in crate::wire) fn event(update: SessionUpdate) -> Event {
    match update {
        SessionUpdate::Unknown(unknown) if unknown.tag() == STATE => {
            state_of(&unknown).map_or(Event::Unknown(unknown), |state| Event::State(Box::new(state)))
        }
        update => Event::from(update),
    }
}

fn state_of(unknown: &UnknownVariant) -> Option<State> {
    let members = Value::from(unknown.members().clone()).into_node();
    acp_json::read::<StateUpdate>(members).ok().map(state::state)
}

/// Reads an update whose form differs from that of version 1.
fn notification(params: Node<'_>) -> Result<SessionNotification, ReadError> {
    let raw = params.clone();
    // A malformed update is refused, whatever becomes of it.
    let notification: UpdateSessionNotification = acp_json::read(params)?;
    let update = match notification.update {
        v2::SessionUpdate::ConfigOptionUpdate(update) => {
            let mut read = ConfigOptionUpdate::new(config::options(update.config_options));
            read.meta = update.meta;
            SessionUpdate::ConfigOptionUpdate(read)
        }
        v2::SessionUpdate::AvailableCommandsUpdate(update) => {
            let mut read = AvailableCommandsUpdate::new(commands::commands(update.available_commands));
            read.meta = update.meta;
            SessionUpdate::AvailableCommandsUpdate(read)
        }
        v2::SessionUpdate::PlanUpdate(_) => plan(&raw).map_or_else(|| unknown(&raw), SessionUpdate::Plan),
        v2::SessionUpdate::ToolCallUpdate(_) => {
            // Parts that only version 2 has make it unreadable for version 1.
            let read: Result<SessionNotification, _> = acp_json::read(raw.clone());
            read.map_or_else(|_| unknown(&raw), |read| read.update)
        }
        _ => unknown(&raw),
    };
    let mut read = SessionNotification::new(notification.session_id, update);
    read.meta = notification.meta;
    Ok(read)
}

/// Returns the plan of steps that an update holds.
fn plan(params: &Node<'_>) -> Option<Plan> {
    let plan = params.get("update")?.get("plan")?;
    let entries = plan.get("entries").filter(|_| plan.get("type").and_then(Node::as_str) == Some("items"))?;
    let entries: Vec<PlanEntry> = acp_json::read(entries.clone()).ok()?;
    Some(Plan::new(entries))
}

/// Returns an update as one of a kind that is not known, with all its members.
fn unknown(params: &Node<'_>) -> SessionUpdate {
    let update = params.get("update").cloned().unwrap_or(Node::Null);
    let mut members: Map = acp_json::read(update).unwrap_or_default();
    let tag = members.remove("sessionUpdate");
    SessionUpdate::Unknown(UnknownVariant::new(
        tag.as_ref().and_then(Value::as_str).unwrap_or_default(),
        members,
    ))
}
