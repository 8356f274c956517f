//! Two endpoints under simulation: every race that the protocol allows, as an order of steps.
//!
//! Each seed picks, again and again, one of the events that could happen next on one of two sides:
//! a call, a message that arrives, a handler that is done, a caller that gives up, a line of a
//! broken peer. A model that is much simpler than the endpoint says which effects must follow.

mod lines;
mod model;

use std::cell::Cell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use acp_rpc::endpoint::{Effect, Endpoint, Limits};
use acp_rpc::{Answer, Id, Message};
use testkit::{Dice, Seeds};

use lines::Line;
use model::{Model, said};

/// The number of interleavings in every test run.
const FEW: u64 = 4_000;
const ALL: u64 = 20_000;
const LIMITS: Limits = Limits { requests: 5, bytes: 400 };

#[test]
fn endpoints_do_what_the_model_says() {
    let all = Seeds::few(FEW).all(ALL).each(|seed| {
        let mut world = World::new(Dice::new(seed));
        for _ in 0..world.dice.below(120) {
            world.step()?;
        }
        world.come_to_rest()
    });
    all.unwrap();
}

/// A handle that knows whether its handler was told to stop.
#[derive(Clone, Debug, Default)]
struct Token(Rc<Cell<bool>>);

impl Token {
    fn cancel(&self) {
        self.0.set(true);
    }
}

/// A request being handled.
struct Handler {
    id: Id,
    /// The call of the other side that it answers, or `None` if a broken peer made it up.
    call: Option<u64>,
    token: Token,
}

struct Side {
    endpoint: Endpoint<u64, Token>,
    model: Model,
    handlers: Vec<Handler>,
    /// The messages on their way to this side.
    wire: VecDeque<Line>,
    closed: bool,
}

/// The fate of a call.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fate {
    Waiting,
    Answered,
    GivenUp,
    FailedAtTheEnd,
}

struct World {
    dice: Dice,
    sides: [Side; 2],
    /// The fate of each call by its number. Every sent call has exactly one.
    calls: BTreeMap<u64, Fate>,
    /// Lines that no correct peer would send come in between.
    hostile: bool,
}

type Verdict = Result<(), String>;

impl World {
    fn new(dice: Dice) -> Self {
        let side = || Side {
            endpoint: Endpoint::new(LIMITS),
            model: Model::new(LIMITS),
            handlers: Vec::new(),
            wire: VecDeque::new(),
            closed: false,
        };
        let hostile = dice.one_in(2);
        Self { sides: [side(), side()], calls: BTreeMap::new(), hostile, dice }
    }

    fn step(&mut self) -> Verdict {
        let at = self.dice.index(2);
        match self.dice.below(16) {
            0..3 => self.call(at),
            3 => self.notify(at),
            4..8 => self.receive(at),
            8..11 => self.finish(at),
            11 => self.abandon(at),
            12 => self.give_up_some(at),
            13 if self.hostile => self.inject(at),
            14 if self.dice.one_in(8) => self.close(at),
            15 => self.finish_what_is_not_there(at),
            _ => Ok(()),
        }
    }

    fn call(&mut self, at: usize) -> Verdict {
        let number = self.calls.len() as u64;
        let side = &mut self.sides[at];
        let id = side.endpoint.call(number).ok();
        let expected = side.model.call(number);
        same("the id of a call", &id, &expected)?;
        let Some(id) = id else { return Ok(()) };
        if self.dice.one_in(10) {
            same("who is taken back", &side.endpoint.retract(id), &Some(number))?;
            side.model.retract(id);
            return Ok(());
        }
        self.calls.insert(number, Fate::Waiting);
        self.sides[1 - at].wire.push_back(Line::request(&self.dice, id, number));
        Ok(())
    }

    fn notify(&mut self, at: usize) -> Verdict {
        let line = Line::notification(&self.dice);
        self.sides[1 - at].wire.push_back(line);
        Ok(())
    }

    fn receive(&mut self, at: usize) -> Verdict {
        let side = &mut self.sides[at];
        let Some(line) = side.wire.pop_front() else { return Ok(()) };
        if side.closed {
            return Ok(());
        }
        let message = Message::parse(line.text.as_bytes()).map_err(|error| error.to_string())?;
        let expected = side.model.receive(&line);
        let token = Token::default();
        let effect = side.endpoint.receive(message, line.text.len(), || token.clone());
        same(&line.text, &said(&effect), &expected)?;
        match effect {
            Effect::Run { id, token, .. } => side.handlers.push(Handler { id, call: line.call, token }),
            Effect::Cancel { token } => token.cancel(),
            Effect::Deliver { waiter, answer, .. } => return self.deliver(waiter, &line, &answer),
            Effect::Refuse { id, .. } if id != Id::Null => {
                let refusal = Line::error(&id, line.call);
                self.sides[1 - at].wire.push_back(refusal);
            }
            Effect::UnknownResponse { .. } | Effect::BadCancel | Effect::Unaddressed { .. }
                if !self.hostile =>
            {
                return Err(format!("a correct peer is blamed for {}", line.text));
            }
            _ => {}
        }
        let side = &self.sides[at];
        let stopped: Vec<&Id> = side.handlers.iter().filter(|it| it.token.0.get()).map(|it| &it.id).collect();
        side.model.are_stopped(&stopped)
    }

