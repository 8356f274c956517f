//! Answers to permission requests.

use std::fmt;

use crate::v1::{
    PermissionOption, PermissionOptionId, PermissionOptionKind, RequestPermissionOutcome,
    RequestPermissionRequest, SelectedPermissionOutcome,
};

/// The user's answer to a permission request.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PermissionAnswer {
    /// Allows this run of the tool.
    AllowOnce,
    /// Allows this run and similar ones.
    AllowAlways,
    /// Rejects this run.
    RejectOnce,
    /// Rejects this run and similar ones.
    RejectAlways,
    /// Selects the offered option with this id, whatever its kind. The user has picked it from the
    /// options themselves.
    Option(PermissionOptionId),
    /// Gives no answer: the question was withdrawn or closed.
    Cancelled,
}

impl PermissionAnswer {
    /// Returns true if the tool may run. The id of an option does not say so: its
    /// [kind](PermissionOption::kind) does.
    #[must_use]
    pub const fn is_allowed(&self) -> bool {
        matches!(self, Self::AllowOnce | Self::AllowAlways)
    }

    /// Returns the outcome of this answer among the options that a request offers. It is
    /// `cancelled` if none of them fits.
    ///
    /// An option whose kind this version of the protocol does not know fits no answer by kind.
    #[must_use]
    pub fn among(&self, request: &RequestPermissionRequest) -> RequestPermissionOutcome {
        match self.option(request) {
            Some(option) => RequestPermissionOutcome::selected(option.option_id.clone()),
            None => RequestPermissionOutcome::Cancelled,
        }
    }

    /// Returns the offered option that fits this answer. An `allow always` may become an
    /// `allow once`, and a rejection may become the other kind of rejection. An `allow once` never
    /// becomes more.
    #[must_use]
    pub fn option<'a>(&self, request: &'a RequestPermissionRequest) -> Option<&'a PermissionOption> {
        use PermissionOptionKind::{AllowAlways, AllowOnce, RejectAlways, RejectOnce};
        let offered = &request.options;
        let of_kinds = |kinds: &[PermissionOptionKind]| {
            kinds.iter().find_map(|kind| offered.iter().find(|option| option.kind == *kind))
        };
        match self {
            Self::AllowOnce => of_kinds(&[AllowOnce]),
            Self::AllowAlways => of_kinds(&[AllowAlways, AllowOnce]),
            Self::RejectOnce => of_kinds(&[RejectOnce, RejectAlways]),
            Self::RejectAlways => of_kinds(&[RejectAlways, RejectOnce]),
            Self::Option(id) => offered.iter().find(|option| option.option_id == *id),
            Self::Cancelled => None,
        }
    }
}

/// Converts the kind of the chosen option. A kind that this version of the protocol does not know
/// is not consent.
impl From<&PermissionOptionKind> for PermissionAnswer {
    fn from(kind: &PermissionOptionKind) -> Self {
        match kind {
            PermissionOptionKind::AllowOnce => Self::AllowOnce,
            PermissionOptionKind::AllowAlways => Self::AllowAlways,
            PermissionOptionKind::RejectAlways => Self::RejectAlways,
            PermissionOptionKind::RejectOnce | PermissionOptionKind::Unknown(_) => Self::RejectOnce,
        }
    }
}

/// An outcome that chooses none of the offered options. It is [never
/// consent](https://github.com/acp-rs/acp/blob/main/docs/rules/v1.md#v1-perm-08).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotChosen {
    /// The request was cancelled.
    Cancelled,
    /// The option was not offered.
    NotOffered,
    /// The outcome is of a kind that this version of the protocol does not know.
    Unknown,
}

impl fmt::Display for NotChosen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl std::error::Error for NotChosen {}

impl NotChosen {
    /// Returns the problem, as the rest of a sentence about the answer.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Cancelled => "the request was cancelled",
            Self::NotOffered => "it chooses an option that was not offered",
            Self::Unknown => "its outcome is of a kind that is not known here",
        }
    }
}

impl RequestPermissionRequest {
    /// Returns the option that an outcome chooses. An option that was not offered is [not an
    /// answer](https://github.com/acp-rs/acp/blob/main/docs/rules/v1.md#v1-perm-04).
    ///
    /// # Errors
    /// The outcome chooses none of the offered options.
    pub fn chosen(&self, outcome: &RequestPermissionOutcome) -> Result<&PermissionOption, NotChosen> {
        match outcome {
            RequestPermissionOutcome::Cancelled => Err(NotChosen::Cancelled),
            RequestPermissionOutcome::Selected(chosen) => {
                let mut offered = self.options.iter();
                offered.find(|option| option.option_id == chosen.option_id).ok_or(NotChosen::NotOffered)
            }
            RequestPermissionOutcome::Unknown(_) => Err(NotChosen::Unknown),
        }
    }
}

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
