//! Updates of a session.

use acp_json::{At, Map, Node, ReadError, Value};
use acp_types::UnknownVariant;
use acp_types::v1::{SessionNotification, SessionUpdate};
use acp_types::v2::{self, UpdateSessionNotification};

use super::piece::{self, Piece};
use super::{as_is, event, offers};
use crate::Event;
use crate::event::PlanContent;
use crate::wire::update::Update;

/// The member that has the kind of an update.
const KIND: &str = "sessionUpdate";

/// Reads an update. With `is_handled` it is also read as handlers of updates get it.
pub(in crate::wire) fn read(mut params: Node<'_>, is_handled: bool) -> Result<Update, ReadError> {
    let offer = offers::offer(&params);
    let raw = if is_handled { params.get("update").cloned() } else { None };
    let (session_id, event, cleared, meta) = match piece::take(&mut params) {
        Some(piece) => {
            let Piece { session_id, event, meta } = piece?;
            (session_id, event, None, meta)
        }
        None => {
            let read = notification(params)?;
            let (event, cleared) = event::decode(read.update)?;
            (read.session_id, event, cleared, read.meta)
        }
    };
    let handled = raw.map(|raw| {
        let mut handled = SessionNotification::new(session_id.clone(), handled(&event, raw));
        handled.meta = meta;
        Box::new(handled)
    });
    let more = cleared.map(|cleared| Box::new(Event::Cleared(cleared)));
    Ok(Update { session_id, event, more, handled, offer })
}

/// Reads the params.
fn notification(mut params: Node<'_>) -> Result<UpdateSessionNotification, ReadError> {
    if let Some(session) = params.get("sessionId").and_then(Node::as_str).map(piece::session)
        && let Some(update) = params.take("update")
    {
        let update = as_is::read_at::<v2::SessionUpdate>(update, &At::root().member("update"))?;
        let mut read = UpdateSessionNotification::new(session, update);
        read.meta = piece::meta(&mut params);
        return Ok(read);
    }
    as_is::read(params)
}

/// Returns an update as handlers get it. One that the vocabulary does not have is of an unknown
/// kind, with all its members.
fn handled(event: &Event, raw: Node<'_>) -> SessionUpdate {
    match event {
        Event::Message(chunk) => SessionUpdate::AgentMessageChunk(chunk.clone()),
        Event::Thought(chunk) => SessionUpdate::AgentThoughtChunk(chunk.clone()),
        Event::UserMessage(chunk) => SessionUpdate::UserMessageChunk(chunk.clone()),
        Event::Info(info) => SessionUpdate::SessionInfoUpdate(info.clone()),
        Event::Usage(usage) => SessionUpdate::UsageUpdate(usage.clone()),
        Event::Notice(notice) => SessionUpdate::Notice(notice.clone()),
        Event::Compaction(compaction) => SessionUpdate::CompactionUpdate(compaction.clone()),
        Event::CompactionSummary(chunk) => SessionUpdate::CompactionSummaryChunk(chunk.clone()),
        Event::ToolCallUpdate(update) => SessionUpdate::ToolCallUpdate(update.clone()),
        Event::Config(options) => SessionUpdate::ConfigOptionUpdate(options.clone()),
        Event::Commands(commands) => SessionUpdate::AvailableCommandsUpdate(commands.clone()),
        Event::NamedPlan { plan: PlanContent::Items(plan), .. } => SessionUpdate::Plan(plan.clone()),
        _ => {
            let mut members: Map = as_is::read(raw).unwrap_or_default();
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
            let decoded = as_is::read(Value::from(members).into_node()).and_then(event::decode);
            decoded.map_or(Event::Unknown(unknown), |(event, _)| event)
        }
        update => Event::from(update),
    }
}
