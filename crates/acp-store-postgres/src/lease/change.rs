//! The steps of a change: from its first attempt to an outcome that is certain.

/// The lease of a session, as its holder knows it.
#[derive(Clone, Debug)]
pub(crate) struct Lease<H> {
    /// The id that no other statement has ever made a holder.
    pub(crate) holder: H,
    pub(crate) epoch: i64,
    /// The number of changes of the session.
    pub(crate) seq: i64,
    /// Set while the outcome of a statement is unknown: the number of changes that it makes.
    doubt: Option<i64>,
}

impl<H> Lease<H> {
    pub(crate) const fn new(holder: H, epoch: i64, seq: i64) -> Self {
        Lease { holder, epoch, seq, doubt: None }
    }

    /// Returns true if the holder has to fence itself before it knows the number of changes.
    pub(crate) const fn is_in_doubt(&self) -> bool {
        self.doubt.is_some()
    }
}

/// The next statement of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The change itself.
    Apply,
    /// The fence, which tells if an earlier statement has made its changes.
    Fence,
}

/// The end of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// It is made.
    Made,
    /// Another log has opened the session, or somebody has deleted it. The change is not made, or
    /// was made before that and never acknowledged.
    Lost,
}

/// A change that is being made. A statement whose answer never comes needs no call: the next step
/// finds its outcome, in this change or in a later one.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    /// The number of changes of the session that it counts as.
    adds: i64,
    /// Set once the change was sent.
    is_sent: bool,
}

impl Change {
    pub(crate) const fn new(adds: i64) -> Self {
        Change { adds, is_sent: false }
    }

    /// Returns the next statement to send.
    pub(crate) const fn next<H>(&mut self, lease: &mut Lease<H>) -> Step {
        if lease.is_in_doubt() {
            return Step::Fence;
        }
        self.is_sent = true;
        lease.doubt = Some(self.adds);
        Step::Apply
    }

    /// Notes the answer to [`Step::Apply`]: whether a row fulfilled the conditions.
    pub(crate) const fn applied<H>(&mut self, lease: &mut Lease<H>, has_row: bool) -> Option<Ending> {
        if has_row {
            lease.doubt = None;
            lease.seq += self.adds;
            return Some(Ending::Made);
        }
        // The epoch may be higher because a lost statement of this log came late. The fence tells.
        self.is_sent = false;
        lease.doubt = Some(0);
        None
    }

    /// Notes that [`Step::Apply`] was answered with an error: nothing of it is made.
    pub(crate) const fn refused<H>(&mut self, lease: &mut Lease<H>) {
        self.is_sent = false;
        lease.doubt = None;
    }

    /// Notes the answer to [`Step::Fence`]: the epoch and the number of changes, if there was a row
    /// of this holder.
    pub(crate) fn fenced<H>(&self, lease: &mut Lease<H>, row: Option<(i64, i64)>) -> Option<Ending> {
        let Some((epoch, seq)) = row else { return Some(Ending::Lost) };
        let added = lease.doubt.take().unwrap_or_default();
        let is_made = seq != lease.seq;
        if is_made && seq != lease.seq + added {
            return Some(Ending::Lost);
        }
        lease.epoch = epoch;
        lease.seq = seq;
        (is_made && self.is_sent).then_some(Ending::Made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_answer_is_settled_by_a_fence() {
        for (found, is_made) in [(7, true), (5, false)] {
            let (mut lease, mut change) = (Lease::new((), 1, 5), Change::new(2));
            assert_eq!(change.next(&mut lease), Step::Apply);
            // The answer is lost, and that of the first fence, too.
            assert_eq!((change.next(&mut lease), change.next(&mut lease)), (Step::Fence, Step::Fence));
            let ending = change.fenced(&mut lease, Some((3, found)));
            assert_eq!(ending, is_made.then_some(Ending::Made));
            if !is_made {
                assert_eq!(change.next(&mut lease), Step::Apply);
                assert_eq!(change.applied(&mut lease, true), Some(Ending::Made));
            }
            assert_eq!((lease.epoch, lease.seq, lease.is_in_doubt()), (3, 7, false));
        }
    }

    #[test]
    fn a_change_that_was_given_up_is_settled_before_the_next_one() {
        for (found, end) in [(6, 7), (5, 6)] {
            let mut lease = Lease::new((), 1, 5);
            assert_eq!(Change::new(1).next(&mut lease), Step::Apply);
            assert!(lease.is_in_doubt());
            let mut change = Change::new(1);
            assert_eq!(change.next(&mut lease), Step::Fence);
            // Of the two, only the earlier one can have been made.
            assert_eq!(change.fenced(&mut lease, Some((2, found))), None);
            assert_eq!(change.next(&mut lease), Step::Apply);
            assert_eq!(change.applied(&mut lease, true), Some(Ending::Made));
            assert_eq!(lease.seq, end);
        }
    }

    #[test]
    fn a_change_that_is_refused_leaves_no_doubt() {
        let (mut lease, mut change) = (Lease::new((), 1, 5), Change::new(2));
        assert_eq!(change.next(&mut lease), Step::Apply);
        change.refused(&mut lease);
        assert_eq!((lease.epoch, lease.seq, lease.is_in_doubt()), (1, 5, false));
        assert_eq!(Change::new(1).next(&mut lease), Step::Apply);
    }

    #[test]
    fn a_session_of_somebody_else_is_lost() {
        let (mut lease, mut change) = (Lease::new((), 1, 5), Change::new(1));
        assert_eq!(change.next(&mut lease), Step::Apply);
        assert_eq!(change.applied(&mut lease, false), None);
        assert_eq!(change.next(&mut lease), Step::Fence);
        assert_eq!(change.fenced(&mut lease, None), Some(Ending::Lost));
    }
}
