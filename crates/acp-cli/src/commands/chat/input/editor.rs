//! The line editor, on a thread of its own. It reads the terminal only while a line is wanted.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};
use rustyline::error::ReadlineError;
use rustyline::history::{History as _, MemHistory};
use rustyline::{Cmd, CompletionType, Config, KeyCode, KeyEvent, Modifiers};
use tokio::sync::mpsc;

use super::Typed;
use super::completer::LineHelper;
use super::edited::SharedLine;
use crate::commands::chat::input::files::Files;
use crate::commands::chat::input::words::SharedWords;
use crate::outcome::Failure;
use crate::style::Style;

type Lines = rustyline::Editor<LineHelper, MemHistory>;

/// A prompt, and the beginning of its line.
#[derive(Clone, Default)]
struct Ask {
    plain: String,
    styled: String,
    draft: String,
}

pub(crate) struct Editor {
    asks: SyncSender<Ask>,
    typed: mpsc::Receiver<Typed>,
    /// The prompt that is shown, and the line behind it.
    ask: Ask,
    line: SharedLine,
    /// The settings of the terminal while no line is edited.
    settings: Termios,
    is_open: bool,
}

impl Editor {
    /// Starts the editor. Returns `None` for a terminal that has no moves of the cursor.
    pub(crate) fn start(
        words: SharedWords,
        files: Files,
        history: Vec<String>,
        style: Style,
    ) -> Result<Option<Self>, Failure> {
        let term = std::env::var("TERM").unwrap_or_default();
        if matches!(term.as_str(), "" | "dumb" | "cons25" | "emacs") {
            return Ok(None);
        }
        let settings = tcgetattr(io::stdin())?;
        let colours =
            if style.has_colours() { rustyline::ColorMode::Enabled } else { rustyline::ColorMode::Disabled };
        let config = Config::builder()
            .completion_type(CompletionType::List)
            .completion_show_all_if_ambiguous(true)
            .history_ignore_space(true)
            .max_history_size(history.len() + 1000)?
            .color_mode(colours)
            .build();
        let mut known = MemHistory::with_config(&config);
        for line in history {
            known.add_owned(line)?;
        }
        let mut lines = Lines::with_history(config, known)?;
        let line = SharedLine::default();
        lines.set_helper(Some(LineHelper { words, files, line: line.clone() }));
        lines.bind_sequence(KeyEvent(KeyCode::Enter, Modifiers::ALT), Cmd::Newline);
        let (asks, asked) = sync_channel(1);
        let (tell, typed) = mpsc::channel(1);
        thread::Builder::new().name("line editor".to_owned()).spawn(move || edit(lines, &asked, &tell))?;
        Ok(Some(Self { asks, typed, ask: Ask::default(), line, settings, is_open: false }))
    }

    /// Shows the prompt, with the beginning of a line behind it.
    pub(crate) fn begin(&mut self, plain: String, styled: String, draft: String) {
        if !self.is_open {
            self.line.set(&draft, draft.len());
            self.ask = Ask { plain, styled, draft };
            // The thread waits for this one.
            self.is_open = self.asks.try_send(self.ask.clone()).is_ok();
        }
    }

    /// Waits for the end of the line. Dropping the future loses nothing.
    pub(crate) async fn typed(&mut self) -> Typed {
        let typed = self.typed.recv().await.unwrap_or(Typed::End);
        self.is_open = false;
        typed
    }

    /// Shows whole lines above the prompt. Returns false if they have to wait for the end of the
    /// line.
    pub(crate) fn show_above(&self, text: &str) -> bool {
        let columns = tcgetwinsize(io::stdout()).map_or(80, |size| usize::from(size.ws_col));
        let Some(shown) = self.line.below(text, &self.ask.plain, &self.ask.styled, columns) else {
            return false;
        };
        let mut out = io::stdout();
        out.write_all(shown.as_bytes()).and_then(|()| out.flush()).is_ok()
    }

    /// Leaves the terminal as it was, also in the middle of a line.
    pub(crate) fn leave(&mut self) {
        if std::mem::take(&mut self.is_open) {
            // A terminal that is gone needs no settings.
            let _ = tcsetattr(io::stdin(), OptionalActions::Drain, &self.settings);
            let mut out = io::stdout();
            let _ = out.write_all(b"\x1b[?2004l\r\n").and_then(|()| out.flush());
        }
    }
}

/// Reads a line for each prompt, until no more are wanted.
fn edit(mut lines: Lines, asked: &Receiver<Ask>, tell: &mpsc::Sender<Typed>) {
    for Ask { plain, styled, draft } in asked {
        let read = lines.readline_with_initial(&(plain, styled), (&draft, ""));
        let typed = match read {
            Ok(line) => {
                // Memory keeps it without an error.
                let _ = lines.add_history_entry(line.as_str());
                Typed::Line(line)
            }
            Err(ReadlineError::Interrupted) => Typed::Dropped,
            Err(_) => Typed::End,
        };
        if tell.blocking_send(typed).is_err() {
            return;
        }
    }
}
