//! Questions of a turn that the user has not answered yet.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

use acp_agent::{Client, Error, Result, Turn};

use super::session::Question;

/// The open questions, in the order in which they were asked.
#[derive(Default)]
pub(super) struct Asking {
    open: Vec<Pin<Box<dyn Future<Output = ()> + Send>>>,
}

impl Asking {
    pub(super) fn add(&mut self, question: Question, turn: &Turn) {
        let turn = turn.clone();
        self.open.push(Box::pin(async move { ask(question, Some(&turn), turn.client()).await }));
    }

    /// Lets the questions go on that are open at the end of their turn: work that goes on behind it
    /// has asked them.
    pub(super) fn outlive(self) {
        self.open.into_iter().for_each(|question| drop(tokio::spawn(question)));
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Goes on with all questions until one of them is done.
    pub(super) async fn next(&mut self) {
        poll_fn(|cx| {
            let before = self.open.len();
            self.open.retain_mut(|question| question.as_mut().poll(cx).is_pending());
            if self.open.len() < before { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }
}

/// Asks the user, and gives the answer to the agent. The question ends when the agent withdraws it.
pub(super) async fn ask(question: Question, turn: Option<&Turn>, client: &Client) {
    match question {
        Question::Permission(request, mut answer) => {
            let asked = async {
                let of_turn = async |turn: &Turn| turn.request_permission(&request).await;
                in_turn(turn, of_turn, async || client.request_permission(&request).await).await
            };
            if let Some(answered) = unless_withdrawn(answer.closed(), asked).await {
                let _ = answer.send(answered);
            }
        }
        Question::Elicit(request, mut answer) => {
            let asked = async {
                let of_turn = async |turn: &Turn| turn.elicit_with(&request).await;
                in_turn(turn, of_turn, async || client.elicit_with(&request).await).await
            };
            if let Some(answered) = unless_withdrawn(answer.closed(), asked).await {
                let _ = answer.send(answered);
            }
        }
    }
}

/// Asks in the turn, and once more outside of it if the turn ends without an answer. A question of
/// a turn that is cancelled is over.
async fn in_turn<T>(
    turn: Option<&Turn>,
    of_turn: impl AsyncFnOnce(&Turn) -> Result<T>,
    outside: impl AsyncFnOnce() -> Result<T>,
) -> Result<T> {
    let Some(turn) = turn else { return outside().await };
    match of_turn(turn).await {
        Err(Error::TurnOver) if !turn.cancel().is_cancelled() => outside().await,
        answer => answer,
    }
}

/// Returns the answer, or `None` if nobody waits for it any more.
async fn unless_withdrawn<T>(
    withdrawn: impl Future<Output = ()>,
    asked: impl Future<Output = Result<T>>,
) -> Option<Result<T>> {
    tokio::select! {
        biased;
        () = withdrawn => None,
        answered = asked => Some(answered),
    }
}

/// Returns true for the error of a question that was cancelled with its turn.
pub(super) const fn is_cancelled(error: &Error) -> bool {
    matches!(error, Error::Cancelled | Error::TurnOver)
}
