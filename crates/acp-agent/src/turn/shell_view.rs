//! The output of a child process as text in a tool call.

use std::time::Duration;

use acp_process::Scrollback;
use acp_types::v1::{Content, ContentBlock};
use tokio::time::{Instant, sleep_until};

use crate::error::Result;
use crate::turn::tool::RunningTool;

/// The time between two reports of output.
const PACE: Duration = Duration::from_millis(250);
/// The most output that is shown, in bytes.
const SHOWN: usize = 16 * 1024;

/// The view of a command's output in a tool call, if there is one.
pub(super) struct View<'a> {
    tool: Option<&'a mut RunningTool>,
    /// The time of the next report, if there is something to report.
    due: Option<Instant>,
}

impl<'a> View<'a> {
    pub(super) const fn of(tool: &'a mut RunningTool) -> Self {
        View { tool: Some(tool), due: None }
    }

    /// Makes the view of a command that nobody sees.
    pub(super) const fn none() -> Self {
        View { tool: None, due: None }
    }

    /// Takes note of new output. It is reported with what comes within the next moment.
    pub(super) fn changed(&mut self) {
        if self.tool.is_some() {
            self.due.get_or_insert_with(|| Instant::now() + PACE);
        }
    }

    /// Waits until there is something to report. Dropping the future loses nothing.
    pub(super) async fn is_due(&self) {
        match self.due {
            Some(due) => sleep_until(due).await,
            None => std::future::pending().await,
        }
    }

    /// Reports the output so far. It waits while the client does not read.
    pub(super) async fn show(&mut self, output: &Scrollback) -> Result<()> {
        self.due = None;
        match &self.tool {
            Some(tool) => tool.show(content(output)).await,
            None => Ok(()),
        }
    }

    /// Reports the last output for good, even if the turn was cancelled meanwhile.
    pub(super) async fn end(&mut self, output: &Scrollback) -> Result<()> {
        match &mut self.tool {
            Some(tool) if !output.is_empty() => tool.last_content(content(output)).await,
            _ => Ok(()),
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
