//! Between the app and the agent.

use std::collections::BTreeMap;
use std::future::{pending, poll_fn};
use std::path::Path;
use std::task::Poll;

use acp_client::v1::RequestPermissionRequest;
use acp_client::{Choice, Connect, Error, PermissionPolicy, Session, Transcript, Turn, Updates};
use ratatui::layout::Size;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

use super::app::{App, Effect, Message};

/// A session of an agent, as a source of messages and a place for effects.
#[derive(Debug)]
pub struct Connection {
    session: Session,
    updates: Updates,
    turn: Option<Turn>,
    questions: mpsc::Receiver<Asked>,
    /// Where the answers go, by the number of the question.
    open: BTreeMap<u64, oneshot::Sender<Choice>>,
    asked: u64,
    /// Calls on their way: the screen does not wait for an agent.
    calls: JoinSet<Answered>,
    is_over: bool,
}

#[derive(Debug)]
struct Asked {
    request: Box<RequestPermissionRequest>,
    answer: oneshot::Sender<Choice>,
}

#[derive(Debug)]
enum Answered {
    Prompt(Result<Box<Turn>, Error>),
    Call(Message),
}

impl Connection {
    /// Connects, and opens a session.
    ///
    /// # Errors
    /// The agent does not start, or opens no session.
    pub async fn open(connect: Connect, cwd: &Path) -> Result<Self, Error> {
        let (bring, questions) = mpsc::channel(1);
        let policy = PermissionPolicy::ask(move |request| {
            let bring = bring.clone();
            async move {
                let (answer, chosen) = oneshot::channel();
                let asked = Asked { request: Box::new(request), answer };
                // Without somebody to ask there is no consent.
                if bring.send(asked).await.is_err() {
                    return Choice::Cancel;
                }
                chosen.await.unwrap_or(Choice::Cancel)
            }
        });
        let agent = connect.permissions(policy).await?;
        let session = agent.new_session(cwd).await?;
        let updates = session.updates();
        let (open, calls) = (BTreeMap::new(), JoinSet::new());
        Ok(Self { session, updates, turn: None, questions, open, asked: 0, calls, is_over: false })
    }

    /// The first screen of the session.
    #[must_use]
    pub fn app(&self, size: Size) -> App {
        let info = self.session.agent().info();
        let name = info.map_or("agent", |info| info.title.as_deref().unwrap_or(&info.name));
        let modes = self.session.modes().map(|modes| modes.available_modes.clone()).unwrap_or_default();
        App::new(name, modes, Transcript::for_session(&self.session), size)
    }

    /// The next message. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Message {
        loop {
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
                    Ok(Answered::Prompt(Ok(turn))) => self.turn = Some(*turn),
                    Ok(Answered::Prompt(Err(error))) => return Message::TurnEnded(Err(error.to_string())),
                    Ok(Answered::Call(message)) => return message,
                    Err(error) => return Message::Failed(error.to_string()),
                },
                event = next_event(&mut self.turn) => match event {
                    Some(event) => return Message::Event(event),
                    // It is over, so this waits for nothing.
                    None => if let Some(turn) = self.turn.take() {
                        let done = turn.finish().await;
                        let reason = done.map(|done| done.stop_reason);
                        return Message::TurnEnded(reason.map_err(|error| error.to_string()));
                    },
                },
                Some(event) = self.updates.next() => return Message::Event(event),
                // What it said last comes first.
                reason = self.session.agent().wait(), if !self.is_over && self.turn.is_none() => {
                    self.is_over = true;
                    return Message::Closed(reason.to_string());
                }
                else => pending().await,
            }
        }
    }

    /// Does what the app wants of the agent.
    pub fn perform(&mut self, effect: Effect) {
        let session = self.session.clone();
        match effect {
            Effect::Prompt(text) => {
                self.calls.spawn(async move { Answered::Prompt(session.prompt(text).await.map(Box::new)) });
            }
            Effect::Cancel => {
                // It fails only when the connection is over, and that is told anyway.
                let _ = session.cancel();
            }
            Effect::Answer { number, choice } => {
                if let Some(answer) = self.open.remove(&number) {
                    // It may have been withdrawn just now.
                    let _ = answer.send(choice);
                }
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
            Effect::Quit => {}
        }
    }

    /// Closes the connection and ends the agent.
    pub async fn close(self) {
        self.session.agent().close().await;
    }
}

#[allow(clippy::needless_pass_by_value, reason = "it stands where a function of an error stands")]
fn failed(error: Error) -> Message {
    Message::Failed(error.to_string())
}

async fn next_event(turn: &mut Option<Turn>) -> Option<acp_client::Event> {
    match turn {
        Some(turn) => turn.next().await,
        None => pending().await,
    }
}

/// The number of a question that nobody waits for any more.
async fn withdrawn(open: &mut BTreeMap<u64, oneshot::Sender<Choice>>) -> u64 {
    poll_fn(|cx| {
        let gone =
            open.iter_mut().find_map(|(number, answer)| answer.poll_closed(cx).is_ready().then_some(*number));
        gone.map_or(Poll::Pending, Poll::Ready)
    })
    .await
}
