//! The consequences of answers, by the methods of their requests.

/// The consequence of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// The version is agreed on. Over HTTP it is given to whoever waits for it, and not to a
    /// stream.
    Agrees,
    /// It names a session that is new.
    Opens,
    /// Its session is known from now on.
    Confirms,
    /// A turn of version 2 runs from now on.
    Starts,
    /// Its session is gone.
    Ends,
    None,
}

impl Effect {
    pub(super) fn of(method: &str) -> Self {
        match method {
            "initialize" => Self::Agrees,
            "session/new" | "session/fork" => Self::Opens,
            "session/load" | "session/resume" => Self::Confirms,
            "session/prompt" => Self::Starts,
            "session/close" | "session/delete" => Self::Ends,
            _ => Self::None,
        }
    }
}
