//! A rule of a policy.

use std::path::PathBuf;

use acp_types::v1::ToolKind;

use super::action::Action;
use super::{command, path};

/// A rule: its conditions, and its verdict. It fits if each of its conditions does. A rule without
/// conditions fits everything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    verdict: Verdict,
    reason: String,
    kinds: Vec<ToolKind>,
    paths: Vec<PathBuf>,
    commands: Vec<Vec<String>>,
}

/// The decision of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// It is done.
    Allow,
    /// It is not done.
    Deny,
    /// The user decides.
    Ask,
}

impl Verdict {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Deny => "deny",
            Self::Ask => "ask",
        }
    }
}

impl Rule {
    /// Makes a rule that allows. The reason stands in the record.
    pub fn allow(reason: impl Into<String>) -> Self {
        Self::new(Verdict::Allow, reason)
    }

    /// Makes a rule that denies. The reason stands in the record, and in errors to the agent.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::new(Verdict::Deny, reason)
    }

    /// Makes a rule that lets the user decide.
    pub fn ask(reason: impl Into<String>) -> Self {
        Self::new(Verdict::Ask, reason)
    }

    /// Makes a rule.
    pub fn new(verdict: Verdict, reason: impl Into<String>) -> Self {
        let (kinds, paths, commands) = (Vec::new(), Vec::new(), Vec::new());
        Self { verdict, reason: reason.into(), kinds, paths, commands }
    }

    /// Fits tools of this kind only. Of several kinds one is enough. Reading and writing the
    /// client's files counts as `read` and `edit`, and its commands as `execute`.
    #[must_use]
    pub fn kind(mut self, kind: ToolKind) -> Self {
        self.kinds.push(kind);
        self
    }

    /// Fits files at or below this absolute path only. Of several paths one is enough.
    ///
    /// A rule that denies or asks fits if any file of the tool does, and a rule that allows if all
    /// of them do and there is one. Paths are compared by their text, with `.` and `..` resolved. A
    /// relative path may be anywhere: so rules that deny or ask fit it, and rules that allow do
    /// not. Links are not followed: they may be on another machine.
    #[must_use]
    pub fn path(mut self, path: impl Into<PathBuf>) -> Self {
        self.paths.push(path.into());
        self
    }

    /// Fits commands that begin with these words only. Of several commands one is enough.
    ///
    /// A rule that denies or asks fits if any command in a line for a shell begins so, as far as
    /// that can be seen. A rule that allows fits only lines without signs that mean something to a
    /// shell.
    #[must_use]
    pub fn command(mut self, words: &str) -> Self {
        self.commands.push(words.split_whitespace().map(str::to_owned).collect());
        self
    }

    /// Returns the verdict.
    #[must_use]
    pub const fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Returns the reason.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }

    pub(super) fn fits(&self, action: &Action) -> bool {
        let by_kind = self.kinds.is_empty() || self.kinds.contains(&action.kind);
        by_kind && self.fits_paths(action) && self.fits_command(action)
    }

    /// In doubt a rule fits, unless it allows.
    fn allows(&self) -> bool {
        self.verdict == Verdict::Allow
    }

    fn fits_paths(&self, action: &Action) -> bool {
        if self.paths.is_empty() {
            return true;
        }
        let is_below = |file: &String| self.paths.iter().any(|folder| path::is_below(file, folder));
        if self.allows() {
            return !action.paths.is_empty() && action.paths.iter().all(is_below);
        }
        action.paths.iter().any(|file| path::is_anywhere(file) || is_below(file))
    }

    fn fits_command(&self, action: &Action) -> bool {
        if self.commands.is_empty() {
            return true;
        }
        let Some(line) = &action.command else { return false };
        self.commands.iter().any(|words| {
            if self.allows() { command::is_plainly(line, words) } else { command::contains(line, words) }
        })
    }
}
