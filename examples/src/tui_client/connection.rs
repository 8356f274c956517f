//! The connection between the app and the agent.

use std::collections::BTreeMap;
use std::future::{pending, poll_fn};
use std::path::Path;
use std::task::Poll;

use acp_client::v1::RequestPermissionRequest;
use acp_client::{
    Connect, Error, Event, PermissionAnswer, PermissionPolicy, Session, Transcript, Turn, Updates,
};
use ratatui::layout::Size;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

use super::app::{App, Effect, Message, Phase};

/// A session of an agent: it gives messages and takes effects.
#[derive(Debug)]
pub struct Connection {
    /// `None` until the agent has opened it.
    session: Option<(Session, Updates)>,
    turn: Option<Turn>,
    questions: mpsc::Receiver<Asked>,
    /// The receivers of the answers, by the number of the question.
    open: BTreeMap<u64, oneshot::Sender<PermissionAnswer>>,
    asked: u64,
    /// Calls on their way. The screen does not wait for an agent.
    calls: JoinSet<Answered>,
    is_over: bool,
}

#[derive(Debug)]
struct Asked {
    request: Box<RequestPermissionRequest>,
    answer: oneshot::Sender<PermissionAnswer>,
}

#[derive(Debug)]
enum Answered {
    Opened(Result<Session, Error>),
    Prompt(Result<Box<Turn>, Error>),
    Call(Message),
}

impl Connection {
    /// Connects and opens a session. Both take time, in which the agent may already ask. Their
    /// result is a [`Message::Opened`].
    #[must_use]
    pub fn open(connect: Connect, cwd: &Path) -> Self {
        let (bring, questions) = mpsc::channel(1);
        let policy = PermissionPolicy::ask(move |request| {
            let bring = bring.clone();
            async move {
                let (answer, chosen) = oneshot::channel();
                let asked = Asked { request: Box::new(request), answer };
                // If nobody can be asked, the answer is not a consent.
                if bring.send(asked).await.is_err() {
                    return PermissionAnswer::Cancelled;
                }
                chosen.await.unwrap_or(PermissionAnswer::Cancelled)
            }
        });
        let (connect, cwd) = (connect.permissions(policy), cwd.to_owned());
        let mut calls = JoinSet::new();
        calls.spawn(async move {
            let opened = async { connect.await?.new_session(cwd).await };
            Answered::Opened(opened.await)
        });
        let open = BTreeMap::new();
        Self { session: None, turn: None, questions, open, asked: 0, calls, is_over: false }
    }

    /// Makes the first screen, without a session.
    #[must_use]
    pub fn app(&self, size: Size) -> App {
        let mut app = App::new("", Vec::new(), Transcript::new(), size);
        app.phase = Phase::Opening;
        app
    }

    /// Returns the next message. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Message {
        loop {
            let is_end_no_news = self.is_over || self.turn.is_some();
            tokio::select! {
                Some(Asked { request, answer }) = self.questions.recv() => {
                    self.asked += 1;
                    self.open.insert(self.asked, answer);
                    return Message::Asked(self.asked, request);
                }
                number = withdrawn(&mut self.open) => {
                    self.open.remove(&number);
                    return Message::Withdrawn(number);
                }
                Some(answered) = self.calls.join_next() => match answered {
                    Ok(Answered::Opened(Ok(session))) => {
                        self.session = Some((session.clone(), session.updates()));
                        return Message::Opened(session);
                    }
                    Ok(Answered::Opened(Err(error))) => return Message::NotOpened(error.to_string()),
                    Ok(Answered::Prompt(Ok(turn))) => self.turn = Some(*turn),
                    Ok(Answered::Prompt(Err(error))) => return Message::TurnEnded(Err(error.to_string())),
                    Ok(Answered::Call(message)) => return message,
                    Err(error) => return Message::Failed(error.to_string()),
                },
                event = next_event(&mut self.turn) => match event {
                    Some(event) => return Message::Event(event),
                    // The turn is over, so this does not wait.
                    None => if let Some(turn) = self.turn.take() {
                        let done = turn.finish().await;
                        let reason = done.map(|done| done.stop_reason.clone());
                        return Message::TurnEnded(reason.map_err(|error| error.to_string()));
                    },
                },
                news = news(&mut self.session, is_end_no_news) => match news {
                    News::Event(event) => return Message::Event(event),
                    News::Closed(reason) => {
                        self.is_over = true;
                        return Message::Closed(reason);
                    }
                },
            }
        }
    }

    /// Carries out an effect of the app.
    pub fn perform(&mut self, effect: Effect) {
        if let Effect::Answer { number, choice } = effect {
            if let Some(answer) = self.open.remove(&number) {
                // The question may have been withdrawn just now.
                let _ = answer.send(choice);
            }
            return;
        }
        // The other effects need the session.
        let Some((session, _)) = &self.session else { return };
        let session = session.clone();
        match effect {
            Effect::Prompt(text) => {
                self.calls.spawn(async move { Answered::Prompt(session.prompt(text).await.map(Box::new)) });
            }
            Effect::Cancel => {
                // It fails only when the connection is over, which is reported anyway.
                let _ = session.cancel();
            }
            Effect::SetMode(mode) => {
                self.calls.spawn(async move {
                    let set = session.set_mode(mode.clone()).await;
                    Answered::Call(set.map_or_else(failed, |()| Message::ModeSet(mode)))
                });
            }
            Effect::SetOption(option, value) => {
                self.calls.spawn(async move {
                    let set = session.set_config_option(option, value).await;
                    Answered::Call(set.map_or_else(failed, |all| Message::OptionsSet(all.to_vec())))
                });
            }
            Effect::Answer { .. } | Effect::Quit | Effect::GiveUp(_) => {}
        }
    }

    /// Closes the connection and ends the agent, also one that has not opened the session.
    pub async fn close(self) {
        if let Some((session, _)) = &self.session {
            session.agent().close().await;
        }
    }
}

#[allow(clippy::needless_pass_by_value, reason = "it stands where a function of an error stands")]
fn failed(error: Error) -> Message {
    Message::Failed(error.to_string())
}

/// A report of the agent outside of a turn.
enum News {
    Event(Event),
    Closed(String),
}

/// The end of the connection is reported once, after the agent's last messages.
async fn news(session: &mut Option<(Session, Updates)>, is_end_no_news: bool) -> News {
    let Some((session, updates)) = session else { return pending().await };
    tokio::select! {
        biased;
        Some(event) = updates.next() => News::Event(event),
        reason = session.agent().wait(), if !is_end_no_news => News::Closed(reason.to_string()),
        else => pending().await,
    }
}

async fn next_event(turn: &mut Option<Turn>) -> Option<Event> {
    match turn {
        Some(turn) => turn.next().await,
        None => pending().await,
    }
}

/// Returns the number of a question that nobody waits for any more.
async fn withdrawn(open: &mut BTreeMap<u64, oneshot::Sender<PermissionAnswer>>) -> u64 {
    poll_fn(|cx| {
        let gone =
            open.iter_mut().find_map(|(number, answer)| answer.poll_closed(cx).is_ready().then_some(*number));
        gone.map_or(Poll::Pending, Poll::Ready)
    })
    .await
}
