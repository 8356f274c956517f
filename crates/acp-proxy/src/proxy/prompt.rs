//! A prompt of version 2 at its handler, which may answer in place of the rest of the chain.
//!
//! In version 2 a prompt is answered when the user's message is inserted, and states report the
//! turn. A handler of the vocabulary answers at the end of the turn, as in version 1. So the proxy
//! writes the answer, the echo and the states.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use acp_rpc::{Error, Fault};
use acp_types::v1::ext::unique_id;

use super::turns::AtHandler;
use super::ways::Ways;
use crate::flow::json::Json;
use crate::flow::reply::Reply;
use crate::flow::responder::Responder;
use crate::flow::route::Toward;
use crate::wire::member::{member, text};
use crate::wire::message::{Answer, Call};
use crate::wire::methods::PROMPT;
use crate::wire::state::{echo, idle, inserted, running};

/// The code of a request that its sender has cancelled.
const CANCELLED: &str = "-32800";

/// A prompt at its handler.
pub(super) struct Prompt {
    ways: Arc<Ways>,
    session: Box<str>,
    params: Json,
    at_handler: AtHandler,
    stage: Mutex<Stage>,
}

enum Stage {
    /// The handler may still send it on.
    Held(Responder),
    /// The handler answers in place of the rest of the chain.
    Released(Responder),
    /// The user's message is being inserted.
    Inserting(Inserting),
    /// The client knows that the user's message is inserted, and that a turn goes on.
    Inserted,
    /// The rest of the chain has it.
    SentOn(Responder),
    /// The rest of the chain has refused it. The handler may still answer.
    Refused(Responder),
    /// The rest of the chain has inserted it, with this answer.
    Accepted(Responder, Reply),
    Over,
}

/// The events while the user's message is being inserted. No lock is held meanwhile, because the
/// answer passes functions of the user. The task that inserts it waits for nothing before that is
/// over.
#[derive(Default)]
struct Inserting {
    /// Notifications of other tasks of the handler, which follow the message.
    kept: Vec<(Box<str>, Json)>,
    /// The reply of the handler.
    end: Option<Reply>,
}

/// The right of a handler to send the prompt on. Dropping it without having done so means that the
/// handler answers in place of the rest.
pub(super) struct Undecided(Arc<Prompt>);

impl Prompt {
    pub(super) fn new(
        ways: &Arc<Ways>,
        at_handler: AtHandler,
        session: &str,
        params: Json,
        responder: Responder,
    ) -> Arc<Self> {
        let stage = Mutex::new(Stage::Held(responder));
        Arc::new(Self { ways: Arc::clone(ways), session: session.into(), params, at_handler, stage })
    }

    pub(super) fn undecided(self: &Arc<Self>) -> Undecided {
        Undecided(Arc::clone(self))
    }

    /// Runs the handler, and writes the turn if it is one of the proxy's own.
    pub(super) async fn handled(self: Arc<Self>, handler: impl Future<Output = Reply>) {
        let running = Running(&self);
        let mut handler = pin!(handler);
        let reply = poll_fn(|context| {
            let polled = handler.as_mut().poll(context);
            // A handler that answers at once with an error has refused the prompt. One that goes on
            // has taken it.
            if polled.is_pending() {
                self.insert();
            }
            polled
        });
        let reply: Reply = reply.await;
        self.ended(&reply);
        drop(running);
    }

    /// Inserts the user's message, if the handler has taken the prompt: the answer with its id, its
    /// echo and the state.
    pub(super) fn insert(&self) {
        let responder = {
            let mut stage = self.stage();
            match std::mem::replace(&mut *stage, Stage::Inserting(Inserting::default())) {
                Stage::Released(responder) => responder,
                other => {
                    *stage = other;
                    return;
                }
            }
        };
        let message = unique_id("msg");
        responder.answer(Answer::Result(&inserted(&message)));
        let prompt = member(self.params.as_str(), "prompt").unwrap_or("[]");
        let echo = echo(&self.session, &message, prompt);
        self.ways.turns().begin(&self.session, |begins, background| {
            self.ways.tell(&echo);
            if begins {
                self.ways.tell(&running(&self.session, background));
            }
        });
        self.send_kept();
    }

    /// Sends the messages that were kept until the user's message was inserted.
    fn send_kept(&self) {
        loop {
            let kept = {
                let mut stage = self.stage();
                let Stage::Inserting(inserting) = &mut *stage else { return };
                if inserting.kept.is_empty() {
                    let end = inserting.end.take();
                    *stage = if end.is_some() { Stage::Over } else { Stage::Inserted };
                    drop(stage);
                    return end.iter().for_each(|reply| self.tell_end(reply));
                }
                std::mem::take(&mut inserting.kept)
            };
            for (method, params) in kept {
                let call = Call { method: (&*method).into(), params: Some(params.as_str()) };
                self.ways.notify(Toward::Client, &call);
            }
        }
    }

