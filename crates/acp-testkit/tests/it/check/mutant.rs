//! Agents that break one rule: a correct agent behind a relay that changes its lines.

use std::collections::HashMap;

use acp_testkit::{Outbox, Writer};
use serde_json::{Value, json};

/// The agent that a mutant is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    Full,
    Plain,
    /// An agent whose modes are a config option, too.
    Modal,
    /// The full agent without version 1.
    #[cfg(feature = "v2")]
    Newer,
    /// An agent that wants a login.
    #[cfg(feature = "v2")]
    Locked,
}

/// A fault of a correct agent or client, and the rule that it breaks.
pub(super) struct Mutant<B: 'static = Base> {
    pub(super) rule: &'static str,
    pub(super) base: B,
    pub(super) fault: Fault,
    /// The other rules that the fault breaks. There are none beside them.
    pub(super) also: &'static [&'static str],
    /// The other rules that it breaks in version 2, for a rule of version 1 that holds there.
    #[cfg_attr(not(feature = "v2"), allow(dead_code, reason = "the tests of version 2 look at it"))]
    pub(super) also_later: &'static [&'static str],
}

impl<B: Copy> Mutant<B> {
    pub(super) const fn new(rule: &'static str, base: B, fault: Fault) -> Self {
        Self { rule, base, fault, also: &[], also_later: &[] }
    }

    pub(super) const fn also(mut self, rules: &'static [&'static str]) -> Self {
        self.also = rules;
        self
    }

    pub(super) const fn also_later(mut self, rules: &'static [&'static str]) -> Self {
        self.also_later = rules;
        self
    }

    /// Returns the other rules that the fault breaks in a check of version 2.
    #[cfg(all(feature = "unstable", feature = "v2"))]
    pub(super) fn also_in_v2(&self) -> &'static [&'static str] {
        if self.rule.starts_with("v1-") { self.also_later } else { self.also }
    }
}

