//! Permission asked at the terminal.

use std::collections::VecDeque;
use std::io::{self, BufRead, Write};

use acp_client::v1::{PermissionOptionKind, RequestPermissionRequest};
use acp_client::{Choice, PermissionPolicy};
use tokio::sync::{mpsc, oneshot};

use crate::args::Allow;
use crate::render::Renderer;
use crate::style::Look;

/// The permission requests of the agent: answered as the user said beforehand, or asked one at a time. Either way they
/// are shown, in their place among the events.
pub(crate) struct Desk {
    incoming: mpsc::Receiver<Question>,
    waiting: VecDeque<Question>,
    /// The answer to all of them; `None` asks.
    standing: Option<Choice>,
    lines: Lines,
    /// Whether the first question that waits has been printed.
    asked: bool,
    allowed: usize,
}

struct Question {
    request: RequestPermissionRequest,
    answer: oneshot::Sender<Choice>,
}

impl Desk {
    /// A desk, and the policy that brings the agent's questions to it.
    pub(crate) fn new(allow: Allow) -> (Self, PermissionPolicy) {
        let (bring, incoming) = mpsc::channel::<Question>(16);
        let policy = PermissionPolicy::ask(move |request| {
            let bring = bring.clone();
            async move {
                let (answer, chosen) = oneshot::channel();
                if bring.send(Question { request, answer }).await.is_err() {
                    return Choice::Cancel;
                }
                chosen.await.unwrap_or(Choice::Cancel)
            }
        });
        let standing = match allow {
            Allow::Once => Some(Choice::AllowOnce),
            Allow::Always => Some(Choice::AllowAlways),
            Allow::Reject => Some(Choice::RejectOnce),
            Allow::Ask => None,
        };
        let waiting = VecDeque::new();
        (Self { incoming, waiting, standing, lines: Lines::default(), asked: false, allowed: 0 }, policy)
    }

    /// How many requests have been allowed.
    pub(crate) const fn allowed(&self) -> usize {
        self.allowed
    }

    /// Waits for something to do: a new question, or a line for the one that is open. Dropping the future loses
    /// nothing.
    pub(crate) async fn attend<W: Write>(&mut self, screen: &mut Renderer<W>) -> io::Result<()> {
        self.forget_withdrawn(screen)?;
        if let Some(question) = self.waiting.front() {
            if !self.asked {
                print(screen, &question.request)?;
                self.asked = true;
            }
            self.lines.want();
        }
        tokio::select! {
            Some(question) = self.incoming.recv() => match self.standing.clone() {
                Some(choice) => {
                    screen.tool_update(&question.request.tool_call)?;
                    self.settle(question, choice, screen)?;
                }
                None => self.waiting.push_back(question),
            },
            Some(line) = self.lines.next(), if self.asked => self.answer(line.as_deref(), screen)?,
            () = withdrawn(self.waiting.front_mut()) => {}
        }
        Ok(())
    }

    fn answer<W: Write>(&mut self, line: Option<&str>, screen: &mut Renderer<W>) -> io::Result<()> {
        let Some(question) = self.waiting.pop_front() else { return Ok(()) };
        self.asked = false;
        // At the end of the input nobody is there to allow anything.
        let choice = match line {
            Some(line) => {
                screen.answered();
                read_choice(line, &question.request)
            }
            None => Some(Choice::RejectOnce),
        };
        match choice {
            Some(choice) => self.settle(question, choice, screen),
            None => {
                self.waiting.push_front(question);
                screen.line(Look::Yellow, "that is none of the answers")
            }
        }
    }

    /// Answers a question and says so.
    fn settle<W: Write>(
        &mut self,
        question: Question,
        choice: Choice,
        screen: &mut Renderer<W>,
    ) -> io::Result<()> {
        let request = &question.request;
        let outcome = choice.among(request);
        let option = request.options.iter().find(|option| Some(&option.option_id) == outcome.option());
        let answer = option.map_or("no answer fits: cancelled", |option| option.name.as_str());
        screen.line(Look::Yellow, &format!("permission: {}: {answer}", subject(request)))?;
        if option.is_some_and(|option| {
            matches!(option.kind, PermissionOptionKind::AllowOnce | PermissionOptionKind::AllowAlways)
        }) {
            self.allowed += 1;
        }
        // It may have been withdrawn just now.
        let _ = question.answer.send(choice);
        Ok(())
    }

