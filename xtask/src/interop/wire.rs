//! The messages of one case, and the rules that hold in every conversation.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, bail, ensure};
use serde_json::Value;

use super::seen::is_of_the_session;
use super::tap;

/// The recorded messages of one connection, in order.
#[derive(Debug)]
pub(super) struct Wire {
    pub(super) messages: Vec<Message>,
    exit: Option<Value>,
}

#[derive(Debug)]
pub(super) struct Message {
    pub(super) from: Side,
    pub(super) json: Value,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Side {
    Client,
    Agent,
}

impl Wire {
    /// Reads what the recorder left in `logs`.
    pub(super) fn read(logs: &Path) -> anyhow::Result<Self> {
        let lines = fs::read_to_string(logs.join(tap::WIRE)).context("the agent was never started")?;
        Self::parse(&lines, fs::read_to_string(logs.join(tap::EXIT)).ok().as_deref())
    }

    /// Reads recorded lines, and how the agent ended when that was recorded.
    pub(super) fn parse(lines: &str, exit: Option<&str>) -> anyhow::Result<Self> {
        let messages = lines.lines().map(Message::read).collect::<anyhow::Result<_>>()?;
        let exit = exit.map(serde_json::from_str).transpose().context("a torn record of the agent's end")?;
        Ok(Self { messages, exit })
    }

    /// Requests and notifications with this method, in order.
    pub(super) fn calls<'a>(&'a self, method: &'a str) -> impl Iterator<Item = &'a Message> {
        self.messages.iter().filter(move |message| message.method() == Some(method))
    }

    /// The parameters of the first message with this method.
    pub(super) fn params(&self, method: &str) -> anyhow::Result<&Value> {
        let call = self.messages.iter().find(|message| message.method() == Some(method));
        let call = call.with_context(|| format!("no {method} was sent"))?;
        call.json.get("params").with_context(|| format!("{method} has no params"))
    }

    /// The results that the other side sent to requests with this method, in the order of the
    /// requests.
    pub(super) fn results<'a>(&'a self, method: &'a str) -> impl Iterator<Item = &'a Value> {
        self.calls(method).filter_map(|call| self.answer(call)?.json.get("result"))
    }

    /// The version that the two have agreed on, if they have.
    pub(super) fn version(&self) -> Option<u64> {
        self.results("initialize").last()?.get("protocolVersion")?.as_u64()
    }

    /// The updates that the agent sent in the n-th turn, `update` members only: between the prompt
    /// and its response, or in version 2 up to the change to idle.
    pub(super) fn updates(&self, turn: usize) -> Vec<&Value> {
        if self.version() == Some(2) {
            return self.updates_v2(turn);
        }
        let Some(prompt) = self.calls("session/prompt").nth(turn) else { return Vec::new() };
        let after = self.messages.iter().skip_while(|message| !std::ptr::eq(*message, prompt));
        let end = self.answer(prompt);
        let within = after.take_while(|message| end.is_none_or(|end| !std::ptr::eq(*message, end)));
        let updates = within.filter(|message| message.method() == Some("session/update"));
        updates.filter_map(|message| message.json.pointer("/params/update")).collect()
    }

    /// The reasons why the turns have ended, in order.
    pub(super) fn stops(&self) -> Vec<&str> {
        if self.version() == Some(2) {
            return self.stops_v2();
        }
        let reasons = self.results("session/prompt").map(|result| result.get("stopReason"));
        reasons.map(|reason| reason.and_then(Value::as_str).unwrap_or("(none)")).collect()
    }

    pub(super) fn answer(&self, request: &Message) -> Option<&Message> {
        let id = request.method().and_then(|_| request.json.get("id"))?;
        // An agent that was started again is asked with the same ids.
        let after = self.messages.iter().skip_while(|message| !std::ptr::eq(*message, request));
        after.skip(1).find(|message| {
            message.from != request.from && message.method().is_none() && message.json.get("id") == Some(id)
        })
    }

    /// Checks what holds in every conversation, whatever it was about.
    pub(super) fn check(&self) -> anyhow::Result<()> {
        let first = self.messages.first().context("nothing was sent")?;
        ensure!(first.method() == Some("initialize"), "the first message is not initialize: {}", first.json);
        self.check_requests()?;
        match self.version() {
            Some(2) => self.check_updates_v2()?,
            _ => self.check_updates()?,
        }
        self.check_permissions()?;
        self.check_exit()
    }

    /// True if the agent ended with code 0 when its input was closed.
    pub(super) fn left_by_itself(&self) -> bool {
        self.check_exit().is_ok()
    }

    /// The messages of all error answers, in order.
    pub(super) fn error_messages(&self) -> Vec<&str> {
        let errors = self.messages.iter().filter_map(|message| message.json.pointer("/error/message"));
        errors.filter_map(Value::as_str).collect()
    }