/// The ways to break a rule.
#[derive(Clone, Copy)]
pub(super) enum Fault {
    /// Changes the agent's answers to a method.
    Answer(&'static str, fn(&mut Value)),
    /// Changes the agent's updates with a tag.
    Update(&'static str, fn(&mut Value)),
    /// Loses the agent's updates with a tag, all if it is empty.
    Lose(&'static str),
    /// Changes the agent's calls of a method.
    Call(&'static str, fn(&mut Value)),
    /// Changes the client's calls of a method on their way.
    Hear(&'static str, fn(&mut Value)),
    /// Answers the client's calls of a method with an error, if the params are of this kind.
    Refuse(&'static str, fn(&Value) -> bool),
    /// Says something before the agent's answer to a method. `SESSION` is the session.
    Before(&'static str, &'static str),
    /// Says something after it.
    After(&'static str, &'static str),
    /// Closes the connection when a line of the other side has this in it.
    DiesOf(&'static str),
    /// Anything else.
    Line(fn(&mut Memory, Writer, &str, &mut Outbox)),
}

/// The past of a connection.
#[derive(Default)]
pub(super) struct Memory {
    /// The client's requests by their ids.
    asked: HashMap<String, Value>,
    /// Facts that a fault remembers.
    pub(super) notes: HashMap<&'static str, Value>,
}

impl Fault {
    /// Lets a line through, or something in its place. A line that a fault cannot change stays as
    /// it is.
    pub(super) fn filter(self, memory: &mut Memory, writer: Writer, line: &[u8], out: &mut Outbox) {
        let Ok(text) = std::str::from_utf8(line) else { return out.pass(writer, line) };
        let message: Value = serde_json::from_str(text).unwrap_or_default();
        if writer == Writer::First && message.get("method").is_some() && message.get("id").is_some() {
            memory.asked.insert(message["id"].to_string(), message.clone());
        }
        match self {
            Fault::Line(filter) => filter(memory, writer, text, out),
            Fault::DiesOf(part) if writer == Writer::First && text.contains(part) => out.close(),
            _ if !message.is_object() => out.pass(writer, line),
            _ if writer == Writer::First => self.of_client(message, out),
            _ => self.of_agent(memory, message, out),
        }
    }

    fn of_client(self, mut message: Value, out: &mut Outbox) {
        let method = message["method"].as_str().unwrap_or_default();
        match self {
            Fault::Hear(name, change) if name == method => changed(&mut message, change),
            Fault::Refuse(name, refuses) if name == method && refuses(&message["params"]) => {
                let error = json!({"code": -32602, "message": "no"});
                let answer = json!({"jsonrpc": "2.0", "id": message["id"], "error": error});
                return out.back(Writer::First, answer.to_string());
            }
            _ => {}
        }
        out.pass(Writer::First, message.to_string());
    }

    fn of_agent(self, memory: &Memory, mut message: Value, out: &mut Outbox) {
        let pass = |message: &Value, out: &mut Outbox| out.pass(Writer::Second, message.to_string());
        let method = message["method"].as_str().unwrap_or_default().to_owned();
        let asked = memory.request(&message);
        let answers = |name: &str| asked.is_some_and(|asked| asked["method"] == name);
        let of_session = |text: &str| {
            let session = asked.and_then(|asked| asked["params"]["sessionId"].as_str()).unwrap_or_default();
            text.replace("SESSION", session)
        };
        let tag = message["params"]["update"]["sessionUpdate"].as_str().unwrap_or_default().to_owned();
        match self {
            Fault::Answer(name, change) if answers(name) => changed(&mut message, change),
            Fault::Call(name, change) if name == method => changed(&mut message, change),
            Fault::Update(name, change) if name == tag => {
                changed(&mut message, |message| change(&mut message["params"]["update"]));
            }
            Fault::Lose(name) if method == "session/update" && (name.is_empty() || name == tag) => return,
            Fault::Before(name, line) if answers(name) => out.pass(Writer::Second, of_session(line)),
            Fault::After(name, line) if answers(name) => {
                pass(&message, out);
                return out.pass(Writer::Second, of_session(line));
            }
            _ => {}
        }
        pass(&message, out);
    }
}

/// Changes a message. To look into a member that is not there adds it as `null`: it goes again, so
/// that an error does not become a result, too.
fn changed(message: &mut Value, change: impl FnOnce(&mut Value)) {
    let had = ["result", "params"].map(|member| message.get(member).is_some());
    change(message);
    for (member, had) in ["result", "params"].into_iter().zip(had) {
        if !had && message.get(member).is_some_and(Value::is_null) {
            without(message, member);
        }
    }
}

impl Memory {
    /// Returns the client's request that a message of the agent answers.
    pub(super) fn request(&self, message: &Value) -> Option<&Value> {
        if message.get("method").is_some() {
            return None;
        }
        self.asked.get(&message.get("id")?.to_string())
    }
}

/// Returns a question about a tool call that is a command as one about the command, which version 2
/// has a form for and the agent of the tests has not.
pub(super) fn as_command(line: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(line).ok().filter(|text| text.contains("Run make"))?;
    let mut message: Value = serde_json::from_str(text).ok()?;
    message["params"].get("subject")?;
    message["params"]["subject"] = json!({"type": "command", "command": "make", "cwd": "/work"});
    Some(message.to_string())
}

/// Makes an answer an error.
pub(super) fn error(message: &mut Value, code: i64) {
    without(message, "result");
    put(message, "error", json!({"code": code, "message": "no"}));
}

/// Makes an answer a success.
pub(super) fn success(message: &mut Value, result: Value) {
    without(message, "error");
    put(message, "result", result);
}

/// Changes the code of an error.
pub(super) fn recode(message: &mut Value, from: i64, to: i64) {
    if let Some(code) = message.pointer_mut("/error/code").filter(|code| **code == from) {
        *code = to.into();
    }
}

/// Takes a member out, if there is one.
pub(super) fn without(value: &mut Value, member: &str) {
    if let Some(members) = value.as_object_mut() {
        members.remove(member);
    }
}

/// Takes a member out of the object at a place, if there is one.
pub(super) fn without_at(value: &mut Value, place: &str, member: &str) {
    if let Some(object) = value.pointer_mut(place) {
        without(object, member);
    }
}

/// Sets a member of an object.
fn put(value: &mut Value, member: &str, new: Value) {
    if let Some(members) = value.as_object_mut() {
        members.insert(member.to_owned(), new);
    }
}

/// Lines that no fault can do anything with.
#[test]
fn an_odd_line_passes_a_fault_as_it_is() {
    let faults = [
        Fault::Answer("session/new", |message| without_at(message, "/result", "sessionId")),
        Fault::Answer("session/new", |message| recode(message, -32602, -32603)),
        Fault::Update("plan", |update| without(update, "entries")),
        Fault::Call("fs/read_text_file", |message| without(&mut message["params"], "path")),
        Fault::Lose("plan"),
    ];
    let asked = br#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{}}"#;
    let odd: [&[u8]; 12] = [
        b"",
        b"42",
        b"[]",
        b"null",
        b"\"text\"",
        b"\xff\xfe",
        b"{\"id\":1,\"result\":\"\xff\"}",
        br#"{"id":1,"result":7}"#,
        br#"{"id":1,"result":[1]}"#,
        br#"{"id":1,"error":"no"}"#,
        br#"{"method":"session/update","params":{"update":[]}}"#,
        br#"{"method":"fs/read_text_file","params":"path"}"#,
    ];
    for fault in faults {
        for line in odd {
            let mut memory = Memory::default();
            fault.filter(&mut memory, Writer::First, asked, &mut Outbox::default());
            let mut out = Outbox::default();
            fault.filter(&mut memory, Writer::Second, line, &mut out);
            let shown = String::from_utf8_lossy(line);
            let object = serde_json::from_slice(line).ok().filter(Value::is_object);
            let same = object.map_or_else(|| line.to_vec(), |object| object.to_string().into_bytes());
            let mut expected = Outbox::default();
            expected.pass(Writer::Second, same);
            assert_eq!(format!("{out:?}"), format!("{expected:?}"), "{shown}");
        }
    }
    for value in [json!(null), json!(7), json!([1]), json!("text")] {
        for change in [
            (|value| without(value, "x")) as fn(&mut Value),
            |value| without_at(value, "/0", "x"),
            |value| error(value, 1),
            |value| success(value, json!({})),
            |value| recode(value, 1, 2),
        ] {
            let mut changed = value.clone();
            change(&mut changed);
            assert_eq!(changed, value);
        }
    }
}