    /// Sends a notification of the handler, behind the user's message if that is about to be
    /// inserted.
    pub(super) fn notify(&self, method: &str, params: Json) {
        self.insert();
        if let Stage::Inserting(inserting) = &mut *self.stage() {
            return inserting.kept.push((method.into(), params));
        }
        let call = Call { method: method.into(), params: Some(params.as_str()) };
        self.ways.notify(Toward::Client, &call);
    }

    fn ended(&self, reply: &Reply) {
        let mut stage = self.stage();
        if let Stage::Inserting(inserting) = &mut *stage {
            // Another task of the handler inserts it right now.
            inserting.end = Some(reply.clone());
            return;
        }
        let stage = {
            let before = std::mem::replace(&mut *stage, Stage::Over);
            drop(stage);
            before
        };
        match stage {
            Stage::Held(responder) | Stage::Released(responder) | Stage::Refused(responder) => {
                self.ended_at_once(responder, reply);
            }
            Stage::Inserted => self.tell_end(reply),
            Stage::SentOn(responder) => answer_unheard(responder, reply),
            Stage::Accepted(responder, accepted) => self.answer_accepted(responder, &accepted, reply),
            Stage::Inserting(_) | Stage::Over => {}
        }
    }

    /// Ends a turn whose message is not inserted yet.
    fn ended_at_once(&self, responder: Responder, reply: &Reply) {
        match reply.as_answer() {
            Answer::Result(result) if text(result, "stopReason").as_deref() == Some("cancelled") => {
                responder.refuse(&Error::cancelled());
            }
            error @ Answer::Error(_) => responder.answer(error),
            Answer::Result(_) => {
                *self.stage() = Stage::Released(responder);
                self.insert();
                self.ended(reply);
            }
        }
    }

    /// Answers a prompt that the agent has inserted. Whatever the handler says, it stays inserted.
    fn answer_accepted(&self, responder: Responder, accepted: &Reply, reply: &Reply) {
        if let Some(error) = reply.error() {
            let problem = text(error.as_str(), "message").unwrap_or_default();
            let reason = format!("the handler failed after the agent had taken the prompt: {problem}");
            self.ways.fault(Fault::Ignored { method: PROMPT, reason: &reason });
        }
        responder.answer(if has_id(reply) { reply.as_answer() } else { accepted.as_answer() });
    }

    fn tell_end(&self, reply: &Reply) {
        let answer = reply.as_answer();
        let was_cancelled = self.at_handler.stop.has_fired()
            || matches!(answer, Answer::Error(error) if member(error, "code") == Some(CANCELLED));
        self.ways.turns().end(&self.session, |background| {
            self.ways.tell(&idle(&self.session, answer, was_cancelled, background));
        });
    }

    /// Notes that the prompt goes on.
    pub(super) fn sent_on(&self) {
        let mut stage = self.stage();
        *stage = match std::mem::replace(&mut *stage, Stage::Over) {
            Stage::Held(responder) | Stage::Released(responder) => Stage::SentOn(responder),
            other => other,
        };
    }

    /// Notes the answer of the rest of the chain. After an error the handler may still answer.
    pub(super) fn answered(&self, reply: &Reply) {
        let mut stage = self.stage();
        *stage = match std::mem::replace(&mut *stage, Stage::Over) {
            Stage::SentOn(responder) if reply.error().is_some() => Stage::Refused(responder),
            Stage::SentOn(responder) => Stage::Accepted(responder, reply.clone()),
            other => other,
        };
    }

    fn stage(&self) -> MutexGuard<'_, Stage> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Undecided {
    fn drop(&mut self) {
        let mut stage = self.0.stage();
        *stage = match std::mem::replace(&mut *stage, Stage::Over) {
            Stage::Held(responder) => Stage::Released(responder),
            other => other,
        };
    }
}

impl std::ops::Deref for Undecided {
    type Target = Arc<Prompt>;

    fn deref(&self) -> &Arc<Prompt> {
        &self.0
    }
}

/// Answers a prompt that was sent on by a handler that has not waited for its answer.
fn answer_unheard(responder: Responder, reply: &Reply) {
    match reply.as_answer() {
        Answer::Result(result) if text(result, "stopReason").as_deref() == Some("cancelled") => {
            responder.refuse(&Error::cancelled());
        }
        Answer::Result(_) if !has_id(reply) => responder.refuse(&Error::internal(
            "a handler of `session/prompt` sent the prompt on, and answered it without waiting for the rest",
        )),
        answer => responder.answer(answer),
    }
}

fn has_id(reply: &Reply) -> bool {
    reply.result().is_some_and(|result| text(result.as_str(), "messageId").is_some())
}

/// Ends the turn of a handler that panics.
struct Running<'a>(&'a Prompt);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let is_inserted = matches!(*self.0.stage(), Stage::Inserted | Stage::Inserting(_));
        if is_inserted {
            self.0.ended(&Error::internal("the handler of `session/prompt` failed unexpectedly").into());
        } else {
            // A prompt that was not answered is refused by the drop.
            let _unanswered = std::mem::replace(&mut *self.0.stage(), Stage::Over);
        }
    }
}
