//! Updates of a session.

use acp_json::{Map, Node, ReadError, Value};
use acp_types::UnknownVariant;
use acp_types::v1::{SessionNotification, SessionUpdate};
use acp_types::v2::UpdateSessionNotification;

use super::event;
use crate::Event;
use crate::event::{Cleared, PlanContent};
use crate::wire::update::Update;

/// The member that has the kind of an update.
const KIND: &str = "sessionUpdate";

/// Reads an update. With `is_handled` it is also read as handlers of updates get it.
pub(in crate::wire) fn read(params: Node<'_>, is_handled: bool) -> Result<Update, ReadError> {
    let tag = params.get("update").and_then(|update| update.get(KIND)).and_then(Node::as_str);
    match tag {
        // Version 1 has the same.
        Some(
            "user_message_chunk"
            | "agent_message_chunk"
            | "agent_thought_chunk"
            | "notice"
            | "compaction_update"
            | "compaction_summary_chunk",
        ) => Ok(alike(acp_json::read(params)?, None, is_handled)),
        // So it has of these, but for what `null` means.
        Some("session_info_update") => {
            let cleared = is_null(&params, "_meta").then_some(Cleared::SessionMeta);
            Ok(alike(acp_json::read(params)?, cleared, is_handled))
        }
        Some("usage_update") => {
            let cleared = is_null(&params, "cost").then_some(Cleared::Cost);
            Ok(alike(acp_json::read(params)?, cleared, is_handled))
        }
        _ => own(params, is_handled),
    }
}

fn is_null(params: &Node<'_>, member: &str) -> bool {
    params.get("update").and_then(|update| update.get(member)).is_some_and(Node::is_null)
}

fn alike(read: SessionNotification, cleared: Option<Cleared>, is_handled: bool) -> Update {
    let more = cleared.map(Event::Cleared);
    if is_handled {
        let event = Event::from(read.update.clone());
        Update { session_id: read.session_id.clone(), event, more, handled: Some(read), offer: None }
    } else {
        let event = Event::from(read.update);
        Update { session_id: read.session_id, event, more, handled: None, offer: None }
    }
}

/// Reads an update whose form differs from that of version 1.
fn own(params: Node<'_>, is_handled: bool) -> Result<Update, ReadError> {
    let raw = if is_handled { params.get("update").cloned() } else { None };
    let read: UpdateSessionNotification = acp_json::read(params)?;
    let (event, cleared) = event::decode(read.update)?;
    let handled = raw.map(|raw| {
        let mut handled = SessionNotification::new(read.session_id.clone(), handled(&event, raw));
        handled.meta = read.meta;
        handled
    });
    let more = cleared.map(Event::Cleared);
    Ok(Update { session_id: read.session_id, event, more, handled, offer: None })
}

/// Returns an update as handlers get it. One that the vocabulary does not have is of an unknown
/// kind, with all its members.
fn handled(event: &Event, raw: Node<'_>) -> SessionUpdate {
    match event {
        Event::ToolCallUpdate(update) => SessionUpdate::ToolCallUpdate(update.clone()),
        Event::Config(options) => SessionUpdate::ConfigOptionUpdate(options.clone()),
        Event::Commands(commands) => SessionUpdate::AvailableCommandsUpdate(commands.clone()),
        Event::NamedPlan { plan: PlanContent::Items(plan), .. } => SessionUpdate::Plan(plan.clone()),
        _ => {
            let mut members: Map = acp_json::read(raw).unwrap_or_default();
            let tag = members.remove(KIND);
            let tag = tag.as_ref().and_then(Value::as_str).unwrap_or_default();
            SessionUpdate::Unknown(UnknownVariant::new(tag, members))
        }
    }
}

/// Returns the event of an update that handlers got.
pub(in crate::wire) fn event(update: SessionUpdate) -> Event {
    match update {
        SessionUpdate::Unknown(unknown) => {
            let mut members = unknown.members().clone();
            members.insert(KIND, Value::from(unknown.tag()));
            let decoded = acp_json::read(Value::from(members).into_node()).and_then(event::decode);
            decoded.map_or(Event::Unknown(unknown), |(event, _)| event)
        }
        update => Event::from(update),
    }
}
