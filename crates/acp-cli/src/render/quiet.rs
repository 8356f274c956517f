//! The answer of a turn by itself: `acp prompt --quiet`.

use std::io::{self, IsTerminal};

use acp_cli::terminal::{Screen, Tone};
use acp_client::v1::{RequestPermissionRequest, ToolCall};
use acp_client::{Event, MessageKind};

use crate::render::Renderer;
use crate::style::{Look, Style};

/// Writes the answer for stdout, and everything else for stderr. On a terminal both would be mixed
/// up, so that there the rest is left out, except for questions and remarks of the program.
pub(crate) struct Quiet {
    answer: Renderer<Vec<u8>>,
    rest: Renderer<Vec<u8>>,
    shows_rest: bool,
}

impl Quiet {
    pub(crate) fn new(style: Style) -> Self {
        // Colours are for stdout. The rest may go to a file.
        let rest = Renderer::new(Vec::new(), Style::plain(), false);
        let answer = Renderer::new(Vec::new(), style, false);
        Self { answer, rest, shows_rest: !io::stdout().is_terminal() }
    }

    pub(crate) fn event(&mut self, event: &Event) -> io::Result<()> {
        let is_answer = matches!(
            event,
            Event::Message(_) | Event::MessageReplaced { kind: MessageKind::Agent, .. } | Event::Missed(_)
        );
        let before = self.rest.written().len();
        if is_answer {
            self.rest.end_line()?;
            self.answer.event(event)?;
            self.drop_rest(before);
            return Ok(());
        }
        self.rest.event(event)?;
        if self.rest.written().len() > before {
            // The answer goes on after this, on a line of its own.
            self.answer.end_line()?;
        }
        self.drop_rest(before);
        Ok(())
    }

    /// Takes back what was written of the rest since then, where it is not shown.
    fn drop_rest(&mut self, before: usize) {
        if !self.shows_rest {
            self.rest.written().truncate(before);
        }
    }

    pub(crate) fn learn(&mut self, event: Event) {
        self.rest.learn(event);
    }

    pub(crate) fn line(&mut self, look: Look, text: &str) -> io::Result<()> {
        self.rest.line(look, text)
    }

    pub(crate) fn end_line(&mut self) -> io::Result<()> {
        self.rest.end_line()?;
        self.answer.end_line()
    }

    pub(crate) const fn written(&mut self) -> (&mut Vec<u8>, &mut Vec<u8>) {
        (self.answer.written(), self.rest.written())
    }
}

impl Screen for Quiet {
    fn call(&mut self, request: &RequestPermissionRequest) -> io::Result<ToolCall> {
        // The user sees the change that he is asked about.
        self.rest.call(request)
    }

    fn line(&mut self, tone: Tone, text: &str) -> io::Result<()> {
        Screen::line(&mut self.rest, tone, text)
    }

    fn ask(&mut self, question: &str) -> io::Result<()> {
        self.rest.ask(question)
    }

    fn answered(&mut self) {
        self.rest.answered();
    }
}
