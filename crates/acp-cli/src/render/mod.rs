//! A turn as lines on a terminal.

pub(crate) mod advice;
pub(crate) mod inert;
pub(crate) mod json;
mod markdown;
pub(crate) mod quiet;
mod shown;
pub(crate) mod text;
pub(crate) mod update;
pub(crate) mod view;

use std::io::{self, Write};

use acp_cli::terminal::{Screen, Tone, subject};
use acp_client::sanitize::{self, label, line};
use acp_client::v1::{
    ContentBlock, ContentChunk, Diff, MessageId, Plan, PlanEntryStatus, RequestPermissionRequest, TerminalId,
    ToolCall, ToolCallContent, ToolCallId, ToolCallStatus,
};
use acp_client::{Change, Event, FileChanges, MessageKind, PlanContent, TerminalChange, Transcript};
use similar::{ChangeTag, TextDiff};

use crate::render::markdown::Markdown;
use crate::render::shown::Shown;
use crate::render::text::{aside, block_text, changed_files, words};
use crate::style::{Look, Style};

/// The number of tool calls that are kept, because a question may name a call by its id only.
pub(crate) const CALLS: usize = 4096;

/// Writes events as they come. Text flows; everything else has lines of its own.
pub(crate) struct Renderer<W> {
    out: W,
    style: Style,
    verbose: bool,
    /// The text before the cursor, when the line is not finished.
    flowing: Option<Flow>,
    /// A transcript of the last message only.
    last: Transcript,
    /// True if it came as a whole, so that the next message begins a line.
    is_whole: bool,
    /// A transcript of tool calls and terminals only.
    calls: Transcript,
    shown: Shown,
    plan: Option<Plan>,
    /// Set if messages of the agent are shown as Markdown.
    markdown: Option<Markdown>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    Message,
    Thought,
    User,
    Question,
}

impl<W: Write> Renderer<W> {
    pub(crate) fn new(out: W, style: Style, verbose: bool) -> Self {
        let [last, calls] = [1, CALLS].map(|entries| Transcript::new().with_limit(entries));
        let (shown, is_whole) = (Shown::new(CALLS), false);
        Self { out, style, verbose, flowing: None, last, is_whole, calls, shown, plan: None, markdown: None }
    }

    /// Shows messages of the agent as Markdown, if there are colours.
    pub(crate) fn with_markdown(mut self) -> Self {
        self.markdown = self.style.has_colours().then(Markdown::default);
        self
    }

    /// Takes in an event that was shown elsewhere.
    pub(crate) fn learn(&mut self, event: Event) {
        let call = match &event {
            Event::ToolCall(call) => call.tool_call_id.clone(),
            Event::ToolCallUpdate(update) => update.tool_call_id.clone(),
            Event::ToolContent { id, .. } => id.clone(),
            Event::Terminal { .. } => {
                self.calls.fold(event);
                return;
            }
            _ => return,
        };
        self.calls.fold(event);
        if let Some(run) = self.calls.tool_call(&call) {
            self.shown.status(&self.calls, &call, &run.call.status);
            for item in run.call.content.iter().filter(|item| FileChanges::of(item).is_some()) {
                self.shown.change(&self.calls, &call, item);
            }
        }
    }

