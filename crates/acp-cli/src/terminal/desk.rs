//! One question after the other.

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::io;
use std::task::Poll;

use acp_client::Choice;
use tokio::sync::mpsc;

use super::asker::{Asker, Dialog, Step, Withdrawn};
use super::keyboard::Keyboard;
use super::screen::{Screen, Tone};

/// How often a line may be no answer before that is a no: a program that writes the lines would go on for ever.
const TRIES: usize = 10;

/// The questions of an agent: answered as the user said beforehand, or asked one at a time. Either way they are shown.
///
/// Only what is typed after a question was shown counts, for that question. What came before it, on a terminal or
/// through a pipe, is dropped; so is what was begun for a question that is withdrawn.
pub struct Desk {
    incoming: mpsc::Receiver<Box<dyn Dialog>>,
    waiting: VecDeque<Box<dyn Dialog>>,
    /// The answer to all permission requests; `None` asks.
    standing: Option<Choice>,
    /// Whether there is somebody to ask.
    has_user: bool,
    keyboard: Keyboard,
    stage: Stage,
    tries: usize,
    allowed: usize,
}

/// How far the first question that waits has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Waiting,
    /// Written, and perhaps not seen yet.
    Printed,
    /// On the screen, with what stands before the answer: from now on lines are for it.
    Shown,
}

impl Desk {
    /// A desk, and what brings questions to it. With a `standing` answer no permission is asked for. Without a user to
    /// ask, permissions are rejected, and forms and pages declined.
    #[must_use]
    pub fn new(standing: Option<Choice>, has_user: bool) -> (Self, Asker) {
        let (bring, incoming) = mpsc::channel(16);
        let desk = Self {
            incoming,
            waiting: VecDeque::new(),
            standing: standing.clone(),
            has_user,
            keyboard: Keyboard::default(),
            stage: Stage::Waiting,
            tries: 0,
            allowed: 0,
        };
        (desk, Asker { bring, standing })
    }

    /// How many permissions have been given.
    #[must_use]
    pub const fn allowed(&self) -> usize {
        self.allowed
    }

    /// Waits for something to do, and does it: a new question, or a line for the one that is open. What it has written to
    /// `screen` when it returns has to be shown before it is called again. Dropping the future loses nothing.
    ///
    /// # Errors
    /// The screen cannot be written to.
    pub async fn attend(&mut self, screen: &mut impl Screen) -> io::Result<()> {
        self.next(screen, false).await.map(|_| ())
    }

    /// [Attends](Self::attend), and takes a line that is for no question: `Some(None)` is the end of the input.
    ///
    /// # Errors
    /// The screen cannot be written to.
    pub async fn line(&mut self, screen: &mut impl Screen) -> io::Result<Option<Option<String>>> {
        self.next(screen, true).await
    }

    async fn next(
        &mut self,
        screen: &mut impl Screen,
        wants_lines: bool,
    ) -> io::Result<Option<Option<String>>> {
        self.drop_withdrawn(screen).await?;
        if let Some(question) = self.waiting.front_mut() {
            let is_decided = question.takes_standing_answers() && self.standing.is_some();
            match self.stage {
                Stage::Waiting if is_decided || !self.has_user => {
                    question.settle(self.standing.clone(), screen)?;
                    self.end_question();
                    return Ok(None);
                }
                Stage::Waiting => {
                    question.print(screen)?;
                    self.stage = Stage::Printed;
                    return Ok(None);
                }
                Stage::Printed => {
                    // Before the user is told to type, so that nothing is dropped that was typed when told so.
                    self.keyboard.forget();
                    screen.ask(&question.prompt())?;
                    self.stage = Stage::Shown;
                    return Ok(None);
                }
                Stage::Shown => {}
            }
        }
        let is_open = !self.waiting.is_empty();
        tokio::select! {
            Some(asked) = self.incoming.recv() => self.waiting.push_back(asked),
            () = Withdrawn(self.waiting.front_mut()) => {}
            line = self.keyboard.line(), if is_open || wants_lines => {
                if !is_open {
                    return Ok(Some(line));
                }
                self.answer(line.as_deref(), screen)?;
            }
        }
        Ok(None)
    }

    fn answer(&mut self, line: Option<&str>, screen: &mut impl Screen) -> io::Result<()> {
        let Some(question) = self.waiting.front_mut() else { return Ok(()) };
        self.tries += 1;
        let line = line.filter(|_| self.tries <= TRIES);
        if line.is_some() {
            screen.answered();
        }
        match question.take(line, screen)? {
            Step::Done => self.end_question(),
            Step::Next => self.stage = Stage::Waiting,
            // What was typed since is for the same question.
            Step::Again => screen.ask(&question.prompt())?,
        }
        Ok(())
    }

    fn end_question(&mut self) {
        self.stage = Stage::Waiting;
        self.tries = 0;
        let ended = self.waiting.pop_front();
        self.allowed += usize::from(ended.is_some_and(|question| question.is_allowed()));
    }

    async fn drop_withdrawn(&mut self, screen: &mut impl Screen) -> io::Result<()> {
        while let Some(question) = self.waiting.front_mut() {
            if !poll_fn(|cx| Poll::Ready(question.poll_withdrawn(cx).is_ready())).await {
                break;
            }
            let stage = self.stage;
            self.end_question();
            if stage != Stage::Waiting {
                // The beginning of an answer must not become the beginning of something else.
                self.keyboard.forget();
                screen.line(Tone::Quiet, "the question was withdrawn")?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Desk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Desk")
            .field("waiting", &self.waiting.len())
            .field("stage", &self.stage)
            .finish_non_exhaustive()
    }
}
