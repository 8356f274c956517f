//! A play: the steps of a script, done one after the other.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::error::{MockError, Reason};
use super::pattern::Values;
use super::step::{Call, Outcome, Placed, Step};
use super::{Mock, Side};
use crate::peer::{Difference, FaultKind, Message, ScriptedPeer, cut};
use crate::script::Garble;

/// The time that the other side may take after the last step. A runtime's clock can show it.
const FOR_EVER: Duration = Duration::from_secs(365 * 24 * 3600);

impl Mock {
    /// Plays the script. It ends after the last step: an agent then waits for the client to close
    /// the connection, unless it has closed its own side, and a client closes it.
    ///
    /// # Errors
    /// Fails at the first step that does not find what it expects. A message that comes to an agent
    /// behind the last step is an error, too, unless a standing answer covers it.
    pub async fn play(self, peer: ScriptedPeer) -> Result<ScriptedPeer, MockError> {
        let mut play = Play::new(peer);
        for (number, Placed { line, step }) in (1..).zip(self.steps) {
            let done = play.step(step).await;
            done.map_err(|reason| MockError { step: Some(number), line: Some(line), reason })?;
        }
        let ended = match self.side {
            Side::Agent if !play.closed => play.last().await,
            Side::Agent => Ok(()),
            Side::Client => {
                play.peer.close().await;
                Ok(())
            }
        };
        ended.map_err(|reason| MockError { step: None, line: None, reason })?;
        Ok(play.peer)
    }
}

/// A request without an answer.
struct Open {
    id: Value,
    name: Option<String>,
}

struct Play {
    peer: ScriptedPeer,
    values: Values,
    /// Requests of the other side.
    open: Vec<Open>,
    /// Requests of this side.
    asked: Vec<Open>,
    /// Answers that came before their step.
    early: Vec<Message>,
    /// A message that an optional step has left to the next one.
    held: Option<Message>,
    standing: Vec<(String, Option<Outcome>)>,
    closed: bool,
}

impl Play {
    fn new(peer: ScriptedPeer) -> Self {
        Self {
            peer,
            values: Values::default(),
            open: Vec::new(),
            asked: Vec::new(),
            early: Vec::new(),
            held: None,
            standing: Vec::new(),
            closed: false,
        }
    }

    /// Does a step. One that takes a message has the peer's patience for that, whatever comes
    /// before it.
    async fn step(&mut self, step: Step) -> Result<(), Reason> {
        let Some(expected) = expected(&step) else { return self.run(step).await };
        let patience = self.peer.patience;
        let done = tokio::time::timeout(patience, self.run(step)).await;
        done.unwrap_or_else(|_| Err(self.peer.fault(FaultKind::Silent { expected, patience }).into()))
    }

    async fn run(&mut self, step: Step) -> Result<(), Reason> {
        match step {
            Step::Expect { call, optional } => self.expect(&call, optional).await?,
            Step::Wait(call) => self.wait(&call).await?,
            Step::Standing { method, answer } => self.standing.push((method, answer)),
            Step::Send { call, is_request, garble } => self.call(call, is_request, garble).await?,
            Step::Answer { answer, to, garble } => {
                let request = named(&mut self.open, to.as_deref(), Last)?;
                self.answer(&request.id, &answer, garble).await?;
            }
            Step::Result { expected, of } => {
                let request = named(&mut self.asked, of.as_deref(), Oldest)?;
                self.result(&request.id, &expected).await?;
            }
            Step::Raw(text) => self.peer.raw(text).await?,
            Step::Delay(time) => tokio::time::sleep(time).await,
            Step::Patience(time) => self.peer.set_patience(time),
            Step::Close => {
                self.peer.close().await;
                self.closed = true;
            }
            Step::End => {
                if let Some(message) = self.next("the end of the connection", None).await? {
                    return Err(self.unexpected("the end of the connection".to_owned(), &message, None));
                }
            }
        }
        Ok(())
    }