    pub(crate) fn event(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::Message(chunk) => self.flow(MessageKind::Agent, event, chunk)?,
            Event::Thought(chunk) => self.flow(MessageKind::Thought, event, chunk)?,
            Event::UserMessage(chunk) => self.flow(MessageKind::User, event, chunk)?,
            Event::ToolCall(call) => {
                self.calls.fold(event.clone());
                self.tool(&call.tool_call_id, &call.content)?;
            }
            Event::ToolCallUpdate(update) => {
                self.calls.fold(event.clone());
                self.tool(&update.tool_call_id, update.content.as_deref().unwrap_or_default())?;
            }
            Event::MessageReplaced { kind, id, content: Some(content), .. } => {
                self.replaced(*kind, event, id, content)?;
            }
            Event::ToolContent { id, item, .. } => {
                self.calls.fold(event.clone());
                self.tool(id, std::slice::from_ref(item))?;
            }
            Event::Terminal { id, change, .. } => {
                self.calls.fold(event.clone());
                if self.verbose {
                    self.terminal(id, change)?;
                }
            }
            Event::Plan(plan) | Event::NamedPlan { plan: PlanContent::Items(plan), .. } => self.plan(plan)?,
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

    /// Writes a line of the program itself, after any text that is flowing.
    pub(crate) fn line(&mut self, look: Look, text: &str) -> io::Result<()> {
        self.end_line()?;
        writeln!(self.out, "{}", self.style.paint(look, &line(text)))
    }

    /// Ends the line that text is flowing on.
    pub(crate) fn end_line(&mut self) -> io::Result<()> {
        if let Some(markdown) = &mut self.markdown {
            write!(self.out, "{}", markdown.finish())?;
        }
        if self.flowing.take().is_some() { writeln!(self.out) } else { Ok(()) }
    }

    fn flow(&mut self, kind: MessageKind, event: &Event, chunk: &ContentChunk) -> io::Result<()> {
        let Some((flow, look)) = self.look(kind) else { return Ok(()) };
        let is_new = matches!(self.last.fold(event.clone()), Change::Added(_));
        if is_new && std::mem::take(&mut self.is_whole) {
            self.end_line()?;
        }
        self.text(flow, look, &block_text(&chunk.content))
    }

    /// Returns the way in which a message is shown, if it is.
    const fn look(&self, kind: MessageKind) -> Option<(Flow, Look)> {
        match kind {
            MessageKind::Agent => Some((Flow::Message, Look::Plain)),
            MessageKind::Thought => Some((Flow::Thought, Look::Dim)),
            MessageKind::User if self.verbose => Some((Flow::User, Look::Cyan)),
            MessageKind::User => None,
        }
    }

    /// Writes a whole message: what is new of it if its beginning is shown, otherwise all of it on
    /// a line of its own.
    fn replaced(
        &mut self,
        kind: MessageKind,
        event: &Event,
        id: &MessageId,
        content: &[ContentBlock],
    ) -> io::Result<()> {
        let Some((flow, look)) = self.look(kind) else { return Ok(()) };
        let text = |content: &[ContentBlock]| content.iter().map(block_text).collect::<String>();
        let whole = text(content);
        let last = self.last.entries().next_back().and_then(|(_, entry)| entry.as_message());
        let said = last.filter(|last| last.kind == kind && last.id.as_ref() == Some(id));
        let rest = said.and_then(|said| whole.strip_prefix(&text(&said.content)));
        if rest.is_none() {
            self.end_line()?;
        }
        self.text(flow, look, rest.unwrap_or(&whole))?;
        self.last.fold(event.clone());
        self.is_whole = true;
        Ok(())
    }

    /// Writes the command of a terminal of the agent when it is known, and its output at its end.
    fn terminal(&mut self, id: &TerminalId, change: &TerminalChange) -> io::Result<()> {
        let TerminalChange::Updated(update) = change else { return Ok(()) };
        let command = update.command.value();
        let output =
            update.exit.value().and_then(|_| self.calls.terminal(id)).map(|terminal| {
                terminal.text().lines().map(|line| format!("    {line}")).collect::<Vec<_>>()
            });
        if let Some(command) = command {
            self.line(Look::Dim, &format!("    $ {command}"))?;
        }
        output.unwrap_or_default().iter().try_for_each(|line| self.line(Look::Dim, line))
    }

    fn text(&mut self, flow: Flow, look: Look, text: &str) -> io::Result<()> {
        if self.flowing.is_some_and(|flowing| flowing != flow) {
            self.end_line()?;
        }
        match &mut self.markdown {
            Some(markdown) if flow == Flow::Message => {
                write!(self.out, "{}", markdown.push(&sanitize::text(text)))?;
            }
            _ => write!(self.out, "{}", self.style.paint(look, text))?,
        }
        self.flowing = if text.is_empty() {
            self.flowing
        } else if text.ends_with('\n') {
            None
        } else {
            Some(flow)
        };
        Ok(())
    }

    /// Writes a line when the call is new or its status changes, and each diff once.
    fn tool(&mut self, id: &ToolCallId, content: &[ToolCallContent]) -> io::Result<()> {
        self.end_line()?;
        let known = self.known(id);
        if self.shown.status(&self.calls, id, &known.status) {
            let (mark, look) = match &known.status {
                ToolCallStatus::Completed => ("✓", Look::Green),
                ToolCallStatus::Failed => ("✗", Look::Red),
                ToolCallStatus::InProgress => ("▸", Look::Cyan),
                _ => ("•", Look::Plain),
            };
            let title = subject(&known);
            let status = format!("({})", label(words(known.status.as_str()), 40));
            let (mark, title) = (self.style.paint(look, mark), self.style.paint(Look::Bold, &title));
            writeln!(self.out, "{mark} {title} {}", self.style.paint(Look::Dim, &status))?;
        }
        for item in content {
            self.tool_content(id, item)?;
        }
        Ok(())
    }

    fn tool_content(&mut self, id: &ToolCallId, item: &ToolCallContent) -> io::Result<()> {
        match item {
            ToolCallContent::Diff(_) | ToolCallContent::Unknown(_) => {
                let Some(changes) = FileChanges::of(item) else { return Ok(()) };
                // Every update repeats the whole list.
                if !self.shown.change(&self.calls, id, item) {
                    return Ok(());
                }
                match item {
                    ToolCallContent::Diff(diff) => self.diff(diff),
                    _ => changed_files(&changes)
                        .iter()
                        .try_for_each(|line| self.line(of_change(&changes, line), line)),
                }
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

    /// Returns everything that is known of a call.
    fn known(&self, id: &ToolCallId) -> ToolCall {
        self.calls.tool_call(id).map_or_else(|| ToolCall::new(id.clone(), ""), |run| run.call.clone())
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

    /// Writes the whole plan when it has changed.
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

/// Returns the look of a line about changed files, which may be a line of a patch.
fn of_change(changes: &FileChanges, line: &str) -> Look {
    match line.get(..1).filter(|_| changes.patch.is_some()) {
        _ if line.starts_with("+++ ") || line.starts_with("--- ") => Look::Bold,
        Some("+") => Look::Green,
        Some("-") => Look::Red,
        Some("@") => Look::Cyan,
        _ => Look::Plain,
    }
}

impl Renderer<Vec<u8>> {
    /// Takes the bytes to be written.
    pub(crate) const fn written(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }
}

impl<W: Write> Screen for Renderer<W> {
    fn call(&mut self, request: &RequestPermissionRequest) -> io::Result<ToolCall> {
        self.calls.fold_permission(request);
        let id = &request.tool_call.tool_call_id;
        self.tool(id, request.tool_call.content.as_deref().unwrap_or_default())?;
        Ok(self.known(id))
    }

    fn line(&mut self, tone: Tone, text: &str) -> io::Result<()> {
        let look = match tone {
            Tone::Question => Look::Yellow,
            Tone::Plain => Look::Plain,
            Tone::Quiet => Look::Dim,
        };
        Self::line(self, look, text)
    }

    fn ask(&mut self, question: &str) -> io::Result<()> {
        self.end_line()?;
        self.flowing = Some(Flow::Question);
        write!(self.out, "{} ", self.style.paint(Look::Plain, &line(question)))?;
        self.out.flush()
    }

    fn answered(&mut self) {
        self.flowing = self.flowing.filter(|flowing| *flowing != Flow::Question);
    }
}
