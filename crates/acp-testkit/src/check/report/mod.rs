//! The report of a check.

mod baseline;
mod coverage;
mod details;
mod json;
mod junit;
mod markdown;
mod text;
mod unsteady;
mod xml;

pub use self::baseline::Baseline;
pub use self::coverage::Coverage;
pub(super) use self::text::shell;
pub use self::unsteady::Unsteady;
use super::verdict::{Outcome, Verdict};
use super::version::Version;

/// The outcomes of a check, a rule each, in the order of the rule book.
#[derive(Clone, Debug)]
pub struct Report {
    version: Version,
    command: Vec<String>,
    outcomes: Vec<Outcome>,
    side: &'static str,
    /// The words of a command that repeats a case, behind its rule. Empty without a command.
    again: Vec<String>,
    /// The reason why the agent has never answered `initialize`, or the client has never sent it.
    unreached: Option<String>,
}

/// The result of a check as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// No rule that counts is broken, and each was judged. Exit code 0.
    Passed,
    /// A rule that counts is broken. Exit code 1.
    Failed,
    /// None is broken, and some could not be judged. Exit code 3.
    Inconclusive,
}

impl Status {
    /// Returns the exit code of a program that reports it.
    #[must_use]
    pub const fn exit_code(self) -> u8 {
        match self {
            Status::Passed => 0,
            Status::Failed => 1,
            Status::Inconclusive => 3,
        }
    }
}

impl Report {
    pub(super) const fn new(
        version: Version,
        side: &'static str,
        command: Vec<String>,
        outcomes: Vec<Outcome>,
    ) -> Self {
        Self { version, command, outcomes, side, again: Vec::new(), unreached: None }
    }

    pub(super) fn unreached_for(mut self, reason: Option<&str>) -> Self {
        self.unreached = reason.map(str::to_owned);
        self
    }

    /// Returns the reason why the agent has never answered `initialize`, or the client has never
    /// sent it, such as that the program does not start. `None` means that it has.
    ///
    /// With a reason the report says little about the program. A check in CI should fail, although
    /// the status is that of rules that stay open.
    #[must_use]
    pub fn unreached(&self) -> Option<&str> {
        self.unreached.as_deref()
    }

    /// Sets the options of the command that repeats a case. A side that is not a program has none.
    pub(super) fn shown(mut self, mut options: Vec<String>) -> Self {
        if !self.command.is_empty() {
            options.push("--".to_owned());
            options.extend_from_slice(&self.command);
            self.again = options;
        }
        self
    }

    /// Sets the words of the command that repeats a case: those that stand behind
    /// `acp check agent --rule ID`, with the program under check. By default they are made from
    /// the options of the check.
    #[must_use]
    pub fn again(mut self, words: Vec<String>) -> Self {
        self.again = words;
        self
    }

    /// Returns the outcomes.
    #[must_use]
    pub fn outcomes(&self) -> &[Outcome] {
        &self.outcomes
    }

    /// Returns the outcome of a rule, `None` if it was not judged.
    #[must_use]
    pub fn outcome(&self, rule: &str) -> Option<&Outcome> {
        self.outcomes.iter().find(|outcome| outcome.rule.id == rule)
    }

    /// Returns the result as a whole. MUST rules and definitions count, and with `strict` SHOULD
    /// rules, too.
    #[must_use]
    pub fn status(&self, strict: bool) -> Status {
        if self.outcomes.iter().any(|outcome| outcome.fails(strict)) {
            Status::Failed
        } else if self.outcomes.iter().any(|outcome| matches!(outcome.verdict, Verdict::Inconclusive(_))) {
            Status::Inconclusive
        } else {
            Status::Passed
        }
    }

    /// Returns the number of outcomes of each kind: pass, fail, not applicable, inconclusive.
    #[must_use]
    pub fn counts(&self) -> [usize; 4] {
        count(self.outcomes.iter())
    }
}

/// Returns the outcomes by area, in the order of the rule book.
fn areas(outcomes: &[Outcome]) -> impl Iterator<Item = (&str, &[Outcome])> {
    let of_one_area = |one: &Outcome, next: &Outcome| one.rule.area == next.rule.area;
    let named = |area: &'_ [Outcome]| area.first().map(|first| first.rule.area.as_str());
    outcomes.chunk_by(of_one_area).filter_map(move |area| Some((named(area)?, area)))
}

fn count<'a>(outcomes: impl Iterator<Item = &'a Outcome>) -> [usize; 4] {
    let [mut pass, mut fail, mut not_applicable, mut inconclusive] = [0; 4];
    for outcome in outcomes {
        match outcome.verdict {
            Verdict::Pass => pass += 1,
            Verdict::Fail(_) => fail += 1,
            Verdict::NotApplicable(_) => not_applicable += 1,
            Verdict::Inconclusive(_) => inconclusive += 1,
        }
    }
    [pass, fail, not_applicable, inconclusive]
}
