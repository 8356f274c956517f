//! Values of the agent's own, where the schema has a closed list.

use acp_types::v1::{
    PermissionOption, PermissionOptionKind, Plan, PlanEntryPriority, PlanEntryStatus, PromptResponse,
    SessionUpdate, StopReason, ToolCallContent, ToolCallStatus, ToolKind,
};

use super::file_changes;
use crate::wire::loss::{Loss, Losses};

/// Puts the values of an update into those that the schema has.
pub(in crate::wire) fn update(update: &mut SessionUpdate) -> Losses {
    let mut losses = Losses::default();
    match update {
        SessionUpdate::ToolCall(call) => {
            kind(&mut call.kind, &mut losses);
            status(&mut call.status, &mut losses);
            content(&mut call.content, &mut losses);
        }
        SessionUpdate::ToolCallUpdate(call) => {
            call.kind.iter_mut().for_each(|of| kind(of, &mut losses));
            call.status.iter_mut().for_each(|of| status(of, &mut losses));
            call.content.iter_mut().for_each(|of| content(of, &mut losses));
        }
        SessionUpdate::Plan(plan) => entries(plan, &mut losses),
        _ => {}
    }
    losses
}

/// Leaves out options of kinds that the schema does not have.
pub(in crate::wire) fn options(options: &mut Vec<PermissionOption>) -> Losses {
    let before = options.len();
    options.retain(|option| !matches!(option.kind, PermissionOptionKind::Unknown(_)));
    if options.len() == before { Losses::default() } else { Losses::of(Loss::PermissionKind) }
}

pub(in crate::wire) fn end(response: &mut PromptResponse) -> Losses {
    if let StopReason::Unknown(_) = response.stop_reason {
        response.stop_reason = StopReason::EndTurn;
        return Losses::of(Loss::StopReason);
    }
    Losses::default()
}

fn kind(kind: &mut ToolKind, losses: &mut Losses) {
    if let ToolKind::Unknown(_) = kind {
        *kind = ToolKind::Other;
        losses.add(Loss::ToolKind);
    }
}

/// Puts a status into one of the schema. Version 2 has two more, which have a counterpart here.
fn status(status: &mut ToolCallStatus, losses: &mut Losses) {
    let ToolCallStatus::Unknown(own) = status else { return };
    *status = match &**own {
        "cancelled" => ToolCallStatus::Failed,
        "paused" => ToolCallStatus::InProgress,
        _ => {
            losses.add(Loss::ToolStatus);
            ToolCallStatus::InProgress
        }
    };
}

fn content(items: &mut Vec<ToolCallContent>, losses: &mut Losses) {
    if file_changes::put(items) {
        losses.add(Loss::FileChanges);
    }
}

fn entries(plan: &mut Plan, losses: &mut Losses) {
    for entry in &mut plan.entries {
        if let PlanEntryStatus::Unknown(own) = &entry.status {
            // In version 2 an entry can be cancelled. Nobody works on it any more.
            let is_over = &**own == "cancelled";
            entry.status = if is_over { PlanEntryStatus::Completed } else { PlanEntryStatus::Pending };
            losses.add(Loss::PlanStatus);
        }
        if let PlanEntryPriority::Unknown(_) = entry.priority {
            entry.priority = PlanEntryPriority::Medium;
            losses.add(Loss::PlanPriority);
        }
    }
}
