//! Values of the agent that have no form in the client's version, and their report.

use std::fmt;
use std::sync::Arc;

use acp_agent::Fault;
use acp_agent::types::SessionId;

/// Receives the faults of a bridge.
pub(super) type OnFault = Arc<dyn Fn(&Fault<'_>) + Send + Sync>;

/// A kind of value that the client does not get as the agent has sent it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loss {
    Background,
    Plans,
    Message,
    Terminal,
    FileChanges,
    OwnWord,
    Update,
}

impl Loss {
    const ALL: [Self; 7] = [
        Self::Background,
        Self::Plans,
        Self::Message,
        Self::Terminal,
        Self::FileChanges,
        Self::OwnWord,
        Self::Update,
    ];

    const fn what(self) -> &'static str {
        match self {
            Self::Background => "the list of background work",
            Self::Plans => "several plans",
            Self::Message => "a message that is replaced",
            Self::Terminal => "a terminal of the agent",
            Self::FileChanges => "changes of files without their texts",
            Self::OwnWord => "a kind or status of a tool call of the agent's own",
            Self::Update => "an update of another version",
        }
    }

    const fn instead(self) -> &'static str {
        match self {
            Self::Background => "only the updates of the work are sent",
            Self::Plans => "the last one is sent",
            Self::Message => "it is sent as another message",
            Self::Terminal => "its output is sent as text",
            Self::FileChanges => "they are sent as text",
            Self::OwnWord => "it is sent as `other` or `in_progress`",
            Self::Update => "it is left out",
        }
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// The losses of a session. Each kind is reported once.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Losses {
    seen: u8,
    reported: u8,
}

impl Losses {
    pub(super) fn note(&mut self, loss: Loss) {
        self.seen |= loss.bit();
    }

    /// Returns the kinds that were noted for the first time since the last call.
    pub(super) fn take(&mut self) -> impl Iterator<Item = Loss> + use<> {
        let new = self.seen & !self.reported;
        self.reported = self.seen;
        Loss::ALL.into_iter().filter(move |loss| new & loss.bit() != 0)
    }
}

/// Reports losses of a session.
pub(super) fn report(losses: impl Iterator<Item = Loss>, session: &SessionId, on_fault: Option<&OnFault>) {
    let Some(on_fault) = on_fault else { return };
    for loss in losses {
        let what = format!("{} (session `{}`)", loss.what(), Shown(session));
        on_fault(&Fault::Degraded { what: &what, instead: loss.instead() });
    }
}

/// The id of a session in a message for people, cut after 64 characters.
struct Shown<'a>(&'a SessionId);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.as_str().chars().take(64).try_for_each(|char| write!(f, "{char}"))
    }
}
