//! The config options that are the modes of sessions, in version 2.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use acp_rpc::Error;
use serde_json::Value;

use crate::flow::json::Json;
use crate::flow::reply::Reply;
use crate::flow::responder::Responder;
use crate::wire::member::{member, session_of, text, with};
use crate::wire::message::{Answer, Call};
use crate::wire::methods::opens_session;

/// The request that sets an option.
const SET_OPTION: &str = "session/set_config_option";
/// The bytes of the lists of options that are kept. Of more, those that have not been changed for
/// the longest time are forgotten. The ids of modes stay, so no mode gets past its handler.
const MOST: usize = 1024 * 1024;

/// The config options of sessions, as the client has them last.
#[derive(Clone, Debug, Default)]
pub(super) struct Modes(Arc<Mutex<Known>>);

#[derive(Debug, Default)]
struct Known {
    sessions: HashMap<Box<str>, Session>,
    /// The bytes of all lists.
    bytes: usize,
    /// The number of the last change.
    changes: u64,
}

#[derive(Debug)]
struct Session {
    /// The id of the option of the category `mode`.
    mode: Box<str>,
    /// The list of all options, as JSON text, unless it is forgotten.
    options: Option<Box<str>>,
    changed: u64,
}

impl Modes {
    /// Learns the options of a session from the answer to a request that opens it or sets one.
    pub(super) fn noted(&self, call: &Call<'_>, responder: Responder) -> Responder {
        let opens = opens_session(&call.method);
        if !opens && call.method != SET_OPTION {
            return responder;
        }
        let (modes, named) = (self.clone(), session_of(call.params).map(Box::<str>::from));
        responder.seen_by(move |answer, pass| {
            if let Answer::Result(result) = answer
                && let Some(session) = session_of(Some(result)).map(Into::into).or(named)
            {
                match member(result, "configOptions") {
                    Some(options) => modes.learn(&session, options),
                    None if opens => modes.forget(&session),
                    None => {}
                }
            }
            pass(answer);
        })
    }

    /// Learns the options of a session from an update.
    pub(super) fn updated(&self, params: &str) {
        let Some(update) = member(params, "update") else { return };
        if text(update, "sessionUpdate").as_deref() == Some("config_option_update")
            && let Some(options) = member(update, "configOptions")
            && let Some(session) = session_of(Some(params))
        {
            self.learn(&session, options);
        }
    }

    fn learn(&self, session: &str, options: &str) {
        self.forget(session);
        let Some(mode) = mode_of(options) else { return };
        let mut known = self.lock();
        known.changes += 1;
        known.bytes += options.len();
        let (options, changed) = (Some(options.into()), known.changes);
        known.sessions.insert(session.into(), Session { mode, options, changed });
        while known.bytes > MOST {
            known.forget_oldest();
        }
    }

    /// Forgets a session that is closed.
    pub(super) fn forget(&self, session: &str) {
        let mut known = self.lock();
        let gone = known.sessions.remove(session).and_then(|session| session.options);
        known.bytes -= gone.map_or(0, |options| options.len());
    }

    /// Returns true if a `session/set_config_option` sets the mode of its session.
    pub(super) fn is_mode(&self, call: &Call<'_>) -> bool {
        let Some(session) = session_of(call.params) else { return false };
        let option = call.params.and_then(|params| text(params, "configId"));
        self.lock().sessions.get(&*session).is_some_and(|known| option.as_deref() == Some(&*known.mode))
    }

    /// Returns the list of a session's options with another mode, if it is known.
    pub(super) fn with_mode(&self, session: &str, mode: &str) -> Option<String> {
        let known = self.lock();
        let Session { mode: option, options, .. } = known.sessions.get(session)?;
        let mut options: Vec<Value> = serde_json::from_str(options.as_deref()?).ok()?;
        let chosen =
            options.iter_mut().find(|one| one.get("configId").and_then(Value::as_str) == Some(option));
        *chosen?.get_mut("currentValue")? = mode.into();
        Some(Value::from(options).to_string())
    }

    /// Returns the reply of a handler of `session/set_mode` as version 2 has it: with all options.
    /// `heard` is the answer of the rest of the chain, if the handler has asked it.
    pub(super) fn answered(&self, params: Option<&Json>, heard: Option<&Json>, reply: Reply) -> Reply {
        let Some(result) = reply.result().map(Json::as_str) else { return reply };
        if member(result, "configOptions").is_some() {
            return reply;
        }
        let params = params.map_or("{}", Json::as_str);
        let session = session_of(Some(params)).unwrap_or_default();
        let heard = heard.and_then(|heard| member(heard.as_str(), "configOptions")).map(str::to_owned);
        let options = heard.or_else(|| self.with_mode(&session, &text(params, "value")?));
        match options.and_then(|options| with(result, "configOptions", &options)) {
            Some(result) => Reply::from_answer(Answer::Result(&result)),
            None => Error::internal(format!(
                "a handler answered `session/set_mode` in place of the rest of the chain, and version 2 \
                 answers with all config options: those of the session `{session}` are not known any more"
            ))
            .into(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn forget_oldest(&mut self) {
        let kept = self.sessions.values_mut().filter(|session| session.options.is_some());
        let oldest = kept.min_by_key(|session| session.changed);
        let gone = oldest.and_then(|session| session.options.take());
        self.bytes = gone.map_or(0, |options| self.bytes - options.len());
    }
}

/// Returns the id of the option of the category `mode`.
fn mode_of(options: &str) -> Option<Box<str>> {
    let options: Vec<Value> = serde_json::from_str(options).ok()?;
    let text = |option: &Value, name: &str| option.get(name).and_then(Value::as_str).map(Box::<str>::from);
    let mode = options.iter().find(|option| text(option, "category").as_deref() == Some("mode"))?;
    text(mode, "configId")
}
