//! Errors of an agent with advice for the user.

use std::fmt;
use std::time::SystemTime;

use acp_client::sanitize::line;
use acp_client::types::SessionId;
use acp_client::types::ext::format_timestamp;
use acp_client::{Error, StoreProblem};

use crate::outcome::Failure;

/// An error of an agent, in words that say what to do.
#[derive(Debug)]
pub(crate) struct Advised {
    error: Error,
    text: String,
}

impl Advised {
    pub(crate) const fn new(error: Error, text: String) -> Self {
        Self { error, text }
    }
}

impl fmt::Display for Advised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Advised {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

/// Turns an error into a failure. One about a session that cannot be used for now says what to do.
pub(crate) fn advised(error: Error) -> Failure {
    let text = match error.store_problem() {
        Some(StoreProblem::Busy { session, until }) => busy(&session, until, SystemTime::now()),
        Some(StoreProblem::Changed { session }) => format!(
            "session `{id}` was continued elsewhere: open it again to go on, with `acp prompt --session {id}`, or with \
             `/load {id}` in a chat",
            id = line(session.as_str())
        ),
        _ => return error.into(),
    };
    Advised::new(error, text).into()
}

/// Returns the error of a client in a failure.
pub(crate) fn client_error(failure: &Failure) -> Option<&Error> {
    let advised = failure.downcast_ref::<Advised>().map(|advised| &advised.error);
    advised.or_else(|| failure.downcast_ref())
}

fn busy(session: &SessionId, until: Option<SystemTime>, now: SystemTime) -> String {
    let id = line(session.as_str());
    let known = until.and_then(|until| Some((format_timestamp(until)?, until.duration_since(now).ok()?)));
    match known {
        None => format!("session `{id}` is open elsewhere: close it there, and then try again"),
        Some((time, left)) => format!(
            "session `{id}` is open elsewhere: close it there, or try again in {} s. If the other program is gone, the \
             session is free at {time}",
            left.as_secs().saturating_add(1)
        ),
    }
}