    fn forget_withdrawn<W: Write>(&mut self, screen: &mut Renderer<W>) -> io::Result<()> {
        while self.waiting.front().is_some_and(|question| question.answer.is_closed()) {
            self.waiting.pop_front();
            if std::mem::take(&mut self.asked) {
                screen.line(Look::Dim, "the question was withdrawn")?;
            }
        }
        Ok(())
    }
}

async fn withdrawn(question: Option<&mut Question>) {
    match question {
        Some(question) => question.answer.closed().await,
        None => std::future::pending().await,
    }
}

/// What the request is about.
fn subject(request: &RequestPermissionRequest) -> &str {
    request.tool_call.title.as_deref().unwrap_or(request.tool_call.tool_call_id.as_str())
}

fn print<W: Write>(screen: &mut Renderer<W>, request: &RequestPermissionRequest) -> io::Result<()> {
    // Some agents ask about calls that they have not reported: nobody is to consent to a change unseen.
    screen.tool_update(&request.tool_call)?;
    screen.line(Look::Yellow, &format!("permission: {}", subject(request)))?;
    for (index, option) in request.options.iter().enumerate() {
        let letter = letter(&option.kind).map(|letter| format!(" or {letter}")).unwrap_or_default();
        screen.line(Look::Plain, &format!("  {}{letter}  {}", index + 1, option.name))?;
    }
    screen.ask("answer:")
}

/// The key of a kind of answer; options of the same kind are told apart by number.
fn letter(kind: &PermissionOptionKind) -> Option<&'static str> {
    match kind {
        PermissionOptionKind::AllowOnce => Some("y"),
        PermissionOptionKind::AllowAlways => Some("a"),
        PermissionOptionKind::RejectOnce => Some("n"),
        PermissionOptionKind::RejectAlways => Some("never"),
        _ => None,
    }
}

/// What a typed line means; an empty one is a no.
fn read_choice(line: &str, request: &RequestPermissionRequest) -> Option<Choice> {
    match line.trim().to_lowercase().as_str() {
        "y" | "yes" => Some(Choice::AllowOnce),
        "a" | "always" => Some(Choice::AllowAlways),
        "n" | "no" | "" => Some(Choice::RejectOnce),
        "never" => Some(Choice::RejectAlways),
        number => {
            let index = number.parse::<usize>().ok()?.checked_sub(1)?;
            Some(Choice::Option(request.options.get(index)?.option_id.clone()))
        }
    }
}

/// Lines of stdin, read on a thread of their own and only when one is wanted: reading cannot be interrupted.
#[derive(Default)]
struct Lines {
    reading: Option<oneshot::Receiver<Option<String>>>,
}

impl Lines {
    fn want(&mut self) {
        if self.reading.is_none() {
            let (tell, line) = oneshot::channel();
            std::thread::spawn(move || {
                let mut line = String::new();
                let read = io::stdin().lock().read_line(&mut line);
                // The program may be over by now.
                let _ = tell.send(matches!(read, Ok(bytes) if bytes > 0).then_some(line));
            });
            self.reading = Some(line);
        }
    }

    /// `Some(None)` at the end of the input; `None` when no line was wanted.
    async fn next(&mut self) -> Option<Option<String>> {
        let line = self.reading.as_mut()?.await;
        self.reading = None;
        Some(line.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use acp_client::v1::{PermissionOption, ToolCallUpdate};

    use super::*;

    #[test]
    fn lines_are_read_by_letter_word_and_number() {
        let request = RequestPermissionRequest::new(
            "s",
            ToolCallUpdate::new("c"),
            [
                PermissionOption::new("no", "No", PermissionOptionKind::RejectOnce),
                PermissionOption::new("yes", "Yes", PermissionOptionKind::AllowOnce),
            ],
        );
        for (line, wants) in [
            ("y\n", Some(Choice::AllowOnce)),
            (" Always \n", Some(Choice::AllowAlways)),
            ("\n", Some(Choice::RejectOnce)),
            ("n", Some(Choice::RejectOnce)),
            ("never", Some(Choice::RejectAlways)),
            ("2\n", Some(Choice::Option("yes".into()))),
            ("0", None),
            ("3", None),
            ("what?", None),
        ] {
            assert_eq!(read_choice(line, &request), wants, "{line:?}");
        }
    }
}
