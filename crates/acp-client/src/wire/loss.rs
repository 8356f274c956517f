//! Losses: values of the client that the version of a connection has no form for.

use std::sync::atomic::{AtomicU8, Ordering};

use acp_rpc::Fault;
use acp_types::v1::SessionId;

/// The kinds of loss. Each is reported once in a session, or once in a connection if no session is
/// concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "v2"), allow(dead_code, reason = "losses of version 2"))]
pub(crate) enum Loss {
    Role,
    Priority,
    Size,
    Outcome,
    Files,
    Terminals,
}

/// The losses of one message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Losses(u8);

/// The losses that were reported.
#[derive(Debug, Default)]
pub(crate) struct Reports(AtomicU8);

impl Loss {
    const ALL: [Self; 6] =
        [Self::Role, Self::Priority, Self::Size, Self::Outcome, Self::Files, Self::Terminals];

    const fn what(self) -> &'static str {
        match self {
            Self::Role => "an audience of the client's own, of content",
            Self::Priority => "a priority of content that is not between 0 and 1",
            Self::Size => "a size of a link that is below 0",
            Self::Outcome => "an answer to a question, of a kind of the client's own",
            Self::Files => "files of the client",
            Self::Terminals => "terminals of the client",
        }
    }

    const fn instead(self) -> &'static str {
        match self {
            Self::Role | Self::Priority | Self::Size => "left out",
            Self::Outcome => "answered `cancelled`",
            Self::Files => "the agent reads and writes files by itself",
            Self::Terminals => "the agent runs commands by itself",
        }
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

impl Losses {
    pub(super) const fn add(&mut self, loss: Loss) {
        self.0 |= loss.bit();
    }

    const fn has(self, loss: Loss) -> bool {
        self.0 & loss.bit() != 0
    }
}

impl Reports {
    /// Returns the reports of losses that were not reported before.
    pub(crate) fn of(&self, losses: Losses, session: Option<&SessionId>) -> Vec<String> {
        if losses == Losses::default() {
            return Vec::new();
        }
        let before = Losses(self.0.fetch_or(losses.0, Ordering::Relaxed));
        let news = Loss::ALL.into_iter().filter(|loss| losses.has(*loss) && !before.has(*loss));
        let report = |loss: Loss| {
            let of = session.map(|session| format!(" (session `{session}`)")).unwrap_or_default();
            let what = format!("{}{of}", loss.what());
            Fault::Degraded { what: &what, instead: loss.instead() }.to_string()
        };
        news.map(report).collect()
    }
}
