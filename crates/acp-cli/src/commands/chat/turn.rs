//! A turn of a chat.

use acp_client::sanitize::{self, strip_ansi};
use acp_client::v1::{ContentBlock, StopReason};
use acp_client::{Error, Session, Turn};

use crate::commands::chat::Chat;
use crate::commands::chat::mentioned::mentioned;
use crate::commands::prompt::attached::Prompt;
use crate::commands::prompt::open::failed;
use crate::commands::prompt::run::{Halt, Run};
use crate::commands::prompt::{INTERRUPT_GRACE, UNREAD};
use crate::interrupt::Interrupt;
use crate::outcome::exit;
use crate::render::text::usage;
use crate::style::Look;

/// The most names that are told to be only text. Code has many of them.
const TOLD: usize = 5;

impl Chat<'_> {
    /// Sends a text with the files that it names, and shows the turn.
    pub(super) async fn prompt(&mut self, session: &Session, text: String) -> Result<(), Halt> {
        let found = mentioned(&text, &self.files);
        for (name, why) in found.left_out.iter().take(TOLD) {
            self.run.screen.line(Look::Dim, &format!("{name} is only text: {why}"))?;
        }
        if let more @ 1.. = found.left_out.len().saturating_sub(TOLD) {
            self.run.screen.line(Look::Dim, &format!("… and {more} more"))?;
        }
        let read = self.run.attend(Prompt::typed(text, found.files), None).await?;
        let is_remote = self.args.agent.is_remote();
        let blocks = read.and_then(|prompt| prompt.into_blocks(&self.agent, is_remote));
        let blocks: Vec<ContentBlock> = blocks.map_err(Halt::Failed)?;
        let turn = self.run.attend(session.prompt(blocks), None).await?;
        self.show(turn.map_err(failed)?).await
    }

    /// Shows a turn until its end. Ctrl-C and `/cancel` cancel it, and another Ctrl-C gives up
    /// waiting. Other lines are kept for the next prompt.
    async fn show(&mut self, mut turn: Turn) -> Result<(), Halt> {
        let mut is_stopping = false;
        let run = &mut self.run;
        loop {
            run.screen.move_to(&mut run.output);
            let is_written = run.output.is_written();
            let takes_lines = self.editor.is_some() && !self.is_input_over;
            // Both attend to questions. A line that is for none of them may be a command.
            let attend = async {
                match takes_lines {
                    true => run.desk.line(&mut run.screen).await,
                    false => run.desk.attend(&mut run.screen).await.map(|()| None),
                }
            };
            tokio::select! {
                biased;
                interrupt = run.interrupts.next() => {
                    if is_stopping || interrupt == Interrupt::End {
                        run.screen.line(Look::Yellow, "not waiting any longer")?;
                        return Err(Halt::Interrupted(Interrupt::End));
                    }
                    is_stopping = true;
                    cancel(run, &turn)?;
                }
                _ = run.limits.reached() => {
                    run.screen.line(Look::Yellow, "not waiting any longer")?;
                    return Err(Halt::Interrupted(Interrupt::End));
                }
                flushed = run.output.flush(), if !is_written => flushed?,
                event = turn.next(), if is_written || is_stopping => match event {
                    Some(event) if run.output.len() < UNREAD => {
                        self.known.note(&event);
                        run.screen.event(&event)?;
                    }
                    Some(event) => self.known.note(&event),
                    None => break,
                },
                typed = attend, if is_written => match typed? {
                    None => {}
                    Some(None) => self.is_input_over = true,
                    Some(Some(line)) if line.trim() == "/cancel" => {
                        let was_stopping = std::mem::replace(&mut is_stopping, true);
                        if !was_stopping {
                            cancel(run, &turn)?;
                        }
                    }
                    Some(Some(line)) => add(&mut self.draft, &line),
                },
            }
        }
        run.limits.replace(None);
        let done = turn.finish().await.map_err(failed);
        run.screen.end_line()?;
        let done = done?;
        let code = if done.stop_reason == StopReason::EndTurn { exit::DONE } else { exit::ERROR };
        run.screen.ended(&done, code)?;
        if std::mem::take(&mut self.known.is_usage_new)
            && let Some(update) = &self.known.usage
        {
            run.screen.line(Look::Dim, &usage(update))?;
        }
        Ok(())
    }
}

/// Adds a typed line to the beginning of the next prompt. Keys without a letter, such as arrows,
/// are left out.
pub(super) fn add(draft: &mut String, line: &str) {
    if !draft.is_empty() {
        draft.push('\n');
    }
    draft.push_str(&sanitize::line(&strip_ansi(line)));
}

fn cancel(run: &mut Run, turn: &Turn) -> Result<(), Halt> {
    run.limits.replace(Some(INTERRUPT_GRACE));
    run.screen.line(Look::Yellow, "cancelling; press Ctrl-C again to end the chat")?;
    match turn.cancel() {
        // The end of the turn tells that the connection is over.
        Ok(()) | Err(Error::Closed { .. }) => Ok(()),
        Err(error) => Err(Halt::Failed(error.into())),
    }
}
