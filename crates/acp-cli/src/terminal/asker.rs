//! The way of a question to the desk.

use std::pin::Pin;
use std::task::{Context, Poll};

use acp_client::{Elicitation, ElicitationAnswer, PermissionAnswer, PermissionPolicy};
use tokio::sync::{mpsc, oneshot};

use super::form::FormDialog;
use super::page::PageDialog;
use super::permission::PermissionDialog;
use super::screen::Screen;

/// The next step after a line was typed.
pub(super) enum Step {
    /// The question is answered.
    Done,
    /// Another question follows.
    Next,
    /// The line was not an answer, so the question is asked again.
    Again,
}

/// One question, from its first line to its answer.
pub(super) trait Dialog: Send {
    /// Shows the question.
    fn print(&mut self, screen: &mut dyn Screen) -> std::io::Result<()>;

    /// Returns the text before the line that is typed.
    fn prompt(&self) -> String;

    /// Takes the line that was typed. `None` is the end of the input: nobody is left to consent.
    fn take(&mut self, line: Option<&str>, screen: &mut dyn Screen) -> std::io::Result<Step>;

    /// Answers without asking, with the standing answer or because nobody can be asked.
    fn settle(&mut self, standing: Option<PermissionAnswer>, screen: &mut dyn Screen) -> std::io::Result<()>;

    /// Returns true if the standing answer applies to this question.
    fn takes_standing_answers(&self) -> bool {
        false
    }

    /// Returns true if the answer was a yes.
    fn is_allowed(&self) -> bool {
        false
    }

    /// Becomes ready when nobody waits for the answer any more.
    fn poll_withdrawn(&mut self, cx: &mut Context<'_>) -> Poll<()>;
}

/// Brings the agent's questions to a [`Desk`](super::Desk).
#[derive(Clone, Debug)]
pub struct Asker {
    pub(super) bring: mpsc::Sender<Box<dyn Dialog>>,
    pub(super) standing: Option<PermissionAnswer>,
}

impl Asker {
    /// Returns the policy for permission requests. After the desk is gone, its standing answer
    /// still applies. Without a standing answer permissions are rejected.
    #[must_use]
    pub fn permissions(&self) -> PermissionPolicy {
        let (bring, standing) = (self.bring.clone(), self.standing.clone());
        PermissionPolicy::ask(move |request| {
            let (bring, otherwise) = (bring.clone(), standing.clone().unwrap_or(PermissionAnswer::Cancelled));
            async move { ask(&bring, |answer| PermissionDialog::new(request, answer)).await.unwrap_or(otherwise) }
        })
    }

    /// Returns the handlers of the forms and pages that the agent shows the user.
    #[must_use]
    pub fn elicitation(&self) -> Elicitation {
        let (forms, pages) = (self.bring.clone(), self.bring.clone());
        Elicitation::new()
            .form(move |form| {
                let forms = forms.clone();
                async move {
                    let answer = ask(&forms, |answer| FormDialog::new(form, answer)).await;
                    answer.unwrap_or(ElicitationAnswer::Cancel)
                }
            })
            .url(move |page| {
                let pages = pages.clone();
                async move {
                    let answer = ask(&pages, |answer| PageDialog::new(page, answer)).await;
                    answer.unwrap_or(ElicitationAnswer::Cancel)
                }
            })
    }
}

async fn ask<A, D: Dialog + 'static>(
    bring: &mpsc::Sender<Box<dyn Dialog>>,
    dialog: impl FnOnce(Answer<A>) -> D,
) -> Option<A> {
    let (answer, given) = oneshot::channel();
    bring.send(Box::new(dialog(Answer(Some(answer))))).await.ok()?;
    given.await.ok()
}

/// The receiver of an answer.
pub(super) struct Answer<A>(Option<oneshot::Sender<A>>);

impl<A> Answer<A> {
    pub(super) fn give(&mut self, answer: A) {
        if let Some(waiting) = self.0.take() {
            // The question may have been withdrawn just now.
            let _ = waiting.send(answer);
        }
    }

    pub(super) fn poll_withdrawn(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.0.as_mut().map_or(Poll::Ready(()), |answer| answer.poll_closed(cx))
    }
}

/// Waits until nobody waits for the answer to this question.
pub(super) struct Withdrawn<'a>(pub(super) Option<&'a mut Box<dyn Dialog>>);

impl Future for Withdrawn<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.0.as_mut().map_or(Poll::Pending, |dialog| dialog.poll_withdrawn(cx))
    }
}
