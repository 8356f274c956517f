//! The next line of the user, and what happens until he has typed it.

use acp_cli::terminal::Screen;
use acp_client::Session;

use crate::commands::chat::Chat;
use crate::commands::chat::input::Typed;
#[cfg(unix)]
use crate::commands::chat::turn::add;
use crate::commands::prompt::run::Halt;
use crate::interrupt::Interrupt;
#[cfg(unix)]
use crate::style::Look;

impl Chat<'_> {
    /// Reads a line. Events that come meanwhile are shown above it. Questions of the agent come
    /// before the line and after it, never while it is edited.
    pub(super) async fn line(&mut self, session: &Session) -> Result<Typed, Halt> {
        self.settle(session).await?;
        if self.is_input_over {
            return Ok(Typed::End);
        }
        let prompt = self.known.prompt(session);
        let typed = match self.editor.is_some() {
            true => self.edited(session, prompt).await?,
            false => self.plain(session, &prompt).await?,
        };
        self.run.output.add(&mut std::mem::take(&mut self.above).into_bytes());
        self.settle(session).await?;
        Ok(typed)
    }

    /// Writes everything, and asks the questions that are open.
    async fn settle(&mut self, session: &Session) -> Result<(), Halt> {
        loop {
            match self.run.settle().await {
                // The questions are withdrawn, and the work that they are about ends.
                Err(Halt::Interrupted(Interrupt::Cancel)) if self.run.desk.is_asked() => {
                    session.cancel().map_err(|error| Halt::Failed(error.into()))?;
                }
                Err(Halt::Interrupted(Interrupt::Cancel)) => {}
                settled => return settled,
            }
        }
    }

    /// Takes the lines that were typed before the prompt. The editor would take them as ended. A
    /// question that comes meanwhile waits for the end of the next line.
    #[cfg(unix)]
    async fn take_typed(&mut self) {
        loop {
            tokio::select! {
                biased;
                line = self.run.desk.typed() => match line {
                    Some(line) => add(&mut self.draft, &line),
                    None => {
                        self.is_input_over = true;
                        return;
                    }
                },
                () = std::future::ready(()) => return,
            }
        }
    }

    #[cfg(unix)]
    async fn edited(&mut self, session: &Session, prompt: String) -> Result<Typed, Halt> {
        self.take_typed().await;
        let Some(editor) = self.editor.as_mut().filter(|_| !self.is_input_over) else {
            return Ok(Typed::End);
        };
        let run = &mut self.run;
        let styled = self.style.paint(Look::Cyan, &prompt).to_string();
        editor.begin(prompt, styled, std::mem::take(&mut self.draft));
        let mut updates = session.updates();
        let (mut has_updates, mut is_announced) = (true, false);
        loop {
            tokio::select! {
                biased;
                interrupt = run.interrupts.next() => if interrupt == Interrupt::End {
                    return Err(Halt::Interrupted(interrupt));
                },
                reason = self.agent.wait() => {
                    return Err(Halt::Failed(format!("the agent has ended: {reason}").into()));
                }
                event = updates.next(), if has_updates => match event {
                    Some(event) => {
                        self.known.note(&event);
                        run.screen.event(&event)?;
                    }
                    None => has_updates = false,
                },
                typed = editor.typed() => return Ok(typed),
                () = run.desk.asked(), if !is_announced => {
                    if run.desk.needs_user() {
                        is_announced = true;
                        run.screen.line(Look::Yellow, "the agent has a question: press Enter to see it")?;
                    } else {
                        run.desk.attend(&mut run.screen).await?;
                    }
                }
            }
            self.above.push_str(&run.screen.take_lines());
            if !self.above.is_empty() && editor.show_above(&self.above) {
                self.above.clear();
            }
        }
    }

    #[cfg(not(unix))]
    async fn edited(&mut self, session: &Session, prompt: String) -> Result<Typed, Halt> {
        self.plain(session, &prompt).await
    }

    /// Reads a line of a terminal without an editor.
    async fn plain(&mut self, session: &Session, prompt: &str) -> Result<Typed, Halt> {
        let run = &mut self.run;
        Screen::ask(&mut run.screen, prompt.trim_end())?;
        let mut updates = session.updates();
        let mut has_updates = true;
        loop {
            run.screen.move_to(&mut run.output);
            let is_written = run.output.is_written();
            tokio::select! {
                biased;
                interrupt = run.interrupts.next() => {
                    run.screen.end_line()?;
                    return match interrupt {
                        Interrupt::Cancel => Ok(Typed::Dropped),
                        Interrupt::End => Err(Halt::Interrupted(interrupt)),
                    };
                }
                reason = self.agent.wait() => {
                    return Err(Halt::Failed(format!("the agent has ended: {reason}").into()));
                }
                flushed = run.output.flush(), if !is_written => flushed?,
                event = updates.next(), if has_updates => match event {
                    Some(event) => {
                        self.known.note(&event);
                        run.screen.event(&event)?;
                    }
                    None => has_updates = false,
                },
                line = run.desk.line(&mut run.screen), if is_written => match line? {
                    None => {}
                    Some(None) => return Ok(Typed::End),
                    Some(Some(line)) => {
                        run.screen.answered();
                        return Ok(Typed::Line(line));
                    }
                },
            }
        }
    }
}
