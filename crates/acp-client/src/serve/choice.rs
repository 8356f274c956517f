//! Answers to permission requests.

use acp_types::v1::{
    PermissionOption, PermissionOptionId, PermissionOptionKind, RequestPermissionOutcome,
    RequestPermissionRequest, SelectedPermissionOutcome,
};

/// An answer to a permission request, by kind.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Choice {
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
    /// Gives no answer: the question was withdrawn.
    Cancel,
}

impl Choice {
    /// Returns the outcome of this choice among the options that a request offers. It is
    /// `cancelled` if none of them fits.
    ///
    /// An option whose kind this version of the protocol does not know fits no choice by kind.
    #[must_use]
    pub fn among(&self, request: &RequestPermissionRequest) -> RequestPermissionOutcome {
        match self.option(request) {
            Some(option) => SelectedPermissionOutcome::new(option.option_id.clone()).into(),
            None => RequestPermissionOutcome::Cancelled,
        }
    }

    /// Returns the offered option that fits this choice.
    pub(crate) fn option<'a>(&self, request: &'a RequestPermissionRequest) -> Option<&'a PermissionOption> {
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
            Self::Cancel => None,
        }
    }

    /// Returns the choice for later requests of the same run, if this choice holds for them.
    pub(crate) fn for_good(&self, request: &RequestPermissionRequest) -> Option<Self> {
        match self {
            Self::AllowAlways | Self::RejectAlways => Some(self.clone()),
            Self::Option(_) => match self.option(request)?.kind {
                PermissionOptionKind::AllowAlways => Some(Self::AllowAlways),
                PermissionOptionKind::RejectAlways => Some(Self::RejectAlways),
                _ => None,
            },
            _ => None,
        }
    }
}
