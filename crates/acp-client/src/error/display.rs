//! Errors as text for people.

use std::fmt;

use acp_types::v1::{ProtocolVersion, SessionId};

use super::{Error, Reason};

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        ErrorText { error: self, shows_data: true }.fmt(f)
    }
}

impl Error {
    /// Returns the text without the `data` of the agent's errors, which is for the user alone.
    pub(crate) fn without_data(&self) -> String {
        ErrorText { error: self, shows_data: false }.to_string()
    }
}

impl From<&Error> for Reason {
    fn from(error: &Error) -> Self {
        Self::new(error.to_string(), error.without_data())
    }
}

struct ErrorText<'a> {
    error: &'a Error,
    shows_data: bool,
}

impl fmt::Display for ErrorText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (error, data) = (self.error, self.shows_data);
        match error {
            Error::Start { error, .. } => write!(f, "the agent could not be started: {error}"),
            Error::Connect { error } => write!(f, "the agent could not be reached: {error}"),
            Error::Version { asked, answered } => write!(
                f,
                "the agent speaks protocol version {}, this client version {}: use another release of one of them",
                answered.0, asked.0
            ),
            Error::NoCommonVersion { spoken, supported, .. } => write!(
                f,
                "the agent speaks protocol versions {}, this client speaks versions {}: use another release of one of \
                 them",
                Versions(supported),
                Versions(spoken)
            ),
            Error::InitializeTimeout { waited, stderr, noise } => write!(
                f,
                "the agent did not answer `initialize` within {waited:?}{}{}",
                Noise(*noise),
                LastWords(stderr)
            ),
            Error::NotAnAgent { noise, reason } => {
                write!(f, "`initialize` has no answer{}; {reason}", Noise(*noise))
            }
            Error::NotOffered { method, capability } => {
                write!(f, "`{method}` was not sent: the agent did not offer `{capability}`")
            }
            Error::Unsupported { method, what, version } => write!(
                f,
                "`{method}` was not sent: version {} of the protocol, which the agent speaks, does not have {what}",
                version.0
            ),
            Error::Content { method, session, block, kind, capability: Some(capability) } => write!(
                f,
                "`{method}` was not sent: `prompt[{block}]` is of kind `{kind}`, which needs `{capability}` of the agent \
                 (session `{session}`)"
            ),
            Error::Content { method, session, block, kind, capability: None } => write!(
                f,
                "`{method}` was not sent: `prompt[{block}]` is of kind `{kind}`, which this version of the protocol does \
                 not have (session `{session}`)"
            ),
            Error::LimitReached { session, limit } => {
                write!(f, "the turn was stopped by a limit: {limit} (session `{session}`)")
            }
            Error::Argument { method, field, problem } => {
                write!(f, "`{method}` was not sent: `{field}` {problem}")
            }
            Error::Busy { session } => write!(
                f,
                "`session/prompt` was not sent: another turn runs or is not read to its end (session `{session}`): \
                 finish or drop it first"
            ),
            Error::SessionClosed { method, session } => {
                write!(
                    f,
                    "`{method}` was not sent: the session is closed, so open another one (session `{session}`)"
                )
            }
            Error::CancelTimeout { session, waited } => write!(
                f,
                "the agent has not ended a cancelled turn within {waited:?}: close the session or the agent \
                 (`session/prompt`, session `{session}`)"
            ),
            Error::NotRestored { session, reason } => write!(
                f,
                "the agent was restarted without this session, so open another one: {} (session `{session}`)",
                reason.text(data)
            ),
            Error::GivenUp { restarts, reason } => {
                let reason = reason.text(data);
                write!(f, "the agent ended and is not back after {restarts} restarts: {reason}")
            }
            Error::Agent { method, session, error: answer } => {
                write!(f, "the agent answered `{method}`{} with an error: {answer}", In(session))?;
                // The message of a problem says it in words.
                match answer.reason().filter(|_| data && error.store_problem().is_none()) {
                    Some(reason) => write!(f, ": {reason}"),
                    None => Ok(()),
                }
            }
            Error::Closed { method, session, reason } => {
                write!(f, "`{method}`{} has no answer: {reason}", In(session))
            }
            Error::ServedTwice { method, clients: [first, second] } => write!(
                f,
                "`{method}` is served by two clients of one connection, `{first}` and `{second}`: leave one of them out"
            ),
            Error::Incomplete { capability, missing } => write!(
                f,
                "`{capability}` cannot be offered to the agent: serve `{}` as well, or none of it",
                missing.join("`, `")
            ),
            Error::Rpc(error) => f.write_str(&error.message),
            Error::Io(error) => error.fmt(f),
            Error::Other(error) => error.fmt(f),
            Error::Call { session, error } => write!(f, "{error}{}", In(session)),
        }
    }
}

/// A list of versions.
struct Versions<'a>(&'a [ProtocolVersion]);

impl fmt::Display for Versions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((first, others)) = self.0.split_first() else { return f.write_str("(none)") };
        write!(f, "{}", first.0)?;
        others.iter().try_for_each(|other| write!(f, ", {}", other.0))
    }
}

/// Lines on stdout that are not messages, or nothing.
struct Noise(u64);

impl fmt::Display for Noise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => return Ok(()),
            1 => f.write_str(", and a line on stdout is not a message")?,
            lines => write!(f, ", and {lines} lines on stdout are not messages")?,
        }
        f.write_str(": is it the command of an agent, with the arguments that make it one?")
    }
}

/// The last lines of a process on stderr, if there are any.
struct LastWords<'a>(&'a str);

impl fmt::Display for LastWords<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.trim() {
            "" => Ok(()),
            words => write!(f, "; its last words on stderr:\n{words}"),
        }
    }
}

/// ` (session …)`, or nothing.
struct In<'a>(&'a Option<SessionId>);

impl fmt::Display for In<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(session) => write!(f, " (session `{session}`)"),
            None => Ok(()),
        }
    }
}
