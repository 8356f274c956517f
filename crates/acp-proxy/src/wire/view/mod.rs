//! Messages of version 2 as the vocabulary has them, and back.
//!
//! A handler of the vocabulary takes the types of version 1. In version 2 it gets a *view*: the
//! message with its members renamed and moved as version 1 has them. All members stand in the view,
//! those that version 1 does not know included. The changes of a handler are merged into the view,
//! and the view is turned back. So a message keeps everything that its handler has not changed.

mod config;
mod diff;
mod members;
mod merge;
mod permission;
mod servers;
mod update;

use serde_json::Value;

pub(crate) use self::merge::merge;

/// The way of one method's params and result to version 1 and back.
#[derive(Clone, Copy)]
pub(crate) struct View {
    pub(crate) params: Way,
    /// `None` for a result that is alike in both versions.
    pub(crate) result: Option<Way>,
}

/// The way of a value to version 1 and back.
#[derive(Clone, Copy)]
pub(crate) struct Way {
    pub(crate) to_v1: fn(&mut Value),
    pub(crate) to_v2: fn(&mut Value),
}

/// The request that sets a mode. In version 2 modes are a config option.
pub(crate) const SET_MODE: &str = "session/set_mode";

/// The value is alike in both versions.
const ALIKE: Way = Way { to_v1: |_| {}, to_v2: |_| {} };
/// The config options of a session stand in its result.
const OPTIONS: Way = Way { to_v1: config::options_to_v1, to_v2: config::options_to_v2 };
const SERVERS: Way = Way { to_v1: servers::to_v1, to_v2: servers::to_v2 };
const MODE: Way = Way { to_v1: config::mode_to_v1, to_v2: config::mode_to_v2 };
const VALUE: Way = Way { to_v1: config::value_to_v1, to_v2: config::value_to_v2 };
const PERMISSION: Way = Way { to_v1: permission::to_v1, to_v2: permission::to_v2 };
const UPDATE: Way = Way { to_v1: update::to_v1, to_v2: update::to_v2 };

/// Returns the view of a method of the vocabulary.
pub(crate) fn view(method: &str) -> View {
    let (params, result) = match method {
        "session/new" | "session/load" | "session/resume" | "session/fork" => (SERVERS, Some(OPTIONS)),
        SET_MODE => (MODE, None),
        "session/set_config_option" => (VALUE, Some(OPTIONS)),
        "session/request_permission" => (PERMISSION, None),
        "session/update" => (UPDATE, None),
        _ => (ALIKE, None),
    };
    View { params, result }
}

/// Returns the name that a request of version 2 has in the vocabulary, if it is another one.
pub(crate) fn name_in_vocabulary(method: &str, replays: impl FnOnce() -> bool) -> Option<&'static str> {
    match method {
        "auth/login" => Some("authenticate"),
        "auth/logout" => Some("logout"),
        // A session is loaded by resuming it with its past.
        "session/resume" if replays() => Some("session/load"),
        _ => None,
    }
}
