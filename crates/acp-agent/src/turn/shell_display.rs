//! A child process as a terminal that the client shows.

use acp_process::Exit;
use acp_types::v1::TerminalId;
use acp_types::v1::ext::unique_id;

use crate::error::Result;
use crate::turn::Turn;
use crate::turn::command_end;
use crate::turn::shell::Shell;
use crate::turn::tool::RunningTool;
use crate::updates::cancellable::{Cancellable, Offered};
use crate::wire::entity::Entity;
use crate::wire::terminal::TerminalChange;

/// The most bytes of output between two reports. If there are more, the last ones take the place of
/// all earlier output.
const SHOWN: usize = 64 * 1024;

/// A terminal that the client shows. Its drop reports an end that nobody knows.
pub(super) struct Display {
    turn: Turn,
    id: TerminalId,
    /// The bytes that are not reported yet. They may begin and end within a character.
    pending: Vec<u8>,
    /// Set if some of them were lost.
    has_lost: bool,
    offered: Offered,
    cancel: Option<Cancellable>,
    has_ended: bool,
}

impl Display {
    /// Opens the terminal, shows it in the tool call, and lets the client cancel the command.
    pub(super) async fn open(tool: &mut RunningTool, shell: &Shell) -> Result<Self> {
        let turn = tool.turn().clone();
        let id = TerminalId::from(unique_id("term"));
        let mut display = Display {
            turn,
            id,
            pending: Vec::new(),
            has_lost: false,
            offered: Offered::default(),
            cancel: None,
            // Until the client knows the terminal.
            has_ended: true,
        };
        let command = command_end::line(&shell.program, &shell.args);
        let cwd = shell.directory();
        display
            .report(&display.turn, &TerminalChange::Opened { command: &command, cwd: cwd.to_str() })
            .await?;
        display.has_ended = false;
        if let Some(content) = display.turn.client().wire().terminal_content(&display.id) {
            tool.content(content).await?;
        }
        display.cancel = Some(display.offer().await?);
        Ok(display)
    }

    async fn offer(&self) -> Result<Cancellable> {
        let turn = self.turn.clone();
        let send = |update| self.turn.update(update);
        let tell = move |update: &_| turn.update_now(update);
        let wire = self.turn.session_updates().wire();
        self.offered.offer(wire, Entity::Terminal(self.id.clone()), send, tell).await
    }

    pub(super) fn printed(&mut self, bytes: &[u8]) {
        self.pending.extend_from_slice(bytes);
        let excess = self.pending.len().saturating_sub(SHOWN);
        if excess > 0 {
            self.pending.drain(..excess);
            self.has_lost = true;
        }
    }

    /// Waits until the client cancels the command.
    pub(super) async fn cancelled(&self) {
        match &self.cancel {
            Some(cancel) => cancel.cancelled().await,
            None => std::future::pending().await,
        }
    }

    /// Reports the output since the last report.
    pub(super) async fn show(&mut self) -> Result<()> {
        let turn = self.turn.clone();
        self.show_in(&turn).await
    }

    async fn show_in(&mut self, turn: &Turn) -> Result<()> {
        let pending = std::mem::take(&mut self.pending);
        if pending.is_empty() {
            return Ok(());
        }
        let has_lost = std::mem::take(&mut self.has_lost);
        let change =
            if has_lost { TerminalChange::Replaced(&pending) } else { TerminalChange::Printed(&pending) };
        self.report(turn, &change).await
    }

    /// Reports the last output and the end, even if the turn was cancelled meanwhile.
    pub(super) async fn end(&mut self, exit: &Exit) -> Result<()> {
        let turn = self.turn.without_cancel();
        self.show_in(&turn).await?;
        self.offered.withdraw();
        let exit_code = exit.status.map(i64::from);
        let signal = exit.signal_name();
        self.report(&turn, &TerminalChange::Ended { exit_code, signal: signal.as_deref() }).await?;
        self.has_ended = true;
        Ok(())
    }

    async fn report(&self, turn: &Turn, change: &TerminalChange<'_>) -> Result<()> {
        match turn.client().wire().terminal(&self.id, change) {
            Some(update) => turn.update(update).await,
            None => Ok(()),
        }
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        if self.has_ended {
            return;
        }
        self.offered.withdraw();
        let end = TerminalChange::Ended { exit_code: None, signal: None };
        if let Some(update) = self.turn.client().wire().terminal(&self.id, &end) {
            self.turn.update_now(&update);
        }
    }
}
