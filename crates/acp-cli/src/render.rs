//! A turn as lines on a terminal.

use std::collections::HashMap;
use std::io::{self, Write};

use acp_client::Event;
use acp_client::v1::{
    ContentBlock, ContentChunk, Diff, Plan, PlanEntryStatus, ToolCall, ToolCallContent, ToolCallId,
    ToolCallStatus, ToolCallUpdate,
};
use similar::{ChangeTag, TextDiff};

use crate::style::{Look, Style, one_line};

/// Writes events as they come. Text flows; everything else has lines of its own.
pub(crate) struct Renderer<W> {
    out: W,
    style: Style,
    verbose: bool,
    /// What the cursor stands behind, when the line is not finished.
    flowing: Option<Flow>,
    tools: HashMap<ToolCallId, Tool>,
    plan: Option<Plan>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    Message,
    Thought,
    User,
    Question,
}

/// What has been shown of a tool call.
#[derive(Default)]
struct Tool {
    title: String,
    status: Option<ToolCallStatus>,
    diffs: Vec<Diff>,
}

impl<W: Write> Renderer<W> {
    pub(crate) fn new(out: W, style: Style, verbose: bool) -> Self {
        Self { out, style, verbose, flowing: None, tools: HashMap::new(), plan: None }
    }

    pub(crate) fn event(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::Message(chunk) => self.flow(Flow::Message, Look::Plain, chunk)?,
            Event::Thought(chunk) => self.flow(Flow::Thought, Look::Dim, chunk)?,
            Event::UserMessage(chunk) if self.verbose => self.flow(Flow::User, Look::Cyan, chunk)?,
            Event::ToolCall(call) => self.tool_call(call)?,
            Event::ToolCallUpdate(update) => self.tool_update(update)?,
            Event::Plan(plan) => self.plan(plan)?,
            Event::Mode(mode) => self.line(Look::Cyan, &format!("mode: {}", mode.current_mode_id))?,
            Event::Notice(notice) => {
                let details =
                    notice.description.as_deref().map(|text| format!(": {text}")).unwrap_or_default();
                self.line(Look::Yellow, &format!("{}: {}{details}", notice.severity, notice.title))?;
            }
            Event::Compaction(compaction) => {
                self.line(Look::Dim, &format!("compaction of the conversation: {}", compaction.status))?;
            }
            Event::Missed(count) => {
                self.line(Look::Yellow, &format!("{count} earlier updates were not kept"))?
            }
            other if self.verbose => self.line(Look::Dim, &aside(other))?,
            _ => {}
        }
        self.out.flush()
    }

    /// One line of ours, after whatever is on the way.
    pub(crate) fn line(&mut self, look: Look, text: &str) -> io::Result<()> {
        self.end_line()?;
        writeln!(self.out, "{}", self.style.paint(look, &one_line(text)))
    }

    /// Ends the line that text is flowing on.
    pub(crate) fn end_line(&mut self) -> io::Result<()> {
        if self.flowing.take().is_some() { writeln!(self.out) } else { Ok(()) }
    }

    /// Leaves the cursor behind a question.
    pub(crate) fn ask(&mut self, question: &str) -> io::Result<()> {
        self.end_line()?;
        self.flowing = Some(Flow::Question);
        write!(self.out, "{question} ")?;
        self.out.flush()
    }

    /// The user has ended the line of the question.
    pub(crate) fn answered(&mut self) {
        self.flowing = self.flowing.filter(|flowing| *flowing != Flow::Question);
    }

    fn flow(&mut self, flow: Flow, look: Look, chunk: &ContentChunk) -> io::Result<()> {
        if self.flowing.is_some_and(|flowing| flowing != flow) {
            self.end_line()?;
        }
        let text = block_text(&chunk.content);
        write!(self.out, "{}", self.style.paint(look, &text))?;
        self.flowing = if text.is_empty() {
            self.flowing
        } else if text.ends_with('\n') {
            None
        } else {
            Some(flow)
        };
        Ok(())
    }

    fn tool_call(&mut self, call: &ToolCall) -> io::Result<()> {
        self.tool(&call.tool_call_id, Some(&call.title), Some(&call.status), &call.content)
    }

    /// What is new about a tool call, and nothing where there is nothing new.
    pub(crate) fn tool_update(&mut self, update: &ToolCallUpdate) -> io::Result<()> {
        let content = update.content.as_deref().unwrap_or_default();
        self.tool(&update.tool_call_id, update.title.as_deref(), update.status.as_ref(), content)
    }

    /// A line when the status changes or the call is new, and each diff once.
    fn tool(
        &mut self,
        id: &ToolCallId,
        title: Option<&str>,
        status: Option<&ToolCallStatus>,
        content: &[ToolCallContent],
    ) -> io::Result<()> {
        self.end_line()?;
        let new = !self.tools.contains_key(id);
        let tool = self.tools.entry(id.clone()).or_default();
        if let Some(title) = title {
            title.clone_into(&mut tool.title);
        }
        let changed = status.is_some() && tool.status.as_ref() != status;
        if changed {
            tool.status = status.cloned();
        }
        if new || changed {
            let (mark, look) = match &tool.status {
                Some(ToolCallStatus::Completed) => ("✓", Look::Green),
                Some(ToolCallStatus::Failed) => ("✗", Look::Red),
                Some(ToolCallStatus::InProgress) => ("▸", Look::Cyan),
                _ => ("•", Look::Plain),
            };
            let title = if tool.title.is_empty() { id.as_str() } else { tool.title.as_str() };
            let status = tool.status.as_ref().map_or("pending", |status| words(status.as_str()));
            let title = one_line(title);
            let (mark, title) = (self.style.paint(look, mark), self.style.paint(Look::Bold, &title));
            writeln!(self.out, "{mark} {title} {}", self.style.paint(Look::Dim, &format!("({status})")))?;
        }
        for item in content {
            self.tool_content(id, item)?;
        }
        Ok(())
    }

    fn tool_content(&mut self, id: &ToolCallId, item: &ToolCallContent) -> io::Result<()> {
        match item {
            ToolCallContent::Diff(diff) => {
                // The whole list comes again with every update.
                let shown = &mut self.tools.entry(id.clone()).or_default().diffs;
                if shown.contains(diff) {
                    return Ok(());
                }
                shown.push((**diff).clone());
                self.diff(diff)
            }
            ToolCallContent::Content(content) if self.verbose => {
                let text = block_text(&content.content);
                text.lines().try_for_each(|line| self.line(Look::Dim, &format!("    {line}")))
            }
            ToolCallContent::Terminal(terminal) if self.verbose => {
                self.line(Look::Dim, &format!("    [terminal {}]", terminal.terminal_id))
            }
            _ => Ok(()),
        }
    }

    fn diff(&mut self, diff: &Diff) -> io::Result<()> {
        let old = diff.old_text.as_deref().unwrap_or_default();
        let before = if diff.old_text.is_some() { diff.path.as_str() } else { "/dev/null" };
        self.line(Look::Bold, &format!("--- {before}"))?;
        self.line(Look::Bold, &format!("+++ {}", diff.path))?;
        let changes = TextDiff::from_lines(old, &diff.new_text);
        for hunk in changes.unified_diff().context_radius(3).iter_hunks() {
            self.line(Look::Cyan, &hunk.header().to_string())?;
            for change in hunk.iter_changes() {
                let (sign, look) = match change.tag() {
                    ChangeTag::Delete => ('-', Look::Red),
                    ChangeTag::Insert => ('+', Look::Green),
                    ChangeTag::Equal => (' ', Look::Plain),
                };
                let text = change.value();
                self.line(look, &format!("{sign}{}", text.strip_suffix('\n').unwrap_or(text)))?;
            }
        }
        Ok(())
    }

    /// The whole plan, when it is another than before.
    fn plan(&mut self, plan: &Plan) -> io::Result<()> {
        if self.plan.as_ref() == Some(plan) {
            return Ok(());
        }
        self.line(Look::Bold, "plan")?;
        for entry in &plan.entries {
            let (mark, look) = match &entry.status {
                PlanEntryStatus::Completed => ("[x]", Look::Green),
                PlanEntryStatus::InProgress => ("[>]", Look::Cyan),
                _ => ("[ ]", Look::Plain),
            };
            self.line(look, &format!("  {mark} {}", entry.content))?;
        }
        self.plan = Some(plan.clone());
        Ok(())
    }
}

/// A status as words: `in_progress` is `in progress`.
fn words(status: &str) -> &str {
    if status == "in_progress" { "in progress" } else { status }
}

fn block_text(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => format!("[image, {}]", image.mime_type),
        ContentBlock::Audio(audio) => format!("[audio, {}]", audio.mime_type),
        ContentBlock::ResourceLink(link) => format!("[{}]({})", link.name, link.uri),
        ContentBlock::Resource(resource) => format!("[{}]", resource.resource.uri()),
        other => format!("[{}]", other.tag()),
    }
}

/// What `--verbose` says of an event that is no part of the conversation.
fn aside(event: &Event) -> String {
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
        Event::Usage(usage) => match &usage.cost {
            Some(cost) => {
                format!("context: {} of {}, cost: {} {}", usage.used, usage.size, cost.amount, cost.currency)
            }
            None => format!("context: {} of {}", usage.used, usage.size),
        },
        Event::CompactionSummary(chunk) => format!("summary: {}", block_text(&chunk.content)),
        Event::Unknown(unknown) => format!("an update of unknown kind: {}", unknown.tag()),
        _ => "another update".to_owned(),
    }
}
