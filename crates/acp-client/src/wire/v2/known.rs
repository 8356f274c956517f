//! The parts of a session that the agent has made known. The events of the vocabulary tell the
//! first news of a part from others, and version 2 does not.

use std::collections::{HashSet, VecDeque};

use acp_types::v1::{
    CurrentModeUpdate, Plan, SessionConfigValueId, SessionUpdate, ToolCallId, ToolCallUpdate,
};

use super::{config, tool_call};
use crate::event::{Cleared, Event, PlanContent};
use crate::wire::update::Update;

/// The number of tool calls that are known at a time, the newest. An older one would be announced
/// again, with the members that its update has.
const KNOWN: usize = 4096;

/// The parts of one session.
#[derive(Debug, Default)]
pub(in crate::wire) struct Known {
    calls: HashSet<ToolCallId>,
    oldest: VecDeque<ToolCallId>,
    plan: Option<FirstPlan>,
    /// The mode, as the config options have it.
    mode: Option<SessionConfigValueId>,
}

/// The first plan, which is the plan for clients that know of one. It has no name for them.
#[derive(Debug)]
struct FirstPlan {
    id: String,
    /// True while its content is of a kind that only named plans have.
    is_named: bool,
}

impl Known {
    /// Puts an update into the events that the vocabulary has for it.
    pub(in crate::wire) fn settle(&mut self, update: &mut Update) {
        match &mut update.event {
            Event::ToolCallUpdate(call) if self.is_first(&call.tool_call_id) => {
                let id = call.tool_call_id.clone();
                let call = std::mem::replace(&mut **call, ToolCallUpdate::new(id));
                let call = Box::new(tool_call::first(call));
                if let Some(handled) = &mut update.handled {
                    handled.update = SessionUpdate::ToolCall(call.clone());
                }
                update.event = Event::ToolCall(call);
                // A new call has none of it anyway.
                update.more.take_if(|more| matches!(**more, Event::Cleared(Cleared::ToolCall { .. })));
            }
            Event::NamedPlan { id, plan } => {
                let id = id.clone();
                let first = self.plan.get_or_insert_with(|| FirstPlan { id: id.clone(), is_named: false });
                if first.id != id {
                    return;
                }
                let had_other = first.is_named;
                first.is_named = !matches!(plan, PlanContent::Items(_));
                match plan {
                    PlanContent::Items(plan) => {
                        update.event = Event::Plan(std::mem::replace(plan, Plan::new([])));
                        update.more = had_other.then(|| Box::new(Event::PlanRemoved { id }));
                    }
                    // Other content takes the place of the steps.
                    PlanContent::Unknown(_) => {
                        let event = std::mem::replace(&mut update.event, Event::Plan(Plan::new([])));
                        update.more = Some(Box::new(event));
                    }
                }
            }
            Event::Config(config) => {
                let mode = config::mode_option(&config.config_options).map(|(_, mode)| &mode.current_value);
                if let Some(mode) = mode.filter(|mode| self.mode.as_ref() != Some(mode)) {
                    let mode_event = Event::Mode(CurrentModeUpdate::new(mode.as_str()));
                    update.more = Some(Box::new(mode_event));
                    self.mode = Some(mode.clone());
                }
            }
            Event::PlanRemoved { id } => {
                if let Some(first) = self.plan.as_mut().filter(|first| first.id == *id) {
                    let event = std::mem::replace(&mut update.event, Event::Plan(Plan::new([])));
                    update.more = std::mem::take(&mut first.is_named).then(|| Box::new(event));
                }
            }
            _ => {}
        }
    }

    fn is_first(&mut self, call: &ToolCallId) -> bool {
        if self.calls.contains(call) {
            return false;
        }
        self.calls.insert(call.clone());
        self.oldest.push_back(call.clone());
        if self.oldest.len() > KNOWN
            && let Some(oldest) = self.oldest.pop_front()
        {
            self.calls.remove(&oldest);
        }
        true
    }
}
