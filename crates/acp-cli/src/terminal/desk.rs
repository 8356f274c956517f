//! The desk: it asks one question after the other.

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::io;
use std::task::Poll;

use acp_client::PermissionAnswer;
use tokio::sync::mpsc;

use super::asker::{Asker, Dialog, Step, Withdrawn};
use super::keyboard::Keyboard;
use super::screen::{Screen, Tone};

/// The number of wrong answers that count as a no. A program that writes the lines would go on for
/// ever.
const TRIES: usize = 10;

/// The questions of an agent. A standing answer settles them, or the user is asked, one question at
/// a time. All are shown.
///
/// Only input that is typed after a question was shown counts for that question. Earlier input is
/// dropped, on a terminal and through a pipe. So is a line that was begun for a question that is
/// withdrawn.
pub struct Desk {
    incoming: mpsc::Receiver<Box<dyn Dialog>>,
    waiting: VecDeque<Box<dyn Dialog>>,
    /// The standing answer to all permission requests. `None` means to ask.
    standing: Option<PermissionAnswer>,
    /// True if a user can be asked.
    has_user: bool,
    keyboard: Keyboard,
    stage: Stage,
    tries: usize,
    allowed: usize,
    /// The permissions that were rejected without a question to the user.
    turned_down: usize,
}

/// The progress of the first question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Waiting,
    /// It is written, and the user may not have seen it.
    Printed,
    /// It is on the screen, with the text before the answer. From now on lines are for it.
    Shown,
}

impl Desk {
    /// Makes a desk, and the asker that brings questions to it. With a `standing` answer nobody is
    /// asked for permission. Without a user, permissions are rejected, and forms and pages
    /// declined.
    #[must_use]
    pub fn new(standing: Option<PermissionAnswer>, has_user: bool) -> (Self, Asker) {
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
            turned_down: 0,
        };
        (desk, Asker { bring, standing })
    }

    /// Returns the number of permissions that have been given.
    #[must_use]
    pub const fn allowed(&self) -> usize {
        self.allowed
    }

    /// Returns the number of permissions that were rejected without a question to the user.
    #[must_use]
    pub const fn turned_down(&self) -> usize {
        self.turned_down
    }

    /// Waits until there is a question, and leaves it for [`attend`](Self::attend). Dropping the
    /// future loses nothing.
    pub async fn asked(&mut self) {
        if self.waiting.is_empty() {
            match self.incoming.recv().await {
                Some(asked) => self.waiting.push_back(asked),
                None => std::future::pending().await,
            }
        }
    }

    /// Returns true if a question waits for an answer, also if it has come only now.
    #[must_use]
    pub fn is_asked(&mut self) -> bool {
        if self.waiting.is_empty()
            && let Ok(asked) = self.incoming.try_recv()
        {
            self.waiting.push_back(asked);
        }
        !self.waiting.is_empty()
    }

    /// Returns the next line that was typed, and leaves all questions as they are. `None` is the
    /// end of the input. Dropping the future loses nothing.
    pub async fn typed(&mut self) -> Option<String> {
        self.keyboard.line().await
    }

    /// Returns true if the next question is one for the user.
    #[must_use]
    pub fn needs_user(&self) -> bool {
        let next = self.waiting.front();
        self.has_user && next.is_some_and(|next| !next.takes_standing_answers() || self.standing.is_none())
    }

    /// Waits for something to do and does it: a new question, or a line for the current one. When
    /// it returns, show what it has written to `screen` before you call it again. Dropping the
    /// future loses nothing.
    ///
    /// # Errors
    /// Fails if the screen cannot be written to.
    pub async fn attend(&mut self, screen: &mut impl Screen) -> io::Result<()> {
        self.next(screen, false).await.map(|_| ())
    }

    /// [Attends](Self::attend), and returns a line that is for no question. `Some(None)` is the end
    /// of the input.
    ///
    /// # Errors
    /// Fails if the screen cannot be written to.
    pub async fn line(&mut self, screen: &mut impl Screen) -> io::Result<Option<Option<String>>> {
        self.next(screen, true).await
    }

    async fn next(
        &mut self,
        screen: &mut impl Screen,
        wants_lines: bool,
    ) -> io::Result<Option<Option<String>>> {
        if self.drop_withdrawn(screen).await? {
            return Ok(None);
        }
        if let Some(question) = self.waiting.front_mut() {
            let is_decided = question.takes_standing_answers() && self.standing.is_some();
            match self.stage {
                Stage::Waiting if is_decided || !self.has_user => {
                    question.settle(self.standing.clone(), screen)?;
                    let is_no = question.takes_standing_answers() && !question.is_allowed();
                    self.turned_down += usize::from(is_no);
                    self.end_question();
                    return Ok(None);
                }
                Stage::Waiting => {
                    question.print(screen)?;
                    self.stage = Stage::Printed;
                    return Ok(None);
                }
                Stage::Printed => {
                    // Earlier input is dropped before the user is told to type, so that a quick
                    // answer is kept.
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
            // Input that was typed since is for the repeated question.
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

    /// Drops the first questions if they are withdrawn. Returns true if one was.
    async fn drop_withdrawn(&mut self, screen: &mut impl Screen) -> io::Result<bool> {
        let before = self.waiting.len();
        while let Some(question) = self.waiting.front_mut() {
            if !poll_fn(|cx| Poll::Ready(question.poll_withdrawn(cx).is_ready())).await {
                break;
            }
            let stage = self.stage;
            self.end_question();
            if stage != Stage::Waiting {
                // The beginning of an answer must not become the beginning of another line.
                self.keyboard.forget();
                screen.line(Tone::Quiet, "the question was withdrawn")?;
            }
        }
        Ok(self.waiting.len() < before)
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