    /// Takes the end of the connection, whenever it comes.
    async fn last(&mut self) -> Result<(), Reason> {
        self.peer.set_patience(FOR_EVER);
        self.step(Step::End).await
    }

    async fn expect(&mut self, call: &Call, optional: bool) -> Result<(), Reason> {
        let expected = described(call);
        let message = self.next(&expected, Some(&call.method)).await?;
        let Some(message) = message else {
            return if optional { Ok(()) } else { Err(self.closed(expected)) };
        };
        match self.matches(call, &message) {
            Ok(()) => self.take(call, &message),
            Err(_) if optional => self.held = Some(message),
            Err(difference) => return Err(self.unexpected(expected, &message, difference)),
        }
        Ok(())
    }

    async fn wait(&mut self, call: &Call) -> Result<(), Reason> {
        let expected = described(call);
        loop {
            let Some(message) = self.next(&expected, Some(&call.method)).await? else {
                return Err(self.closed(expected));
            };
            match self.matches(call, &message) {
                Ok(()) => {
                    self.take(call, &message);
                    return Ok(());
                }
                Err(_) if message.is_notification() => {}
                Err(_) if self.is_ours(&message) => self.early.push(message),
                Err(difference) => return Err(self.unexpected(expected, &message, difference)),
            }
        }
    }

    async fn call(&mut self, call: Call, is_request: bool, garble: Option<Garble>) -> Result<(), Reason> {
        let params = call.params.map(|params| self.fill(&params)).transpose()?;
        let mut message = Map::from_iter([("jsonrpc".to_owned(), Value::from("2.0"))]);
        if is_request {
            let id = self.peer.new_id();
            message.insert("id".to_owned(), id.clone());
            if let Some(name) = &call.name {
                self.values.set(name, id.clone());
            }
            self.asked.push(Open { id, name: call.name });
        }
        message.insert("method".to_owned(), call.method.into());
        if let Some(params) = params {
            message.insert("params".to_owned(), params);
        }
        self.send(&message.into(), garble).await
    }

    async fn answer(&mut self, id: &Value, answer: &Outcome, garble: Option<Garble>) -> Result<(), Reason> {
        let (member, value) = match answer {
            Ok(result) => ("result", self.fill(result)?),
            Err(error) => ("error", self.fill(error)?),
        };
        self.send(&json!({"jsonrpc": "2.0", "id": id, member: value}), garble).await
    }

    async fn result(&mut self, id: &Value, expected: &Outcome) -> Result<(), Reason> {
        let wanted = match expected {
            Ok(result) => json!({"result": result}),
            Err(error) => json!({"error": error}),
        };
        let described = format!("the answer {} to the request {id}", cut(&wanted.to_string()));
        let answers = |message: &Message| message.is_answer() && message.id() == Some(id);
        let answer = match self.early.iter().position(answers) {
            Some(at) => self.early.remove(at),
            None => loop {
                let Some(message) = self.next(&described, None).await? else {
                    return Err(self.closed(described));
                };
                if answers(&message) {
                    break message;
                } else if self.is_ours(&message) {
                    self.early.push(message);
                } else if !message.is_notification() {
                    return Err(self.unexpected(described, &message, None));
                }
            },
        };
        match self.values.compare(&wanted, &answer) {
            None => Ok(()),
            difference => Err(self.unexpected(described, &answer, difference.map(Box::new))),
        }
    }

    /// Takes the next message that no standing answer covers. A call of `wanted` is never covered.
    async fn next(&mut self, expected: &str, wanted: Option<&str>) -> Result<Option<Message>, Reason> {
        if let Some(message) = self.held.take() {
            return Ok(Some(message));
        }
        loop {
            let Some(message) = self.peer.message_or(expected).await? else { return Ok(None) };
            let method = message.method();
            let covers = |(name, _): &&(String, Option<Outcome>)| {
                method.is_some_and(|method| match name.strip_suffix('*') {
                    Some(beginning) => method.starts_with(beginning),
                    None => name == method,
                })
            };
            let standing = self.standing.iter().rev().find(covers).filter(|_| method != wanted);
            let Some((_, answer)) = standing else { return Ok(Some(message)) };
            if let (true, Some(id)) = (message.is_request(), message.id()) {
                let none = || Err(json!({"code": -32601, "message": "the script has no such method"}));
                let answer = answer.clone().unwrap_or_else(none);
                self.answer(id, &answer, None).await?;
            }
        }
    }

