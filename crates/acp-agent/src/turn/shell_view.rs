//! The output of a child process in a tool call.

use std::time::Duration;

use acp_process::{Exit, Scrollback};
use acp_types::v1::{Content, ContentBlock};
use tokio::time::{Instant, sleep_until};

use crate::error::Result;
use crate::turn::shell::Shell;
use crate::turn::shell_display::Display;
use crate::turn::tool::RunningTool;

/// The time between two reports of output.
const PACE: Duration = Duration::from_millis(250);
/// The most output that is shown as text, in bytes.
const SHOWN: usize = 16 * 1024;

/// The view of a command's output in a tool call, if there is one.
pub(super) struct View<'a> {
    form: Form<'a>,
    /// The time of the next report, if there is something to report.
    due: Option<Instant>,
}

enum Form<'a> {
    None,
    /// Text in the tool call.
    Text(&'a mut RunningTool),
    /// A terminal that the client shows.
    Display(Display),
}

impl<'a> View<'a> {
    /// Begins to show the command, in the form that the client's version has.
    pub(super) async fn of(tool: &'a mut RunningTool, shell: &Shell) -> Result<Self> {
        let form = if tool.turn().client().wire().shows_terminals() {
            Form::Display(Display::open(tool, shell).await?)
        } else {
            Form::Text(tool)
        };
        Ok(View { form, due: None })
    }

    /// Makes the view of a command that nobody sees.
    pub(super) const fn none() -> Self {
        View { form: Form::None, due: None }
    }

    /// Takes note of new output. It is reported with what comes within the next moment.
    pub(super) fn printed(&mut self, bytes: &[u8]) {
        match &mut self.form {
            Form::None => return,
            Form::Text(_) => {}
            Form::Display(display) => display.printed(bytes),
        }
        self.due.get_or_insert_with(|| Instant::now() + PACE);
    }

    /// Waits until there is something to report. Dropping the future loses nothing.
    pub(super) async fn is_due(&self) {
        match self.due {
            Some(due) => sleep_until(due).await,
            None => std::future::pending().await,
        }
    }

    /// Waits until the client cancels the command by itself.
    pub(super) async fn cancelled(&self) {
        match &self.form {
            Form::Display(display) => display.cancelled().await,
            Form::None | Form::Text(_) => std::future::pending().await,
        }
    }

    /// Reports the output so far. It waits while the client does not read.
    pub(super) async fn show(&mut self, output: &Scrollback) -> Result<()> {
        self.due = None;
        match &mut self.form {
            Form::None => Ok(()),
            Form::Text(tool) => tool.show(content(output)).await,
            Form::Display(display) => display.show().await,
        }
    }

    /// Reports the last output and the end for good, even if the turn was cancelled meanwhile.
    pub(super) async fn end(&mut self, output: &Scrollback, exit: &Exit) -> Result<()> {
        match &mut self.form {
            Form::Text(tool) if !output.is_empty() => tool.last_content(content(output)).await,
            Form::None | Form::Text(_) => Ok(()),
            Form::Display(display) => display.end(exit).await,
        }
    }
}

/// Returns the end of the output as a block of code, so that the client shows it as it is.
fn content(output: &Scrollback) -> Content {
    let (shown, is_cut) = output.tail(SHOWN);
    let cut = if is_cut { "…\n" } else { "" };
    let fence = "`".repeat(longest_run(&shown).max(2) + 1);
    let end = if shown.ends_with('\n') { "" } else { "\n" };
    Content::new(ContentBlock::text(format!("{fence}\n{cut}{shown}{end}{fence}")))
}

/// Returns the length of the longest row of backticks, which would end a shorter fence.
fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or_default()
}
