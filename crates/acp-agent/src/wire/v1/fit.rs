//! Values of the agent's own, where the schema has a closed list.

use acp_types::Maybe;
use acp_types::v1::{
    ContentBlock, CreateElicitationRequest, ElicitationMode, ElicitationPropertySchema, PermissionOption,
    PermissionOptionKind, PlanEntry, PlanEntryPriority, PlanEntryStatus, PromptResponse,
    RequestPermissionRequest, Role, SessionUpdate, StopReason, StringFormat, ToolCallContent, ToolCallStatus,
    ToolCallUpdate, ToolKind,
};

use super::file_changes;
use crate::wire::loss::{Loss, Losses};

/// The question that cannot be asked, for the error.
pub(in crate::wire) const NO_OPTION: &str = "a question whose options are all of the agent's own kinds";

/// Puts the values of an update into those that the schema has.
pub(in crate::wire) fn update(update: &mut SessionUpdate) -> Losses {
    let mut losses = Losses::default();
    match update {
        SessionUpdate::UserMessageChunk(chunk)
        | SessionUpdate::AgentMessageChunk(chunk)
        | SessionUpdate::AgentThoughtChunk(chunk) => block(&mut chunk.content, &mut losses),
        SessionUpdate::CompactionSummaryChunk(chunk) => block(&mut chunk.content, &mut losses),
        SessionUpdate::CompactionUpdate(update) => blocks(&mut update.summary, &mut losses),
        #[cfg(feature = "unstable")]
        SessionUpdate::SessionMessage(message) => blocks(&mut message.content, &mut losses),
        #[cfg(feature = "unstable")]
        SessionUpdate::SessionMessageChunk(chunk) => block(&mut chunk.content, &mut losses),
        SessionUpdate::ToolCall(call) => {
            kind(&mut call.kind, &mut losses);
            status(&mut call.status, &mut losses);
            content(&mut call.content, &mut losses);
        }
        SessionUpdate::ToolCallUpdate(call) => patch(call, &mut losses),
        SessionUpdate::Plan(plan) => entries(&mut plan.entries, &mut losses),
        #[cfg(feature = "unstable")]
        SessionUpdate::PlanUpdate(update) => {
            if let acp_types::v1::PlanUpdateContent::Items(plan) = &mut update.plan {
                entries(&mut plan.entries, &mut losses);
            }
        }
        _ => {}
    }
    losses
}

/// Returns the question with what the schema has of it, and what is lost. `None` means that it has
/// all.
///
/// # Errors
/// No option is left.
pub(super) fn question(
    question: &RequestPermissionRequest,
) -> Result<Option<(RequestPermissionRequest, Losses)>, &'static str> {
    let mut fitted = question.clone();
    let mut losses = options(&mut fitted.options);
    if fitted.options.is_empty() {
        return Err(NO_OPTION);
    }
    patch(&mut fitted.tool_call, &mut losses);
    Ok((fitted != *question).then_some((fitted, losses)))
}

/// Returns the form without formats that the schema does not have. `None` means that it has all.
pub(super) fn form(
    request: &CreateElicitationRequest,
) -> Result<Option<(CreateElicitationRequest, Losses)>, &'static str> {
    let mut fitted = request.clone();
    let ElicitationMode::Form(form) = &mut fitted.mode else { return Ok(None) };
    let mut losses = Losses::default();
    let mut field = |mut field: ElicitationPropertySchema| {
        if let ElicitationPropertySchema::String(text) = &mut field
            && let Some(StringFormat::Unknown(_)) = text.format
        {
            text.format = None;
            losses.add(Loss::TextFormat);
        }
        field
    };
    let fields = std::mem::take(&mut form.requested_schema.properties);
    form.requested_schema.properties = fields.into_iter().map(|(name, of)| (name, field(of))).collect();
    Ok((losses != Losses::default()).then_some((fitted, losses)))
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

fn patch(call: &mut ToolCallUpdate, losses: &mut Losses) {
    call.kind.iter_mut().for_each(|of| kind(of, losses));
    call.status.iter_mut().for_each(|of| status(of, losses));
    call.content.iter_mut().for_each(|of| content(of, losses));
}

fn content(items: &mut Vec<ToolCallContent>, losses: &mut Losses) {
    if file_changes::put(items) {
        losses.add(Loss::FileChanges);
    }
    for item in items {
        if let ToolCallContent::Content(content) = item {
            block(&mut content.content, losses);
        }
    }
}

fn blocks(content: &mut Maybe<Vec<ContentBlock>>, losses: &mut Losses) {
    if let Maybe::Value(content) = content {
        content.iter_mut().for_each(|of| block(of, losses));
    }
}

/// Leaves out the readers of a block that the schema does not have.
fn block(block: &mut ContentBlock, losses: &mut Losses) {
    let audience = block.annotations_mut().and_then(|annotations| annotations.audience.as_mut());
    let Some(audience) = audience else { return };
    let before = audience.len();
    audience.retain(|role| !matches!(role, Role::Unknown(_)));
    if audience.len() < before {
        losses.add(Loss::Role);
    }
}

fn entries(entries: &mut [PlanEntry], losses: &mut Losses) {
    for entry in entries {
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
