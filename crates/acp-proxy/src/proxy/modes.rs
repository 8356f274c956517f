//! The config options that are the modes of sessions, in version 2.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use acp_json::Node;

use crate::flow::responder::Responder;
use crate::wire::member::{member, session_of, text};
use crate::wire::message::{Answer, Call};
use crate::wire::methods::opens_session;

/// The ids of the config options of the category `mode`, by session, as the answers that open
/// sessions tell them.
#[derive(Clone, Debug, Default)]
pub(super) struct Modes(Arc<Mutex<HashMap<Box<str>, Box<str>>>>);

impl Modes {
    /// Learns the mode of a session from the answer to the request that opens it.
    pub(super) fn noted(&self, call: &Call<'_>, responder: Responder) -> Responder {
        if !opens_session(&call.method) {
            return responder;
        }
        let (modes, named) = (self.clone(), session_of(call.params).map(Box::<str>::from));
        responder.seen_by(move |answer, pass| {
            if let Answer::Result(result) = answer
                && let Some(session) = session_of(Some(result)).map(Into::into).or(named)
            {
                match option_of(result) {
                    Some(option) => drop(modes.lock().insert(session, option)),
                    None => drop(modes.lock().remove(&session)),
                }
            }
            pass(answer);
        })
    }

    /// Forgets a session that is closed.
    pub(super) fn forget(&self, call: &Call<'_>) {
        if matches!(&*call.method, "session/close" | "session/delete")
            && let Some(closed) = session_of(call.params)
        {
            self.lock().remove(&*closed);
        }
    }

    /// Returns true if a `session/set_config_option` sets the mode of its session.
    pub(super) fn is_mode(&self, call: &Call<'_>) -> bool {
        let Some(session) = session_of(call.params) else { return false };
        let option = call.params.and_then(|params| text(params, "configId"));
        self.lock().get(&*session).is_some_and(|mode| option.as_deref() == Some(&**mode))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Box<str>, Box<str>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the id of the option of the category `mode`.
fn option_of(result: &str) -> Option<Box<str>> {
    let options = acp_json::parse(member(result, "configOptions")?).ok()?;
    let Node::Seq(options) = options else { return None };
    let mode = options.iter().find(|option| option.get("category").and_then(Node::as_str) == Some("mode"))?;
    Some(mode.get("configId")?.as_str()?.into())
}
