//! Scripts of events: every request is answered once, and the tables are empty after the
//! connection.
#![no_main]

use std::cell::Cell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use acp_rpc::endpoint::{Effect, Endpoint, Limits};
use acp_rpc::{Id, Message};
use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
struct Script {
    requests: u8,
    bytes: u16,
    events: Vec<Event>,
}

#[derive(Arbitrary, Debug)]
enum Event {
    /// A line arrives that is nearly a message.
    Line(Envelope),
    /// Any bytes arrive.
    Bytes(Vec<u8>),
    Call,
    Abandon(u8),
    Retract(u8),
    /// This side gives up every request whose waiter has this remainder.
    GiveUp(u8),
    Finished(AnyId),
    Close,
}

#[derive(Arbitrary, Debug)]
struct Envelope {
    members: Vec<Member>,
}

#[derive(Arbitrary, Debug)]
enum Member {
    Version,
    OtherVersion,
    Id(AnyId),
    NoId,
    Method,
    CancelMethod,
    Ignorable,
    NoMethod,
    Cancelled(AnyId),
    Params,
    Result,
    Error,
    NullError,
    NoError,
    Other,
}

#[derive(Arbitrary, Clone, Debug)]
enum AnyId {
    Null,
    Small(u8),
    Text(u8),
    Int(i64),
}

impl AnyId {
    fn id(&self) -> Id {
        match self {
            Self::Null => Id::Null,
            Self::Small(id) => Id::Int((*id % 8).into()),
            Self::Text(id) => Id::from((id % 8).to_string().as_str()),
            Self::Int(id) => Id::Int(*id),
        }
    }
}

