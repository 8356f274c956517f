//! The steps of a script, and their run.

use std::collections::VecDeque;
use std::time::Duration;

use serde_json::{Value, json};

use super::event::Event;
use super::garble::Garble;
use crate::peer::{Difference, Fault, FaultKind, Message, ScriptedPeer};

/// Makes a result, or an error object, from the params of a request.
type Answer = Box<dyn FnOnce(&Value) -> Result<Value, Value> + Send>;

pub(super) enum Step {
    Expect(String, Option<Value>),
    Answer(Answer),
    Notify(String, Value),
    Request(String, Value),
    Result(Value),
    Error(i64),
    Raw(Vec<u8>),
    Garble(Garble),
    Delay(Duration),
    Wait(Event),
    Fire(Event),
    Close,
    End,
}

/// A script under way.
pub(super) struct Run {
    peer: ScriptedPeer,
    /// Requests of the other side without an answer.
    open: Vec<Message>,
    /// Ids of requests of this side without an answer.
    asked: VecDeque<Value>,
    garble: Option<Garble>,
}

impl Run {
    pub(super) fn new(peer: ScriptedPeer) -> Self {
        Self { peer, open: Vec::new(), asked: VecDeque::new(), garble: None }
    }

    pub(super) fn into_peer(self) -> ScriptedPeer {
        self.peer
    }

    pub(super) async fn step(&mut self, step: Step) -> Result<(), Fault> {
        match step {
            Step::Expect(method, params) => {
                let message = match params {
                    Some(params) => self.peer.expect_with(&method, &params).await?,
                    None => self.peer.expect(&method).await?,
                };
                if message.is_request() {
                    self.open.push(message);
                }
            }
            Step::Answer(answer) => {
                let Some(request) = self.open.pop() else {
                    return Err(self.mistake("there is no request to answer"));
                };
                let answer = answer(request.params());
                let (member, value) = answer.map_or_else(|error| ("error", error), |ok| ("result", ok));
                self.send(json!({"jsonrpc": "2.0", "id": request.id(), member: value})).await?;
            }
            Step::Notify(method, params) => {
                self.send(json!({"jsonrpc": "2.0", "method": method, "params": params})).await?;
            }
            Step::Request(method, params) => {
                let id = self.peer.new_id();
                self.asked.push_back(id.clone());
                self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await?;
            }
            Step::Result(expected) => {
                let answer = self.answer().await?;
                let seen = answer.result().cloned();
                let difference = match &seen {
                    Some(seen) => Difference::between(&expected, seen),
                    None => Difference::between(&json!({"result": expected}), &answer),
                };
                self.judge(format!("the result {expected}"), &answer, difference)?;
            }
            Step::Error(code) => {
                let answer = self.answer().await?;
                let difference = Difference::between(&json!({"error": {"code": code}}), &answer);
                self.judge(format!("the error {code}"), &answer, difference)?;
            }
            Step::Raw(bytes) => self.peer.raw(bytes).await?,
            Step::Garble(garble) => self.garble = Some(garble),
            Step::Delay(time) => tokio::time::sleep(time).await,
            Step::Wait(event) => event.happened().await,
            Step::Fire(event) => event.fire(),
            Step::Close => self.peer.close().await,
            Step::End => self.peer.expect_end().await?,
        }
        Ok(())
    }

    async fn send(&mut self, message: Value) -> Result<(), Fault> {
        match self.garble.take() {
            None => self.peer.send(&message).await,
            Some(garble) => self.peer.raw(garble.bytes(&message.to_string())).await,
        }
    }

    async fn answer(&mut self) -> Result<Message, Fault> {
        match self.asked.pop_front() {
            Some(id) => self.peer.answer_to(&id).await,
            None => Err(self.mistake("no request of this side waits for an answer")),
        }
    }

    fn judge(&self, expected: String, answer: &Message, difference: Option<Difference>) -> Result<(), Fault> {
        if difference.is_none() {
            return Ok(());
        }
        Err(self.peer.fault(FaultKind::Unexpected {
            expected,
            seen: answer.to_string(),
            difference: difference.map(Box::new),
        }))
    }

    fn mistake(&self, reason: &'static str) -> Fault {
        self.peer.fault(FaultKind::Script(reason))
    }
}
