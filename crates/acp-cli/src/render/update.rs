//! Events of a session as the updates of the protocol, in JSON.

use acp_client::v1::{MessageId, SessionUpdate, TerminalId};
use acp_client::{
    BackgroundWork, Cleared, Event, Maybe, PlanContent, State, StateKind, TerminalChange, TerminalUpdate,
    ToolCallMember,
};
use acp_types::base64;
use serde_json::{Map, Value, json};

/// Returns the update that an event stands for: in the form of version 1, and in that of version 2
/// where version 1 has none. `None` stands for events that were lost.
pub(crate) fn update(event: &Event) -> Option<Value> {
    let known = match event.clone() {
        Event::Message(chunk) => SessionUpdate::AgentMessageChunk(chunk),
        Event::Thought(chunk) => SessionUpdate::AgentThoughtChunk(chunk),
        Event::UserMessage(chunk) => SessionUpdate::UserMessageChunk(chunk),
        Event::ToolCall(call) => SessionUpdate::ToolCall(call),
        Event::ToolCallUpdate(update) => SessionUpdate::ToolCallUpdate(update),
        Event::Plan(plan) => SessionUpdate::Plan(plan),
        Event::Commands(commands) => SessionUpdate::AvailableCommandsUpdate(commands),
        Event::Mode(mode) => SessionUpdate::CurrentModeUpdate(mode),
        Event::Config(config) => SessionUpdate::ConfigOptionUpdate(config),
        Event::Info(info) => SessionUpdate::SessionInfoUpdate(info),
        Event::Usage(usage) => SessionUpdate::UsageUpdate(usage),
        Event::Notice(notice) => SessionUpdate::Notice(notice),
        Event::Compaction(compaction) => SessionUpdate::CompactionUpdate(compaction),
        Event::CompactionSummary(chunk) => SessionUpdate::CompactionSummaryChunk(chunk),
        Event::Unknown(unknown) => SessionUpdate::Unknown(unknown),
        _ => return second(event),
    };
    serde_json::to_value(&known).ok()
}

/// Returns the update for an event that only version 2 has.
fn second(event: &Event) -> Option<Value> {
    Some(match event {
        Event::MessageReplaced { kind, id, content, meta, .. } => {
            let mut update = tagged(kind.as_str(), "messageId", MessageId::as_str(id));
            set(&mut update, "content", content.as_ref().map(|content| json!(content)));
            patch(&mut update, "_meta", meta, |meta| json!(meta));
            update.into()
        }
        Event::ToolContent { id, item, meta, .. } => {
            let mut update = tagged("tool_call_content_chunk", "toolCallId", id.as_str());
            set(&mut update, "content", Some(json!(item)));
            set(&mut update, "_meta", meta.as_ref().map(|meta| json!(meta)));
            update.into()
        }
        Event::Terminal { id, change, .. } => terminal(id, change),
        Event::NamedPlan { id, plan, .. } => {
            let mut content = match plan {
                PlanContent::Items(plan) => object(json!(plan)),
                PlanContent::Unknown(unknown) => object(json!(unknown.members())),
                _ => Map::new(),
            };
            let kind = if let PlanContent::Unknown(unknown) = plan { unknown.tag() } else { "items" };
            content.insert("type".to_owned(), kind.into());
            content.insert("planId".to_owned(), id.as_str().into());
            json!({"sessionUpdate": "plan_update", "plan": content})
        }
        Event::PlanRemoved { id, .. } => tagged("plan_removed", "planId", id).into(),
        Event::Cleared(Cleared::ToolCall { id, members, .. }) => {
            let mut update = tagged("tool_call_update", "toolCallId", id.as_str());
            for member in members {
                update.insert(name(*member).to_owned(), Value::Null);
            }
            update.into()
        }
        Event::Cleared(Cleared::Cost) => json!({"sessionUpdate": "usage_update", "cost": null}),
        Event::Cleared(Cleared::SessionMeta) => {
            json!({"sessionUpdate": "session_info_update", "_meta": null})
        }
        Event::State(said) => state(said),
        _ => return None,
    })
}