    /// Compares a message with a call. The error is the member that differs, if there is one.
    fn matches(&mut self, call: &Call, message: &Message) -> Result<(), Option<Box<Difference>>> {
        if message.method() != Some(&call.method) {
            return Err(None);
        }
        let compare = |params| self.values.compare(params, &message.params_like(params));
        let difference = call.params.as_ref().and_then(compare);
        difference.map_or(Ok(()), |difference| Err(Some(Box::new(difference))))
    }

    /// Remembers a request that was taken.
    fn take(&mut self, call: &Call, message: &Message) {
        let Some(id) = message.id() else { return };
        if let Some(name) = &call.name {
            self.values.set(name, id.clone());
        }
        self.open.push(Open { id: id.clone(), name: call.name.clone() });
    }

    /// Returns true for an answer to a request of this side that waits for it.
    fn is_ours(&self, message: &Message) -> bool {
        message.is_answer() && self.asked.iter().any(|request| message.id() == Some(&request.id))
    }

    async fn send(&mut self, message: &Value, garble: Option<Garble>) -> Result<(), Reason> {
        match garble {
            None => self.peer.send(message).await?,
            Some(garble) => self.peer.raw(garble.bytes(&message.to_string())).await?,
        }
        Ok(())
    }

    fn fill(&self, value: &Value) -> Result<Value, Reason> {
        let filled = self.values.fill(value);
        filled.map_err(|name| Reason::Script(format!("`${{{name}}}` has no value yet: no step has taken it")))
    }

    fn unexpected(&self, expected: String, seen: &Message, difference: Option<Box<Difference>>) -> Reason {
        let seen = seen.to_string();
        self.peer.fault(FaultKind::Unexpected { expected, seen, difference }).into()
    }

    fn closed(&self, expected: String) -> Reason {
        self.peer.fault(FaultKind::Closed { expected }).into()
    }
}

/// The request that is meant if none is named.
#[derive(Clone, Copy)]
enum Meant {
    Last,
    Oldest,
}
use Meant::{Last, Oldest};

/// Takes a request out of a list.
fn named(requests: &mut Vec<Open>, name: Option<&str>, meant: Meant) -> Result<Open, Reason> {
    let at = match (name, meant) {
        (Some(name), _) => requests.iter().position(|request| request.name.as_deref() == Some(name)),
        (None, Last) => requests.len().checked_sub(1),
        (None, Oldest) => (!requests.is_empty()).then_some(0),
    };
    at.map(|at| requests.remove(at)).ok_or_else(|| {
        Reason::Script(match name {
            Some(name) => format!("no request `as = \"{name}\"` waits for an answer"),
            None => "no request waits for an answer".to_owned(),
        })
    })
}

/// Returns the description of the message that a step takes.
fn expected(step: &Step) -> Option<String> {
    match step {
        Step::Expect { call, .. } | Step::Wait(call) => Some(described(call)),
        Step::Result { expected: Ok(result), .. } => Some(format!("the result {}", cut(&result.to_string()))),
        Step::Result { expected: Err(error), .. } => Some(format!("the error {}", cut(&error.to_string()))),
        Step::End => Some("the end of the connection".to_owned()),
        _ => None,
    }
}

fn described(call: &Call) -> String {
    match &call.params {
        None => format!("a call of `{}`", call.method),
        Some(params) => format!("`{}` with {}", call.method, cut(&params.to_string())),
    }
}