    /// The codes of all error answers, in order.
    pub(super) fn errors(&self) -> Vec<i64> {
        let codes = self.messages.iter().filter_map(|message| message.json.pointer("/error/code"));
        codes.filter_map(Value::as_i64).collect()
    }

    /// Ids are used once per side, each request is answered exactly once, and nothing is answered
    /// unasked. A subscription of MCP may be open to the end.
    fn check_requests(&self) -> anyhow::Result<()> {
        let (mut open, mut subscriptions) = (HashSet::new(), HashSet::new());
        let mut seen = HashSet::new();
        for message in &self.messages {
            let Some(id) = message.json.get("id") else { continue };
            if message.from == Side::Client && message.method() == Some("initialize") {
                // The agent may have been started again.
                seen.clear();
            }
            if message.method().is_some() {
                ensure!(seen.insert((message.from, id.to_string())), "id used twice: {}", message.json);
                let method = message.json.pointer("/params/method");
                let is_subscription = method.is_some_and(|method| method == "subscriptions/listen");
                let asked = if is_subscription { &mut subscriptions } else { &mut open };
                asked.insert((message.from, id.to_string()));
            } else {
                let request = (message.from.other(), id.to_string());
                let asked = open.remove(&request) || subscriptions.remove(&request);
                ensure!(asked, "an answer to no open request: {}", message.json);
            }
        }
        match open.iter().next() {
            Some((side, id)) => bail!("request {id} of the {side} was never answered"),
            None => Ok(()),
        }
    }

    /// The turn's updates stand between the prompt and its response; outside of a turn only the
    /// kinds may appear that describe the session itself.
    fn check_updates(&self) -> anyhow::Result<()> {
        let mut running: Option<&Value> = None;
        for message in &self.messages {
            match message.method() {
                Some("session/prompt") => running = message.json.get("id"),
                Some("session/update") => {
                    let kind = message.json.pointer("/params/update/sessionUpdate").and_then(Value::as_str);
                    let allowed = running.is_some() || kind.is_some_and(is_of_the_session);
                    ensure!(allowed, "an update outside of a turn: {}", message.json);
                }
                None if message.from == Side::Agent && message.json.get("id") == running => running = None,
                _ => {}
            }
        }
        Ok(())
    }

    /// A permission answer names an offered option or says `cancelled`, and only after a cancel.
    fn check_permissions(&self) -> anyhow::Result<()> {
        for request in self.calls("session/request_permission") {
            let Some(result) = self.answer(request).and_then(|answer| answer.json.get("result")) else {
                continue;
            };
            match result.pointer("/outcome/outcome").and_then(Value::as_str) {
                Some("cancelled") => {
                    let cancelled = self.calls("session/cancel").next().is_some();
                    ensure!(cancelled, "a permission was answered `cancelled` in a turn that was not");
                }
                Some("selected") => {
                    let chosen = result.pointer("/outcome/optionId");
                    let offered = request.json.pointer("/params/options").and_then(Value::as_array);
                    let known = offered.into_iter().flatten().any(|option| option.get("optionId") == chosen);
                    ensure!(known, "a permission answer names no offered option: {result}");
                }
                _ => bail!("a permission answer of unknown shape: {result}"),
            }
        }
        Ok(())
    }

    /// The agent leaves by itself, with code 0, once its input is closed.
    fn check_exit(&self) -> anyhow::Result<()> {
        let exit = self
            .exit
            .as_ref()
            .context("the agent was ended by force, without the time to exit when its input is closed")?;
        ensure!(
            exit.get("killed") == Some(&Value::Bool(false)),
            "the agent ran on after its input was closed"
        );
        let code = exit.get("code").and_then(Value::as_i64);
        ensure!(code == Some(0), "the agent ended with {exit}");
        Ok(())
    }
}

impl Message {
    fn read(entry: &str) -> anyhow::Result<Self> {
        let entry: Value = serde_json::from_str(entry).context("a torn line in the recording")?;
        let from = match entry.get("dir").and_then(Value::as_str) {
            Some("c2a") => Side::Client,
            Some("a2c") => Side::Agent,
            other => bail!("unknown direction {other:?} in the recording"),
        };
        let line = entry.get("line").and_then(Value::as_str).unwrap_or_default();
        let json: Value = serde_json::from_str(line)
            .with_context(|| format!("the {from} sent a line that is not JSON: {line}"))?;
        ensure!(json.get("jsonrpc") == Some(&"2.0".into()), "the {from} sent no JSON-RPC 2.0: {line}");
        Ok(Self { from, json })
    }

    pub(super) fn method(&self) -> Option<&str> {
        self.json.get("method").and_then(Value::as_str)
    }
}

impl Side {
    pub(super) fn other(self) -> Self {
        match self {
            Self::Client => Self::Agent,
            Self::Agent => Self::Client,
        }
    }
}

impl std::fmt::Display for Side {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Client => "client",
            Self::Agent => "agent",
        })
    }
}