const fn name(member: ToolCallMember) -> &'static str {
    match member {
        ToolCallMember::Name => "name",
        ToolCallMember::Title => "title",
        ToolCallMember::RawInput => "rawInput",
        ToolCallMember::RawOutput => "rawOutput",
        _ => "_meta",
    }
}

fn terminal(id: &TerminalId, change: &TerminalChange) -> Value {
    match change {
        TerminalChange::Output { bytes, meta, .. } => {
            let mut update = tagged("terminal_output_chunk", "terminalId", id.as_str());
            set(&mut update, "data", Some(base64::encode(bytes).into()));
            set(&mut update, "_meta", meta.as_ref().map(|meta| json!(meta)));
            update.into()
        }
        TerminalChange::Updated(said) => described(id, said),
        _ => tagged("terminal_update", "terminalId", id.as_str()).into(),
    }
}

fn described(id: &TerminalId, said: &TerminalUpdate) -> Value {
    let mut update = tagged("terminal_update", "terminalId", id.as_str());
    patch(&mut update, "command", &said.command, |command| json!(command));
    patch(&mut update, "cwd", &said.cwd, |cwd| json!(cwd));
    patch(&mut update, "output", &said.output, |output| json!({"data": base64::encode(output)}));
    patch(&mut update, "exitStatus", &said.exit, |exit| {
        let mut status = Map::new();
        set(&mut status, "exitCode", exit.code.map(Value::from));
        set(&mut status, "signal", exit.signal.clone().map(Value::from));
        status.into()
    });
    patch(&mut update, "size", &said.size, |size| json!({"cols": size.cols, "rows": size.rows}));
    patch(&mut update, "_meta", &said.meta, |meta| json!(meta));
    update.into()
}

fn state(said: &State) -> Value {
    let mut update = Map::new();
    let kind = match &said.kind {
        StateKind::Running => "running",
        StateKind::RequiresAction => "requires_action",
        StateKind::Idle { stop_reason, error } => {
            set(&mut update, "stopReason", stop_reason.as_ref().map(|reason| json!(reason)));
            set(&mut update, "error", error.as_ref().map(|error| json!(error)));
            "idle"
        }
        StateKind::Unknown(unknown) => {
            update = object(json!(unknown.members()));
            unknown.tag()
        }
        _ => "unknown",
    };
    update.insert("sessionUpdate".to_owned(), "state_update".into());
    update.insert("state".to_owned(), kind.into());
    let background = said.background.as_ref();
    set(&mut update, "background", background.map(|work| work.iter().map(background_work).collect()));
    set(&mut update, "_meta", said.meta.as_ref().map(|meta| json!(meta)));
    update.into()
}

fn background_work(work: &BackgroundWork) -> Value {
    match work {
        BackgroundWork::Terminal(id) => json!({"type": "terminal", "terminalId": id}),
        BackgroundWork::ToolCall(id) => json!({"type": "tool_call", "toolCallId": id}),
        BackgroundWork::Unknown(unknown) => {
            let mut members = object(json!(unknown.members()));
            members.insert("type".to_owned(), unknown.tag().into());
            members.into()
        }
        _ => json!({"type": "unknown"}),
    }
}

fn tagged(tag: &str, name: &str, id: &str) -> Map<String, Value> {
    object(json!({"sessionUpdate": tag, name: id}))
}

fn object(value: Value) -> Map<String, Value> {
    if let Value::Object(members) = value { members } else { Map::new() }
}

fn set(update: &mut Map<String, Value>, name: &str, value: Option<Value>) {
    if let Some(value) = value {
        update.insert(name.to_owned(), value);
    }
}

/// Writes a member of a patch: an absent one keeps what it was, and `null` clears it.
fn patch<T>(update: &mut Map<String, Value>, name: &str, value: &Maybe<T>, write: impl Fn(&T) -> Value) {
    match value {
        Maybe::Absent => {}
        Maybe::Null => set(update, name, Some(Value::Null)),
        Maybe::Value(value) => set(update, name, Some(write(value))),
    }
}
