//! The plan of a client that shows only one.

/// The id of a plan that has none. A session has one of them.
pub(super) const ONLY_PLAN: &str = "plan";

/// The plan that a client shows which takes only one: the last that it was sent.
#[derive(Debug, Default)]
pub(super) struct OnePlan {
    shown: Option<Box<str>>,
}

/// The effect of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// The client shows it.
    Shown,
    /// The client shows it in place of another.
    Replaces,
    /// The client is told nothing, because it shows another one.
    Hidden,
}

impl OnePlan {
    /// Takes note of a plan. One that is empty takes only itself away.
    pub(super) fn put(&mut self, id: &str, is_empty: bool) -> Effect {
        let is_other = self.shown.as_deref().is_some_and(|shown| shown != id);
        if is_empty && is_other {
            return Effect::Hidden;
        }
        self.shown = (!is_empty).then(|| id.into());
        if is_other { Effect::Replaces } else { Effect::Shown }
    }

    /// Returns true if this plan is the one that the client shows.
    #[cfg(feature = "unstable")]
    pub(super) fn shows(&self, id: &str) -> bool {
        self.shown.as_deref() == Some(id)
    }
}
