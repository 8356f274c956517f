//! The conditions of statements, as SQL and as functions.

/// A condition on the row of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    /// Nobody holds an unexpired lease, or an earlier attempt of this log does, whose answer was
    /// lost.
    FreeOrOwn,
    /// An earlier attempt of this log, whose answer was lost, holds the lease.
    Own,
    /// Nobody holds an unexpired lease, or the session is being deleted.
    FreeOrDeleted,
    /// The session is being deleted.
    Deleted,
    /// The session has no records.
    Empty,
    /// The holder is this log.
    Holder,
    /// The epoch is that of this log.
    Epoch,
}

/// A session is opened.
pub(crate) const OPEN: &[Condition] = &[Condition::FreeOrOwn];
/// A log takes the session that an earlier attempt of its own has created.
pub(crate) const ADOPT: &[Condition] = &[Condition::Own];
/// Records are added, or facts changed.
pub(crate) const CHANGE: &[Condition] = &[Condition::Holder, Condition::Epoch];
/// A log fences itself.
pub(crate) const FENCE: &[Condition] = &[Condition::Holder];
/// A lease is prolonged.
pub(crate) const RENEW: &[Condition] = &[Condition::Holder];
/// A lease is given up.
pub(crate) const RELEASE: &[Condition] = &[Condition::Holder];
/// A session is deleted whose creation was given up. Nobody knows it.
pub(crate) const UNDO: &[Condition] = &[Condition::Holder];
/// A session is marked as deleted: from here on nobody can open it.
pub(crate) const DELETE: &[Condition] = &[Condition::FreeOrDeleted];
/// Some records of a session that is marked are deleted.
pub(crate) const PIECE: &[Condition] = &[Condition::Deleted];
/// The row of a session that is marked is deleted.
pub(crate) const REMOVE: &[Condition] = &[Condition::Deleted, Condition::Empty];

impl Condition {
    /// Returns the condition as SQL. `$3` is the holder, `$4` the epoch, and `$5` the holders of
    /// earlier attempts.
    const fn sql(self) -> &'static str {
        match self {
            Condition::FreeOrDeleted => {
                "(s.lease_until is null or s.lease_until <= now() or s.holder = 'deleted')"
            }
            Condition::Deleted => "s.holder = 'deleted'",
            Condition::Empty => {
                "not exists (select 1 from acp_batch b where b.principal = s.principal and b.session = s.session)"
            }
            Condition::FreeOrOwn => "(s.lease_until is null or s.lease_until <= now() or s.holder = any($5))",
            Condition::Own => "s.holder = any($5)",
            Condition::Holder => "s.holder = $3",
            Condition::Epoch => "s.epoch = $4",
        }
    }
}

/// Returns the conditions as SQL.
pub(crate) fn sql(conditions: &[Condition]) -> String {
    conditions.iter().map(|condition| condition.sql()).collect::<Vec<_>>().join(" and ")
}

/// The holder of a session that is being deleted. A log never has this id.
#[cfg(test)]
pub(crate) const DELETED: u64 = u64::MAX;

/// The lease in the row of a session.
#[cfg(test)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) holder: Option<u64>,
    pub(crate) epoch: i64,
    pub(crate) lease_until: Option<u64>,
}

/// The parameters of a statement that its conditions use.
#[cfg(test)]
pub(crate) struct Given<'g> {
    pub(crate) holder: u64,
    pub(crate) epoch: i64,
    /// The holders of earlier attempts.
    pub(crate) earlier: &'g [u64],
    /// The time of the database.
    pub(crate) now: u64,
    /// Set if the session has no records.
    pub(crate) is_empty: bool,
}

#[cfg(test)]
impl Condition {
    /// Returns whether the condition holds for a row.
    pub(crate) fn holds(self, head: &Head, given: &Given<'_>) -> bool {
        let is_free = head.lease_until.is_none_or(|until| until <= given.now);
        let is_own = head.holder.is_some_and(|holder| given.earlier.contains(&holder));
        match self {
            Condition::FreeOrDeleted => is_free || head.holder == Some(DELETED),
            Condition::Deleted => head.holder == Some(DELETED),
            Condition::Empty => given.is_empty,
            Condition::FreeOrOwn => is_free || is_own,
            Condition::Own => is_own,
            Condition::Holder => head.holder == Some(given.holder),
            Condition::Epoch => head.epoch == given.epoch,
        }
    }
}
