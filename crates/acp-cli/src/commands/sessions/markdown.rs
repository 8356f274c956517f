//! A conversation as Markdown.

use acp_client::sanitize::{label, line, text};
use acp_client::v1::{PlanEntryStatus, ToolCallContent};
use acp_client::{Entry, FileChanges, Message, MessageKind, Session, ToolRun, Transcript};
use similar::TextDiff;

use crate::render::text::{block_text, changed_files, words};

/// The longest title of a tool call, in characters.
const TITLE: usize = 200;

/// Returns the conversation with a heading for each entry. Characters that deceive are replaced.
pub(super) fn markdown(transcript: &Transcript, session: &Session) -> String {
    let title = transcript.title().map_or_else(|| session.id().as_str().to_owned(), str::to_owned);
    let mut page = format!("# {}\n\n- session: `{}`\n", label(&title, TITLE), code(session.id().as_str()));
    if let Some(agent) = session.agent().info() {
        page.push_str(&format!("- agent: {} {}\n", line(&agent.name), line(&agent.version)));
    }
    if let Some(time) = transcript.updated_at() {
        page.push_str(&format!("- updated: {}\n", line(time)));
    }
    for (_, entry) in transcript.entries() {
        match entry {
            Entry::Message(message) => said(&mut page, message),
            Entry::ToolCall(run) => tool(&mut page, run, transcript),
            Entry::Missed(count) => page.push_str(&format!("\n*{count} updates are missing here.*\n")),
            _ => {}
        }
    }
    if let Some(plan) = transcript.plan() {
        page.push_str("\n## Plan\n\n");
        for entry in &plan.entries {
            let mark = if entry.status == PlanEntryStatus::Completed { 'x' } else { ' ' };
            page.push_str(&format!("- [{mark}] {}\n", line(&entry.content)));
        }
    }
    page
}

fn said(page: &mut String, message: &Message) {
    let heading = match message.kind {
        MessageKind::User => "User",
        MessageKind::Agent => "Agent",
        MessageKind::Thought => "Thought",
    };
    let words: String = message.content.iter().map(block_text).collect();
    // Only the agent's answer is Markdown of its own.
    let quote = if message.kind == MessageKind::Agent { "" } else { "> " };
    page.push_str(&format!("\n## {heading}\n\n"));
    for line in text(&words).trim_end().lines() {
        page.push_str(format!("{quote}{line}").trim_end());
        page.push('\n');
    }
}

fn tool(page: &mut String, run: &ToolRun, transcript: &Transcript) {
    let (call, status) = (&run.call, words(run.call.status.as_str()));
    let title = if call.title.is_empty() { call.tool_call_id.as_str() } else { &call.title };
    page.push_str(&format!("\n## Tool: `{}` ({})\n", code(&label(title, TITLE)), label(status, 40)));
    for item in &call.content {
        match item {
            ToolCallContent::Content(content) => fenced(page, "", &block_text(&content.content)),
            ToolCallContent::Diff(diff) => {
                let old = diff.old_text.as_deref().unwrap_or_default();
                let changes = TextDiff::from_lines(old, &diff.new_text);
                let mut unified = changes.unified_diff();
                fenced(page, "diff", &unified.header(&diff.path, &diff.path).to_string());
            }
            ToolCallContent::Terminal(shown) => {
                let output = transcript.terminal(&shown.terminal_id);
                fenced(page, "", &output.map(|terminal| terminal.text().into_owned()).unwrap_or_default());
            }
            other => {
                if let Some(changes) = FileChanges::of(other) {
                    fenced(page, "diff", &changed_files(&changes).join("\n"));
                }
            }
        }
    }
}

/// Writes a text in a fence that it cannot end.
fn fenced(page: &mut String, language: &str, shown: &str) {
    let longest = shown.split(|char| char != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    page.push_str(&format!("\n{fence}{language}\n{}\n{fence}\n", text(shown).trim_end()));
}

/// Returns a text for a piece of code on a line, which it cannot end.
fn code(shown: &str) -> String {
    line(shown).replace('`', "'")
}
