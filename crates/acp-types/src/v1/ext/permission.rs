//! Shorter ways to the answer of a permission request.

use crate::v1::{PermissionOptionId, RequestPermissionOutcome, SelectedPermissionOutcome};

impl RequestPermissionOutcome {
    /// Makes the outcome in which the user chose this option.
    #[must_use]
    pub fn selected(option: impl Into<PermissionOptionId>) -> Self {
        SelectedPermissionOutcome::new(option).into()
    }

    /// Returns the chosen option. `None` means that the request was cancelled, [which is never
    /// consent](https://github.com/acp-rs/acp/blob/main/docs/rules/v1.md#v1-perm-08).
    #[must_use]
    pub fn option(&self) -> Option<&PermissionOptionId> {
        match self {
            Self::Selected(outcome) => Some(&outcome.option_id),
            Self::Cancelled | Self::Unknown(_) => None,
        }
    }
}