    /// Checks that an answer reaches the waiter of its own question.
    fn deliver(&mut self, waiter: u64, line: &Line, answer: &Answer<'_>) -> Verdict {
        if line.call.is_some_and(|call| call != waiter) {
            return Err(format!("call {waiter} got {answer:?}, the answer to {:?}", line.call));
        }
        self.settle(waiter, Fate::Answered)
    }

    fn settle(&mut self, call: u64, fate: Fate) -> Verdict {
        match self.calls.insert(call, fate) {
            Some(Fate::Waiting) => Ok(()),
            before => Err(format!("call {call}: {before:?}, then {fate:?}")),
        }
    }

    fn finish(&mut self, at: usize) -> Verdict {
        let side = &mut self.sides[at];
        if side.handlers.is_empty() {
            return Ok(());
        }
        let handler = side.handlers.swap_remove(self.dice.index(side.handlers.len()));
        same("a handler is done", &side.endpoint.finished(&handler.id), &true)?;
        side.model.finished(&handler.id);
        same("it is done twice", &side.endpoint.finished(&handler.id), &false)?;
        let answer = Line::answer(&self.dice, &handler.id, handler.call);
        self.sides[1 - at].wire.push_back(answer);
        Ok(())
    }

    fn finish_what_is_not_there(&mut self, at: usize) -> Verdict {
        let id = Id::from(*self.dice.pick(&["0", "x"]));
        let side = &mut self.sides[at];
        if side.handlers.iter().any(|handler| handler.id == id) {
            return Ok(());
        }
        same("a handler that never was", &side.endpoint.finished(&id), &false)
    }

    fn abandon(&mut self, at: usize) -> Verdict {
        let side = &mut self.sides[at];
        let id = i64::try_from(self.dice.below(40)).unwrap();
        let waiter = side.model.abandon(id);
        same("who waited", &side.endpoint.abandon(id), &waiter)?;
        waiter.map_or(Ok(()), |waiter| self.give_up(at, id, waiter))
    }

    fn give_up_some(&mut self, at: usize) -> Verdict {
        let side = &mut self.sides[at];
        let given_up = side.endpoint.give_up(|waiter| waiter % 3 == 0);
        same("who is given up", &given_up, &side.model.give_up(|waiter| waiter % 3 == 0))?;
        given_up.into_iter().try_for_each(|(id, waiter)| self.give_up(at, id, waiter))
    }

    /// Gives a call up, and tells its peer.
    fn give_up(&mut self, at: usize, id: i64, waiter: u64) -> Verdict {
        self.sides[1 - at].wire.push_back(Line::cancel(&Id::Int(id)));
        self.settle(waiter, Fate::GivenUp)
    }

    fn inject(&mut self, at: usize) -> Verdict {
        let line = Line::of_a_broken_peer(&self.dice);
        let wire = &mut self.sides[at].wire;
        wire.insert(self.dice.index(wire.len() + 1), line);
        Ok(())
    }

    fn close(&mut self, at: usize) -> Verdict {
        let side = &mut self.sides[at];
        side.closed = true;
        let failed = side.endpoint.close();
        same("who is failed at the end", &failed, &side.model.close())?;
        failed.into_iter().try_for_each(|waiter| self.settle(waiter, Fate::FailedAtTheEnd))
    }

    /// Lets everything on its way arrive and every handler answer, until nothing is left to do.
    fn come_to_rest(&mut self) -> Verdict {
        while self.sides.iter().any(|side| !side.wire.is_empty() || !side.handlers.is_empty()) {
            for at in [0, 1] {
                self.receive(at)?;
                self.finish(at)?;
            }
        }
        let one_is_closed = self.sides.iter().any(|side| side.closed);
        for at in [0, 1] {
            let side = &self.sides[at];
            same("requests in flight at the end", &side.endpoint.in_flight(), &0)?;
            if !one_is_closed {
                same("calls pending at the end", &side.endpoint.pending(), &0)?;
            }
            self.close(at)?;
            self.takes_as_much_as_at_the_start(at)?;
        }
        match self.calls.iter().find(|(_, fate)| **fate == Fate::Waiting) {
            Some((call, _)) => Err(format!("call {call} was forgotten")),
            None => Ok(()),
        }
    }

    /// The bytes in flight are 0 again, so a request as large as the limit fits.
    fn takes_as_much_as_at_the_start(&mut self, at: usize) -> Verdict {
        let endpoint = &mut self.sides[at].endpoint;
        for (id, bytes, fits) in [(1, 1, true), (2, LIMITS.bytes - 1, true), (3, 1, false)] {
            let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"m"}}"#);
            let message = Message::parse(line.as_bytes()).unwrap();
            let effect = endpoint.receive(message, bytes, Token::default);
            same("room for requests at the end", &matches!(effect, Effect::Run { .. }), &fits)?;
        }
        Ok(())
    }
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, got: &T, expected: &T) -> Verdict {
    if got == expected { Ok(()) } else { Err(format!("{what}: {got:?}, not {expected:?}")) }
}
