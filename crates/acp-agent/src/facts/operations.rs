//! Sets of operations.

use crate::op::Operation;

/// A set of operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operations(u64);

impl Operations {
    /// The empty set.
    pub const NONE: Self = Operations(0);

    /// Returns the set of these operations.
    #[must_use]
    pub const fn of(mut operations: &[Operation]) -> Self {
        let mut set = Operations::NONE;
        while let [first, rest @ ..] = operations {
            set = set.with(*first);
            operations = rest;
        }
        set
    }

    /// Returns the set with one more operation.
    #[must_use]
    pub const fn with(self, operation: Operation) -> Self {
        Operations(self.0 | 1 << operation as u32)
    }

    /// Leaves out each operation whose capability also stands for operations that are not in the
    /// set.
    pub(crate) fn complete(self) -> Self {
        let incomplete = |operation: &Operation| {
            let capability = operation.capability();
            let mut all = Operation::ALL.iter().filter(|_| capability.is_some());
            all.any(|other| other.capability() == capability && !self.contains(*other))
        };
        let complete =
            Operation::ALL.iter().filter(|operation| self.contains(**operation) && !incomplete(operation));
        complete.fold(Operations::NONE, |set, operation| set.with(*operation))
    }

    /// Returns whether the operation is in the set.
    #[must_use]
    pub const fn contains(self, operation: Operation) -> bool {
        self.0 & (1 << operation as u32) != 0
    }
}
