//! Clients of the legacy era: their handshake, and their requests as those of the modern era.

use std::sync::{Arc, Mutex, PoisonError};

use acp_rpc::Error;

use super::{Conversation, Open, VERSION};
use crate::bridge::hearer::Hearer;
use crate::wire::forms::error_text;
use crate::wire::member::{at, member, text, with_at};
use crate::wire::message::{Answer, Call};

/// The version that servers over the connection speak.
const MODERN: &str = "\"2026-07-28\"";
/// The versions that begin with a handshake, the newest first.
const VERSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// The facts that a client of the legacy era has told at the beginning.
pub(super) struct Legacy {
    capabilities: Box<str>,
    info: Option<Box<str>>,
    /// The level from which on it wants to have log messages, as JSON text.
    level: Mutex<Option<Box<str>>>,
    /// The capabilities of the server.
    pub(super) server: Box<str>,
}

impl Legacy {
    /// Adds what the modern era says with each request.
    pub(super) fn params(&self, params: Option<&str>) -> Option<String> {
        let level = self.level.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let members = [
            (VERSION, Some(MODERN)),
            ("io.modelcontextprotocol/clientCapabilities", Some(&*self.capabilities)),
            ("io.modelcontextprotocol/clientInfo", self.info.as_deref()),
            ("io.modelcontextprotocol/logLevel", level.as_deref()),
        ];
        let members = members.into_iter().filter_map(|(name, value)| Some((name, value?)));
        members.into_iter().try_fold(params.unwrap_or("{}").to_owned(), |params, (name, value)| {
            with_at(&params, &["_meta", name], value)
        })
    }
}

impl Conversation {
    /// Answers the handshake with what the server says of itself.
    pub(super) fn initialize(self: &Arc<Self>, params: Option<&str>, open: Open) {
        let of = |name| params.and_then(|params| member(params, name));
        let asked = params.and_then(|params| text(params, "protocolVersion"));
        let version = VERSIONS.into_iter().find(|version| asked.as_deref() == Some(version));
        let version = version.unwrap_or(VERSIONS[0]);
        let mut legacy = Legacy {
            capabilities: of("capabilities").unwrap_or("{}").into(),
            info: of("clientInfo").map(Into::into),
            level: Mutex::default(),
            server: "{}".into(),
        };
        let discover = legacy.params(None);
        let call = Call { method: "server/discover".into(), params: discover.as_deref() };
        let (this, cancel) = (Arc::clone(self), Arc::clone(&open.cancel));
        self.shared.ask(&self.offer, &call, Hearer::Nobody, cancel, move |answer| match answer {
            Answer::Result(result) => {
                legacy.server = member(result, "capabilities").unwrap_or("{}").into();
                this.state().legacy = Some(Arc::new(legacy));
                let answer = introduction(result, version, &this.offer.name);
                this.answer(&open, Answer::Result(&answer));
            }
            Answer::Error(_) => this.answer(&open, answer),
        });
    }

    /// Passes a request of the legacy era on.
    pub(super) fn legacy_request(self: &Arc<Self>, legacy: &Arc<Legacy>, call: &Call<'_>, open: Open) {
        match &*call.method {
            "logging/setLevel" => {
                let level = call.params.and_then(|params| member(params, "level")).map(Into::into);
                *legacy.level.lock().unwrap_or_else(PoisonError::into_inner) = level;
                self.answer(&open, Answer::Result("{}"));
            }
            "resources/subscribe" | "resources/unsubscribe" => {
                let answer = match call.params.and_then(|params| member(params, "uri")) {
                    Some(uri) => {
                        self.subscribe(uri, call.method == "resources/subscribe");
                        Ok(())
                    }
                    None => Err(error_text(&Error::invalid_params("`uri` is missing"))),
                };
                self.answer(
                    &open,
                    answer.as_ref().map_or_else(|error| Answer::Error(error), |()| Answer::Result("{}")),
                );
            }
            _ => match legacy.params(call.params) {
                Some(params) => self.ask_in_rounds(&call.method, &params, open),
                None => self.forward(call, open),
            },
        }
    }
}

/// Writes the answer to `initialize` from that to `server/discover`.
fn introduction(discovered: &str, version: &str, name: &str) -> String {
    let capabilities = member(discovered, "capabilities").unwrap_or("{}");
    let mut text = format!(r#"{{"protocolVersion":"{version}","capabilities":{capabilities},"serverInfo":"#);
    match at(discovered, &["_meta", "io.modelcontextprotocol/serverInfo"]) {
        Some(info) => text.push_str(info),
        None => text.push_str(&serde_json::json!({"name": name, "version": "unknown"}).to_string()),
    }
    for name in ["instructions", "_meta"] {
        if let Some(value) = member(discovered, name).filter(|value| *value != "null") {
            text.push_str(&format!(r#","{name}":{value}"#));
        }
    }
    text.push('}');
    text
}
