//! The events of each update of version 2. Every update that counts as well-formed here is what the
//! schema of version 2 allows.

mod messages;
mod session;
mod tool_calls;

use acp_client::{Cleared, Event, PlanContent, Session, TerminalChange};
use serde::Serialize;
use serde_json::{Value, json};

use super::{text, with_session};
use crate::common::Wire;
use crate::schema;

/// Checks that the schema allows an update.
pub(super) fn check(update: &Value) {
    let params = json!({"sessionId": "s1", "update": update});
    schema::validate(2, "UpdateSessionNotification", &params);
}

/// Sends updates, and returns their events.
async fn read(session: &Session, wire: &mut Wire, updates: &[Value]) -> Vec<Event> {
    let mut stream = session.updates();
    for update in updates {
        wire.update("s1", update.clone()).await;
    }
    wire.update("s1", text("m9", "mark")).await;
    let mut events = Vec::new();
    loop {
        let event = stream.next().await.expect("an event");
        if event.text() == Some("mark") {
            return events;
        }
        events.push(event);
    }
}

/// Returns the events of the updates of a fresh session, and the faults of the agent.
pub(super) async fn events(updates: &[Value]) -> (Vec<Event>, usize) {
    let (session, mut wire) = with_session().await;
    let events = read(&session, &mut wire, updates).await;
    (events, session.agent().faults().len())
}

fn of<T: Serialize>(name: &str, value: &T) -> Value {
    json!({name: value})
}

/// Returns the members of an event, by the name of its variant.
fn shown(event: &Event) -> Value {
    match event {
        Event::Message(chunk) => of("Message", chunk),
        Event::Thought(chunk) => of("Thought", chunk),
        Event::UserMessage(chunk) => of("UserMessage", chunk),
        Event::MessageReplaced { kind, id, content, meta, .. } => {
            let meta = format!("{meta:?}");
            let meta = meta.split(['(', '{']).next().unwrap_or_default();
            json!({"MessageReplaced": [kind.as_str(), id, content, meta]})
        }
        Event::ToolCall(call) => of("ToolCall", call),
        Event::ToolCallUpdate(update) => of("ToolCallUpdate", update),
        Event::ToolContent { id, item, .. } => json!({"ToolContent": [id, item]}),
        Event::Terminal { id, change, .. } => match &**change {
            TerminalChange::Output { bytes, .. } => json!({"Terminal": [id, bytes]}),
            other => json!({"Terminal": [id, format!("{other:?}")]}),
        },
        Event::Plan(plan) => of("Plan", plan),
        Event::NamedPlan { id, plan: PlanContent::Items(plan), .. } => json!({"NamedPlan": [id, plan]}),
        Event::NamedPlan { id, plan: PlanContent::Unknown(plan), .. } => {
            json!({"NamedPlan": [id, plan.tag(), plan.members()]})
        }
        Event::PlanRemoved { id, .. } => json!({"PlanRemoved": id}),
        Event::Commands(commands) => of("Commands", commands),
        Event::Config(options) => of("Config", options),
        Event::Info(info) => of("Info", info),
        Event::Usage(usage) => of("Usage", usage),
        Event::Cleared(Cleared::ToolCall { id, members, .. }) => {
            json!({"Cleared": [id, format!("{members:?}")]})
        }
        Event::Cleared(cleared) => json!({"Cleared": format!("{cleared:?}")}),
        Event::State(state) => json!({"State": format!("{:?}", state)}),
        Event::Unknown(unknown) => json!({"Unknown": [unknown.tag(), unknown.members()]}),
        other => panic!("not expected: {other:?}"),
    }
}

/// Compares the events of each row with those that are named. `are_allowed` is true if the schema
/// allows the updates.
async fn check_table(rows: Vec<(&str, Vec<Value>, Vec<Value>)>, are_allowed: bool) {
    for (name, updates, wanted) in rows {
        if are_allowed {
            updates.iter().for_each(check);
        }
        let (events, faults) = events(&updates).await;
        let shown: Vec<_> = events.iter().map(shown).collect();
        assert_eq!(shown, wanted, "{name}");
        assert_eq!(faults, 0, "{name}");
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is made at the call")]
fn update(kind: &str, members: Value) -> Value {
    let mut update = json!({"sessionUpdate": kind});
    update.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    update
}

fn call(members: Value) -> Value {
    let mut update = update("tool_call_update", members);
    update["toolCallId"] = json!("c");
    update
}

fn said(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

/// The event of a tool call of which only the id is known.
fn bare() -> Value {
    json!({"ToolCall": {"toolCallId": "c", "title": ""}})
}
