use acp_types::v1::{
    PermissionOption, PermissionOptionId, PermissionOptionKind, RequestPermissionOutcome,
    RequestPermissionRequest, SelectedPermissionOutcome,
};

/// An answer to a permission request, by kind.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Choice {
    /// This one run of the tool.
    AllowOnce,
    /// This run and those like it.
    AllowAlways,
    /// Not this run.
    RejectOnce,
    /// Neither this run nor those like it.
    RejectAlways,
    /// The offered option with this id, whatever its kind: for what the user has picked from the
    /// options themselves.
    Option(PermissionOptionId),
    /// No answer: the question was withdrawn.
    Cancel,
}

impl Choice {
    /// The outcome of this choice among the options that a request offers: `cancelled` when nothing
    /// fitting is offered.
    ///
    /// An option whose kind this version of the protocol does not know fits no kind.
    #[must_use]
    pub fn among(&self, request: &RequestPermissionRequest) -> RequestPermissionOutcome {
        match self.option(request) {
            Some(option) => SelectedPermissionOutcome::new(option.option_id.clone()).into(),
            None => RequestPermissionOutcome::Cancelled,
        }
    }

    /// The offered option that this choice comes to.
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

    /// The choice that also holds for later requests of the same run, when this one is for good.
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
