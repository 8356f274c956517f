//! Shorter ways to the answer of a permission request.

use crate::v1::{PermissionOptionId, RequestPermissionOutcome, SelectedPermissionOutcome};

impl RequestPermissionOutcome {
    /// The user chose this option.
    #[must_use]
    pub fn selected(option: impl Into<PermissionOptionId>) -> Self {
        SelectedPermissionOutcome::new(option).into()
    }

    /// The chosen option. `None` when the request was cancelled, which is never consent (rule `v1-perm-08`).
    #[must_use]
    pub fn option(&self) -> Option<&PermissionOptionId> {
        match self {
            Self::Selected(outcome) => Some(&outcome.option_id),
            Self::Cancelled | Self::Unknown(_) => None,
        }
    }
}
