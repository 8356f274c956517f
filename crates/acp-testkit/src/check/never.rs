//! Things that a program never does, by the word of the one who checks it.

use super::subject::Recording;
use super::verdict::{Outcome, Stop, Verdict};
use crate::peer::{Line, Message, Way};

/// The reason of rules that need a prompt which was not set.
pub(super) const NO_PERMISSION_PROMPT: &str = "no prompt is set for which the agent asks: `--permission TEXT` sets it, \
    and `--never permission` says that there is none";

/// The reason of rules that need an endless prompt which was not set.
pub(super) const NO_ENDLESS_PROMPT: &str =
    "no endless prompt is set: `--endless TEXT` sets it, and `--never endless` says that there is none";

/// A thing that a program under check never does. Rules about it do not apply.
///
/// The checker cannot find that out by itself: it may only not know the right prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Never {
    /// An agent never asks for permission.
    Permission,
    /// No turn of an agent lasts until it is cancelled.
    Endless,
    /// A client never cancels a turn.
    Cancel,
}

impl Never {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Permission, Self::Endless, Self::Cancel];

    /// Returns its name, as the option `--never` of `acp check` has it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Permission => "permission",
            Self::Endless => "endless",
            Self::Cancel => "cancel",
        }
    }

    const fn reason(self) -> &'static str {
        match self {
            Self::Permission => "the agent never asks for permission, as the check was told",
            Self::Endless => "no turn of the agent lasts until it is cancelled, as the check was told",
            Self::Cancel => "the client never cancels a turn, as the check was told",
        }
    }

    /// Returns the end of a scenario that did not get to this thing: the rule does not apply if it
    /// is one of these, and stays open otherwise.
    pub(super) fn stop(self, never: &[Self], reason: &str) -> Stop {
        if never.contains(&self) {
            return Stop::NotApplicable(self.reason().to_owned());
        }
        Stop::Inconclusive(reason.to_owned())
    }

    /// Leaves the rules open that do not apply because of it, if the program has done it after all.
    pub(super) fn hold(self, outcomes: &mut [Outcome], recordings: &[Recording]) {
        let mut lines = recordings.iter().flat_map(|recording| &recording.lines);
        if !lines.any(|line| self.is_done_by(line)) {
            return;
        }
        for outcome in outcomes {
            if matches!(&outcome.verdict, Verdict::NotApplicable(reason) if reason == self.reason()) {
                let name = self.name();
                let reason = format!("the check was told `never {name}`, but that was seen");
                outcome.verdict = Verdict::Inconclusive(reason);
            }
        }
    }

    fn is_done_by(self, line: &Line) -> bool {
        let method = match self {
            Self::Permission => "session/request_permission",
            Self::Cancel => "session/cancel",
            // A turn that lasts is judged whatever was told.
            Self::Endless => return false,
        };
        let calls = |json| Message::new(json).method() == Some(method);
        line.way == Way::Received && line.json().is_some_and(calls)
    }
}
