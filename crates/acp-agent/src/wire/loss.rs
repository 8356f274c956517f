//! Losses: values that the version of a connection has no form for.

/// The kinds of loss. Each is reported once in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "v2"), allow(dead_code, reason = "losses of version 2"))]
pub(crate) enum Loss {
    ClientTerminal,
    ModeWithoutModes,
    ModesBesideOption,
    ToolKind,
    ToolStatus,
    PlanStatus,
    PlanPriority,
    PermissionKind,
    StopReason,
    FileChanges,
    SeveralPlans,
    Role,
    TextFormat,
}

/// The losses of one message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Losses(u16);

impl Loss {
    pub(super) const ALL: [Self; 13] = [
        Self::ClientTerminal,
        Self::ModeWithoutModes,
        Self::ModesBesideOption,
        Self::ToolKind,
        Self::ToolStatus,
        Self::PlanStatus,
        Self::PlanPriority,
        Self::PermissionKind,
        Self::StopReason,
        Self::FileChanges,
        Self::SeveralPlans,
        Self::Role,
        Self::TextFormat,
    ];

    pub(super) const fn what(self) -> &'static str {
        match self {
            Self::ClientTerminal => "a terminal of the client in a tool call",
            Self::ModeWithoutModes => "a mode of a session without a list of modes",
            Self::ModesBesideOption => "a list of modes beside an option of category `mode`",
            Self::ToolKind => "a kind of tool call of the agent's own",
            Self::ToolStatus => "a status of a tool call of the agent's own",
            Self::PlanStatus => "a status in a plan of the agent's own",
            Self::PlanPriority => "a priority in a plan of the agent's own",
            Self::PermissionKind => "an option of a question, of a kind of the agent's own",
            Self::StopReason => "a stop reason of the agent's own",
            Self::FileChanges => "changes of files without their texts",
            Self::SeveralPlans => "a plan beside another",
            Self::Role => "an audience of the agent's own, of content",
            Self::TextFormat => "a format of a form's field, of the agent's own",
        }
    }

    pub(super) const fn instead(self) -> &'static str {
        match self {
            Self::ClientTerminal
            | Self::ModeWithoutModes
            | Self::PermissionKind
            | Self::Role
            | Self::TextFormat => "left out",
            Self::ModesBesideOption => "the option stands for them",
            Self::ToolKind => "sent as `other`",
            Self::ToolStatus => "sent as `in_progress`",
            Self::PlanStatus => "sent as `pending`",
            Self::PlanPriority => "sent as `medium`",
            Self::StopReason => "sent as `end_turn`",
            Self::FileChanges => "sent as text",
            Self::SeveralPlans => "the last one is shown",
        }
    }
}

impl Losses {
    pub(crate) const fn of(loss: Loss) -> Self {
        Losses(1 << loss as u16)
    }

    pub(crate) fn add(&mut self, loss: Loss) {
        self.0 |= Self::of(loss).0;
    }

    pub(crate) const fn and(self, other: Self) -> Self {
        Losses(self.0 | other.0)
    }

    pub(super) const fn from_bits(bits: u16) -> Self {
        Losses(bits)
    }

    pub(super) const fn bits(self) -> u16 {
        self.0
    }

    pub(super) const fn has(self, loss: Loss) -> bool {
        self.0 & Self::of(loss).0 != 0
    }
}
