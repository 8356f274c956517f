//! Values that lose something in the version of a connection, and the reports of them.

use std::sync::atomic::{AtomicU16, Ordering};

use acp_rpc::Fault;
use acp_types::v1::{PermissionOption, PromptResponse, SessionId, SessionUpdate};

use super::settings::KnownSettings;
use super::setup::Setup;
#[cfg(feature = "v2")]
use super::v2;
use super::{Wire, v1};
use crate::error::{OnFault, Shown};

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
}

/// The losses of one message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Losses(u16);

/// The losses that were reported in a session.
#[derive(Debug, Default)]
pub(crate) struct Reports(AtomicU16);

impl Loss {
    const ALL: [Self; 10] = [
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
    ];

    const fn what(self) -> &'static str {
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
        }
    }

    const fn instead(self) -> &'static str {
        match self {
            Self::ClientTerminal | Self::ModeWithoutModes | Self::PermissionKind => "left out",
            Self::ModesBesideOption => "the option stands for them",
            Self::ToolKind => "sent as `other`",
            Self::ToolStatus => "sent as `in_progress`",
            Self::PlanStatus => "sent as `pending`",
            Self::PlanPriority => "sent as `medium`",
            Self::StopReason => "sent as `end_turn`",
            Self::FileChanges => "sent as text",
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

    const fn has(self, loss: Loss) -> bool {
        self.0 & Self::of(loss).0 != 0
    }
}

impl Reports {
    /// Reports the losses that were not reported before in this session.
    pub(crate) fn note(&self, losses: Losses, session: &SessionId, on_fault: Option<&OnFault>) {
        if losses == Losses::default() {
            return;
        }
        let before = Losses(self.0.fetch_or(losses.0, Ordering::Relaxed));
        for loss in Loss::ALL.into_iter().filter(|loss| losses.has(*loss) && !before.has(*loss)) {
            let (what, instead) = (loss.what(), loss.instead());
            #[cfg(feature = "tracing")]
            tracing::warn!(
                session = session.as_str(),
                what,
                instead,
                "the client's version has no form of this"
            );
            if let Some(on_fault) = on_fault {
                let what = format!("{what} (session `{}`)", Shown(session));
                on_fault(&Fault::Degraded { what: &what, instead });
            }
        }
    }
}

#[cfg_attr(not(feature = "v2"), allow(unused_variables, reason = "version 1 needs no settings"))]
impl Wire {
    /// Gives an update what has a form in this version, and returns what is lost by that or when
    /// it is written.
    pub(crate) fn fit(&self, update: &mut SessionUpdate, settings: Option<&KnownSettings>) -> Losses {
        match self {
            Wire::V1 => v1::fit::update(update),
            #[cfg(feature = "v2")]
            Wire::V2 => v2::losses::of_update(update, settings),
        }
    }

    /// Returns what is lost when these settings of a session are written.
    pub(crate) fn lost_in(&self, setup: &Setup) -> Losses {
        match self {
            Wire::V1 => Losses::default(),
            #[cfg(feature = "v2")]
            Wire::V2 => v2::losses::of_setup(setup),
        }
    }

    /// Leaves out the options of a question that have no form in this version.
    pub(crate) fn fit_options(&self, options: &mut Vec<PermissionOption>) -> Losses {
        match self {
            Wire::V1 => v1::fit::options(options),
            #[cfg(feature = "v2")]
            Wire::V2 => Losses::default(),
        }
    }

    /// Gives the end of a turn a reason that has a form in this version.
    pub(crate) fn fit_end(&self, response: &mut PromptResponse) -> Losses {
        match self {
            Wire::V1 => v1::fit::end(response),
            #[cfg(feature = "v2")]
            Wire::V2 => Losses::default(),
        }
    }
}
