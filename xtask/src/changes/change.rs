//! One change, and how it is judged.

use crate::codegen::defect::Defect;

/// The part of the protocol that a change concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stability {
    Stable,
    Unstable,
}

/// The kind of thing that changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Category {
    Method,
    Definition,
    Field,
    /// A value of an enum, a variant or an arm of a union.
    Variant,
    /// The meaning of absence and `null`.
    Presence,
    /// A reader's answer to malformed values.
    Hint,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verb {
    Added,
    Removed,
    Changed,
    /// From unstable to stable.
    Promoted,
    /// From stable to unstable.
    Demoted,
    /// A guess: of the same shape one went and one came.
    Renamed,
}

/// The effect on peers of the two releases, in both directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wire {
    Compatible,
    Breaking,
}

/// The step of semantic versioning for users of the generated types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Api {
    Patch,
    Minor,
    Major,
}

/// Sorted by part of the protocol, kind of thing, name, and what happened to it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    pub stability: Stability,
    pub category: Category,
    /// `session/prompt`, `ToolCall`, `ToolCall.title`, `ToolKind::edit`.
    pub name: String,
    pub verb: Verb,
    pub detail: String,
    pub wire: Wire,
    pub api: Api,
}

impl Wire {
    pub(super) fn compatible_if(condition: bool) -> Self {
        if condition { Self::Compatible } else { Self::Breaking }
    }
}

impl Stability {
    pub(super) fn of(unstable: bool) -> Self {
        if unstable { Self::Unstable } else { Self::Stable }
    }
}

/// Changes of one definition or method, as they are found.
#[derive(Debug)]
pub(super) struct Changes {
    stability: Stability,
    pub(super) found: Vec<Change>,
}

impl Changes {
    pub(super) fn new(stability: Stability) -> Self {
        Self { stability, found: Vec::new() }
    }

    pub(super) fn push(
        &mut self,
        (category, verb): (Category, Verb),
        name: impl Into<String>,
        detail: impl Into<String>,
        (wire, api): (Wire, Api),
    ) {
        let (name, detail) = (name.into(), detail.into());
        self.found.push(Change { stability: self.stability, category, name, verb, detail, wire, api });
    }

    /// A part came; whether the older side can do without it is the caller's judgement.
    pub(super) fn added(
        &mut self,
        category: Category,
        name: String,
        detail: String,
        judged: (Wire, Api),
        unstable: bool,
    ) {
        self.of_part(unstable, |changes| changes.push((category, Verb::Added), name, detail, judged));
    }

    pub(super) fn removed(
        &mut self,
        category: Category,
        name: String,
        detail: String,
        wire: Wire,
        unstable: bool,
    ) {
        let judged = (wire, Api::Major);
        self.of_part(unstable, |changes| changes.push((category, Verb::Removed), name, detail, judged));
    }

    /// Enters a part's move between stable and unstable, if it moved.
    pub(super) fn moved(&mut self, category: Category, name: &str, was_unstable: bool, is_unstable: bool) {
        let (verb, detail, api) = match (was_unstable, is_unstable) {
            (true, false) => (Verb::Promoted, "now stable", Api::Minor),
            (false, true) => (Verb::Demoted, "now only with the feature `unstable`", Api::Major),
            _ => return,
        };
        let judged = (Wire::Compatible, api);
        self.of_part(false, |changes| changes.push((category, verb), name, detail, judged));
    }

    /// Changes of a part that is unstable by itself do not concern the stable protocol.
    pub(super) fn of_part(&mut self, unstable: bool, report: impl FnOnce(&mut Self)) {
        let whole = self.stability;
        if unstable {
            self.stability = Stability::Unstable;
        }
        report(self);
        self.stability = whole;
    }
}

/// The changes of one version of the protocol.
#[derive(Debug)]
pub struct VersionChanges {
    pub version: &'static str,
    /// Sorted.
    pub changes: Vec<Change>,
    /// The parts that could not be compared, because a side fits no shape or lacks a decision of
    /// the overlay.
    pub not_compared: Vec<Defect>,
}
