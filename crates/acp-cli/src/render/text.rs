//! Texts of a terminal, made of the values of the protocol.

use acp_client::v1::{ContentBlock, UsageUpdate};
use acp_client::{Event, FileChanges, FileOperation, StateKind};

/// Returns a status as words: `in_progress` becomes `in progress`.
pub(crate) fn words(status: &str) -> &str {
    if status == "in_progress" { "in progress" } else { status }
}

pub(crate) fn block_text(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => format!("[image, {}]", image.mime_type),
        ContentBlock::Audio(audio) => format!("[audio, {}]", audio.mime_type),
        ContentBlock::ResourceLink(link) => format!("[{}]({})", link.name, link.uri),
        ContentBlock::Resource(resource) => format!("[{}]", resource.resource.uri()),
        other => format!("[{}]", other.tag()),
    }
}

/// Returns the fill level of the context, and the cost of the session.
pub(crate) fn usage(usage: &UsageUpdate) -> String {
    let context = format!("context: {} of {}", usage.used, usage.size);
    match &usage.cost {
        Some(cost) => format!("{context}, cost: {} {}", cost.amount, cost.currency),
        None => context,
    }
}

/// Returns the line that `--verbose` shows for an event outside of the conversation.
pub(crate) fn aside(event: &Event) -> String {
    match event {
        Event::Commands(commands) => {
            let names: Vec<String> =
                commands.available_commands.iter().map(|command| format!("/{}", command.name)).collect();
            format!("commands: {}", names.join(" "))
        }
        Event::Config(config) => format!("{} config options", config.config_options.len()),
        Event::Info(info) => match info.title.value() {
            Some(title) => format!("title: {title}"),
            None => "the session's information changed".to_owned(),
        },
        Event::Usage(update) => usage(update),
        Event::State(state) => match &state.kind {
            StateKind::Running => "state: running".to_owned(),
            StateKind::RequiresAction => "state: waits for an answer".to_owned(),
            StateKind::Idle { .. } => "state: idle".to_owned(),
            StateKind::Unknown(other) => format!("state: {}", other.tag()),
            _ => "another state".to_owned(),
        },
        Event::PlanRemoved { id, .. } => format!("the plan {id} is gone"),
        Event::CompactionSummary(chunk) => format!("summary: {}", block_text(&chunk.content)),
        Event::Unknown(unknown) => format!("an update of unknown kind: {}", unknown.tag()),
        _ => "another update".to_owned(),
    }
}

/// Returns the lines of changes to files whose texts are not known: the patch, or the names.
pub(crate) fn changed_files(changes: &FileChanges) -> Vec<String> {
    if let Some(patch) = &changes.patch {
        return patch.text.lines().map(str::to_owned).collect();
    }
    let lines = changes.changes.iter().map(|change| {
        let operation = match &change.operation {
            FileOperation::Add => "add",
            FileOperation::Delete => "delete",
            FileOperation::Modify => "modify",
            FileOperation::Move => "move",
            FileOperation::Copy => "copy",
            FileOperation::Unknown(operation) => operation,
            _ => "change",
        };
        match &change.old_path {
            Some(old) => format!("{operation} {old} -> {}", change.path),
            None => format!("{operation} {}", change.path),
        }
    });
    lines.collect()
}
