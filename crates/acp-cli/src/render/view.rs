//! The form in which a run is shown.

use std::io;

use acp_cli::terminal::{Screen, Tone};
use acp_client::v1::{PromptResponse, RequestPermissionOutcome, RequestPermissionRequest, ToolCall};
use acp_client::{Event, Session};

use crate::outcome::{Failure, exit};
use crate::output::Output;
use crate::render::Renderer;
use crate::render::json::JsonLines;
use crate::render::quiet::Quiet;
use crate::style::Look;

/// A run as text, as its answer alone, or as JSON.
pub(crate) enum View {
    Text(Box<Renderer<Vec<u8>>>),
    Quiet(Box<Quiet>),
    Json(Box<JsonLines>),
}

impl View {
    pub(crate) fn event(&mut self, event: &Event) -> io::Result<()> {
        match self {
            Self::Text(text) => text.event(event),
            Self::Quiet(quiet) => quiet.event(event),
            Self::Json(json) => {
                json.event(event);
                Ok(())
            }
        }
    }

    /// Passes over an event that nobody reads.
    pub(crate) const fn skip(&mut self) {
        if let Self::Json(json) = self {
            json.skip();
        }
    }

    /// Takes in an event that was shown elsewhere.
    pub(crate) fn learn(&mut self, event: Event) {
        match self {
            Self::Text(text) => text.learn(event),
            Self::Quiet(quiet) => quiet.learn(event),
            Self::Json(json) => json.learn(event),
        }
    }

    /// Writes a line of the program itself.
    pub(crate) fn line(&mut self, look: Look, text: &str) -> io::Result<()> {
        match self {
            Self::Text(renderer) => renderer.line(look, text),
            Self::Quiet(quiet) => quiet.line(look, text),
            Self::Json(json) => {
                json.notice(text);
                Ok(())
            }
        }
    }

    /// Ends the line that text is flowing on.
    pub(crate) fn end_line(&mut self) -> io::Result<()> {
        match self {
            Self::Text(text) => text.end_line(),
            Self::Quiet(quiet) => quiet.end_line(),
            Self::Json(_) => Ok(()),
        }
    }

    /// Reports the session to programs.
    pub(crate) fn opened(&mut self, session: &Session, was_resumed: bool) {
        if let Self::Json(json) = self {
            json.opened(session, was_resumed);
        }
    }

    /// Reports the end of the turn.
    pub(crate) fn ended(&mut self, response: &PromptResponse, code: u8) -> io::Result<()> {
        self.end_line()?;
        match self {
            Self::Json(json) => json.ended(response, code),
            _ if code == exit::DONE => {}
            _ => self.line(Look::Yellow, &format!("the turn ended with: {}", response.stop_reason))?,
        }
        Ok(())
    }

    /// Reports to programs that the run ends without the end of its turn.
    pub(crate) fn failed(&mut self, failure: &Failure, code: u8) {
        if let Self::Json(json) = self {
            json.failed(failure, code);
        }
    }

    /// Moves the text so far to the output.
    pub(crate) fn move_to(&mut self, output: &mut Output) {
        match self {
            Self::Text(text) => output.add(text.written()),
            Self::Quiet(quiet) => {
                let (answer, rest) = quiet.written();
                output.add(answer);
                output.add_aside(rest);
            }
            Self::Json(json) => output.add(json.written()),
        }
    }

    /// Takes the whole lines of the text so far. An unfinished line stays.
    #[cfg_attr(not(unix), allow(dead_code, reason = "it is for the line editor"))]
    pub(crate) fn take_lines(&mut self) -> String {
        let Self::Text(text) = self else { return String::new() };
        let written = text.written();
        let end = written.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let lines: Vec<u8> = written.drain(..end).collect();
        String::from_utf8_lossy(&lines).into_owned()
    }

    const fn screen(&mut self) -> &mut dyn Screen {
        match self {
            Self::Text(text) => &mut **text,
            Self::Quiet(quiet) => &mut **quiet,
            Self::Json(json) => &mut **json,
        }
    }
}

impl Screen for View {
    fn call(&mut self, request: &RequestPermissionRequest) -> io::Result<ToolCall> {
        self.screen().call(request)
    }

    fn line(&mut self, tone: Tone, text: &str) -> io::Result<()> {
        self.screen().line(tone, text)
    }

    fn ask(&mut self, text: &str) -> io::Result<()> {
        self.screen().ask(text)
    }

    fn answered(&mut self) {
        self.screen().answered();
    }

    fn decided(
        &mut self,
        request: &RequestPermissionRequest,
        outcome: &RequestPermissionOutcome,
    ) -> io::Result<()> {
        self.screen().decided(request, outcome)
    }
}
