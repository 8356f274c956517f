//! The entries of a transcript as lines.

use acp_client::v1::{ContentBlock, Diff, Plan, PlanEntryStatus, ToolCall, ToolCallContent, ToolCallStatus};
use acp_client::{Entry, Message, MessageKind, ToolRun};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use similar::{ChangeTag, TextDiff};

use crate::clean;

/// The most lines of one diff or one output. The others are counted.
const MOST: usize = 100;

/// Lays out an entry for this width, with an empty line after it.
#[must_use]
pub fn entry(entry: &Entry, width: usize) -> Vec<Line<'static>> {
    let mut lines = match entry {
        Entry::Message(message) => self::message(message, width),
        Entry::ToolCall(run) => tool_call(run, width),
        Entry::Compaction(compaction) => {
            wrap(&format!("The conversation was condensed ({}).", compaction.status), "", dim(), width)
        }
        Entry::Unknown(update) => wrap(&format!("[{}]", update.tag()), "", dim(), width),
        Entry::Missed(count) => wrap(&format!("[{count} updates are missing]"), "", dim(), width),
        _ => return Vec::new(),
    };
    lines.push(Line::default());
    lines
}

fn message(message: &Message, width: usize) -> Vec<Line<'static>> {
    let (margin, style) = match message.kind {
        MessageKind::User => ("> ", Style::new().add_modifier(Modifier::BOLD)),
        MessageKind::Agent => ("", Style::new()),
        MessageKind::Thought => ("", dim().add_modifier(Modifier::ITALIC)),
    };
    let text: Vec<String> = message.content.iter().map(block).collect();
    wrap(&text.join("\n"), margin, style, width)
}

/// Lays out a tool call: its title and its content.
#[must_use]
pub fn tool_call(run: &ToolRun, width: usize) -> Vec<Line<'static>> {
    let call = &run.call;
    let (mark, color) = match &call.status {
        _ if run.is_cancelled => ("-", Color::DarkGray),
        ToolCallStatus::Completed => ("+", Color::Green),
        ToolCallStatus::Failed => ("x", Color::Red),
        _ => ("*", Color::Yellow),
    };
    let status = if run.is_cancelled { "cancelled" } else { call.status.as_str() };
    let title = format!("{} ({})", acp_cli::terminal::subject(call), status.replace('_', " "));
    let mut lines = wrap(&title, &format!("{mark} "), Style::new().fg(color), width);
    for content in &call.content {
        let content = match content {
            ToolCallContent::Content(content) => wrap(&block(&content.content), "  ", dim(), width),
            ToolCallContent::Diff(diff) => self::diff(diff, width),
            ToolCallContent::Terminal(terminal) => {
                wrap(&format!("[terminal {}]", terminal.terminal_id), "  ", dim(), width)
            }
            other => wrap(&format!("[{}]", other.tag()), "  ", dim(), width),
        };
        lines.extend(shortened(content, MOST));
    }
    lines
}

/// Lays out the facts about a call that its question shows.
#[must_use]
pub fn about(call: &ToolCall, width: usize) -> Vec<Line<'static>> {
    let lines = acp_cli::terminal::about(call);
    lines.iter().flat_map(|line| wrap(line, "  ", Style::new(), width)).collect()
}

/// Returns the first of these lines, and the number of the others.
#[must_use]
pub fn shortened(mut lines: Vec<Line<'static>>, most: usize) -> Vec<Line<'static>> {
    let more = lines.len().saturating_sub(most);
    if more > 0 {
        // The line with the number takes the place of one line.
        lines.truncate(most.saturating_sub(1));
        lines.push(Line::styled(format!("  … {} more lines", more + 1), dim()));
    }
    lines
}

fn diff(diff: &Diff, width: usize) -> Vec<Line<'static>> {
    let old = diff.old_text.as_deref().unwrap_or_default();
    let mut lines = wrap(&diff.path, "  ", Style::new().add_modifier(Modifier::BOLD), width);
    for hunk in TextDiff::from_lines(old, &diff.new_text).unified_diff().context_radius(2).iter_hunks() {
        for change in hunk.iter_changes() {
            let (margin, style) = match change.tag() {
                ChangeTag::Delete => ("  - ", Style::new().fg(Color::Red)),
                ChangeTag::Insert => ("  + ", Style::new().fg(Color::Green)),
                ChangeTag::Equal => ("    ", dim()),
            };
            let text = change.value();
            lines.extend(wrap(text.strip_suffix('\n').unwrap_or(text), margin, style, width));
        }
    }
    lines
}

/// Lays out the steps of a plan, one line each.
#[must_use]
pub fn plan(plan: &Plan) -> Vec<Line<'static>> {
    let step = |(mark, style): (&str, Style), content: &str| {
        Line::styled(format!("[{mark}] {}", clean(content).replace('\n', " ")), style)
    };
    let entries = plan.entries.iter().map(|entry| {
        let look = match &entry.status {
            PlanEntryStatus::Completed => ("x", dim()),
            PlanEntryStatus::InProgress => (">", Style::new().fg(Color::Yellow)),
            _ => (" ", Style::new()),
        };
        step(look, &entry.content)
    });
    entries.collect()
}

fn block(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => format!("[image, {}]", image.mime_type),
        ContentBlock::Audio(audio) => format!("[audio, {}]", audio.mime_type),
        ContentBlock::ResourceLink(link) => format!("[{}]({})", link.name, link.uri),
        ContentBlock::Resource(resource) => format!("[{}]", resource.resource.uri()),
        other => format!("[{}]", other.tag()),
    }
}

/// Lays out foreign text in lines of at most this width. The margin stands before the first line,
/// and as much space before the others.
fn wrap(text: &str, margin: &str, style: Style, width: usize) -> Vec<Line<'static>> {
    let indent = " ".repeat(margin.len());
    let options =
        textwrap::Options::new(width.max(margin.len() + 1)).initial_indent(margin).subsequent_indent(&indent);
    let text = clean(text);
    let lines = textwrap::wrap(text.trim_end_matches('\n'), options);
    lines.into_iter().map(|line| Line::from(Span::styled(line.into_owned(), style))).collect()
}

fn dim() -> Style {
    Style::new().fg(Color::DarkGray)
}