impl Member {
    fn text(&self) -> String {
        match self {
            Self::Version => r#""jsonrpc":"2.0""#.into(),
            Self::OtherVersion => r#""jsonrpc":2"#.into(),
            Self::Id(id) => format!(r#""id":{}"#, acp_json::to_string(&id.id())),
            Self::NoId => r#""id":0.5"#.into(),
            Self::Method => r#""method":"m""#.into(),
            Self::CancelMethod => r#""method":"$/cancel_request""#.into(),
            Self::Ignorable => r#""method":"$/m""#.into(),
            Self::NoMethod => r#""method":[]"#.into(),
            Self::Cancelled(id) => format!(r#""params":{{"requestId":{}}}"#, acp_json::to_string(&id.id())),
            Self::Params => r#""params":[1]"#.into(),
            Self::Result => r#""result":null"#.into(),
            Self::Error => r#""error":{"code":-1,"message":"e"}"#.into(),
            Self::NullError => r#""error":null"#.into(),
            Self::NoError => r#""error":7"#.into(),
            Self::Other => r#""later":{}"#.into(),
        }
    }
}

impl Envelope {
    fn line(&self) -> String {
        let members: Vec<String> = self.members.iter().map(Member::text).collect();
        format!("{{{}}}", members.join(","))
    }
}

#[derive(Clone, Debug, Default)]
struct Token(Rc<Cell<bool>>);

impl Token {
    fn cancel(&self) {
        self.0.set(true);
    }
}

fuzz_target!(|script: Script| {
    let mut run = Run::new(&script);
    for event in &script.events {
        run.event(event);
        run.check();
    }
    run.end();
});

/// The endpoint, and what must be true of it.
struct Run {
    endpoint: Endpoint<u32, Token>,
    limits: Limits,
    /// Requests of the peer that were started and not answered.
    handling: HashMap<Id, Token>,
    /// Requests of this side that nobody was told the end of.
    waiting: BTreeSet<u32>,
    calls: u32,
    closed: bool,
}

impl Run {
    fn new(script: &Script) -> Self {
        // Room for the two requests that the end is checked with.
        let limits =
            Limits { requests: usize::from(script.requests).max(2), bytes: usize::from(script.bytes).max(2) };
        Self {
            endpoint: Endpoint::new(limits),
            limits,
            handling: HashMap::new(),
            waiting: BTreeSet::new(),
            calls: 0,
            closed: false,
        }
    }

    fn event(&mut self, event: &Event) {
        match event {
            Event::Line(envelope) => self.line(envelope.line().as_bytes()),
            Event::Bytes(bytes) => self.line(bytes),
            Event::Call => self.call(),
            Event::Abandon(id) => {
                let told = self.endpoint.abandon((*id).into()).is_some();
                // A waiter is the number of its call, and so is its id.
                assert_eq!(told, self.waiting.remove(&(*id).into()), "only what waits is given up");
            }
            Event::Retract(id) => {
                let taken = self.endpoint.retract((*id).into()).is_some();
                assert_eq!(taken, self.waiting.remove(&(*id).into()), "only what waits is taken back");
            }
            Event::GiveUp(remainder) => {
                let chosen = |waiter: &u32| waiter % 5 == u32::from(remainder % 5);
                let given_up: Vec<u32> =
                    self.endpoint.give_up(chosen).into_iter().map(|(_, waiter)| waiter).collect();
                let expected: Vec<u32> = self.waiting.iter().copied().filter(chosen).collect();
                assert_eq!(given_up, expected, "oldest first");
                self.waiting.retain(|waiter| !chosen(waiter));
            }
            Event::Finished(id) => self.finished(&id.id()),
            Event::Close => self.close(),
        }
    }

    fn call(&mut self) {
        let id = self.endpoint.call(self.calls).ok();
        assert_eq!(id.is_none(), self.closed, "no calls after the end, and only then");
        if let Some(id) = id {
            assert_eq!(id, i64::from(self.calls), "ids count up");
            self.waiting.insert(self.calls);
            self.calls += 1;
        }
    }

    fn finished(&mut self, id: &Id) {
        assert_eq!(self.endpoint.finished(id), self.handling.remove(id).is_some(), "{id} is answered once");
    }

    fn close(&mut self) {
        let failed = self.endpoint.close();
        assert_eq!(
            failed,
            self.waiting.iter().copied().collect::<Vec<_>>(),
            "who waits is told, oldest first"
        );
        self.waiting.clear();
        self.closed = true;
    }

    fn line(&mut self, line: &[u8]) {
        let Ok(message) = Message::parse(line) else { return };
        let request = match &message {
            Message::Request { id, .. } => Some(id.clone()),
            _ => None,
        };
        let cancelled =
            |handling: &HashMap<Id, Token>| handling.values().filter(|token| token.0.get()).count();
        let before = cancelled(&self.handling);
        match self.endpoint.receive(message, line.len(), Token::default) {
            Effect::Run { id, token, .. } => {
                assert_eq!(request.as_ref(), Some(&id));
                assert!(!token.0.get(), "a handler starts uncancelled");
                assert!(self.handling.insert(id, token).is_none(), "an id is in flight once");
                assert!(self.handling.len() <= self.limits.requests);
            }
            Effect::Refuse { id, .. } => assert!(request.is_none_or(|request| request == id)),
            Effect::Deliver { id, waiter, .. } => {
                assert_eq!(request, None);
                assert_eq!(id, Id::Int(waiter.into()), "an answer reaches who asked");
                assert!(self.waiting.remove(&waiter), "{waiter} is answered once");
            }
            Effect::Cancel { token } => {
                token.cancel();
                assert!((before..=before + 1).contains(&cancelled(&self.handling)), "one handler is told");
            }
            _ => assert_eq!(request, None, "a request is started or refused"),
        }
    }

    fn check(&self) {
        assert_eq!(self.endpoint.in_flight(), self.handling.len());
        assert_eq!(self.endpoint.pending(), self.waiting.len());
    }

    /// Everybody answers, and both tables and both budgets are as at the start.
    fn end(&mut self) {
        for id in self.handling.keys().cloned().collect::<Vec<_>>() {
            self.finished(&id);
        }
        for (id, bytes) in [("last 1", 1), ("last 2", self.limits.bytes - 1)] {
            let line = format!(r#"{{"jsonrpc":"2.0","id":"{id}","method":"m"}}"#);
            let Ok(message) = Message::parse(line.as_bytes()) else { panic!("a request") };
            let effect = self.endpoint.receive(message, bytes, Token::default);
            assert!(matches!(effect, Effect::Run { .. }), "the budget is whole again");
        }
        assert_eq!(self.endpoint.unanswered().len(), 2);
        self.handling.clear();
        self.close();
        self.check();
    }
}
