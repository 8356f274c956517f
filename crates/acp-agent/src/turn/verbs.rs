//! The verbs for what belongs to a session as a whole, which a turn and a background task both have.

use acp_types::v1::{
    AvailableCommand, AvailableCommandsUpdate, CompactionSummaryChunk, CompactionUpdate, ConfigOptionUpdate,
    CurrentModeUpdate, Notice, SessionConfigOption, SessionInfoUpdate, SessionModeId, UsageUpdate,
};
#[cfg(feature = "unstable")]
use acp_types::v1::{PlanId, PlanRemoved, PlanUpdate, SessionMessage, SessionMessageChunk, SubagentUpdate};

use crate::error::Result;
use crate::turn::Turn;
use crate::updates::session_updates::SessionUpdates;

macro_rules! session_verbs {
    ($type:ident) => {
        /// What belongs to the session as a whole.
        impl $type {
            /// Tells the slash commands on offer: all of them, which replace those told before
            /// (rule `v1-cmd-01`).
            ///
            /// # Errors
            /// Those of [`update`](Self::update).
            pub async fn available_commands(&self, commands: impl Into<Vec<AvailableCommand>>) -> Result<()> {
                self.update(AvailableCommandsUpdate::new(commands)).await
            }

            /// Tells that the agent has switched the session's mode (rule `v1-mode-04`). A switch that the
            /// client asked for by `session/set_mode` needs none.
            ///
            /// # Errors
            /// Those of [`update`](Self::update).
            pub async fn current_mode(&self, mode: impl Into<SessionModeId>) -> Result<()> {
                self.update(CurrentModeUpdate::new(mode)).await
            }

            /// Tells the config options after the agent has changed some: all of them, with their values
            /// (rule `v1-cfg-12`). Options that are on or off need `session.configOptions.boolean` of the
            /// client.
            ///
            /// # Errors
            /// Those of [`update`](Self::update).
            pub async fn config_options(&self, options: impl Into<Vec<SessionConfigOption>>) -> Result<()> {
                self.update(ConfigOptionUpdate::new(options)).await
            }

            /// Gives the session a title.
            ///
            /// # Errors
            /// Those of [`update`](Self::update).
            pub async fn title(&self, title: impl Into<String>) -> Result<()> {
                self.session_info(SessionInfoUpdate::new().title(title.into())).await
            }

            /// Changes what lists of sessions show: title, time of the last activity. What is not set stays as
            /// it is (rule `v1-info-01`).
            ///
            /// # Errors
            /// Those of [`update`](Self::update).
            pub async fn session_info(&self, info: SessionInfoUpdate) -> Result<()> {
                self.update(info).await
            }

            /// Tells how full the context window is, and what the session has cost (rule `v1-turn-12`).
            ///
            /// # Errors
            /// Those of [`update`](Self::update).
            pub async fn usage(&self, usage: UsageUpdate) -> Result<()> {
                self.update(usage).await
            }

            /// Tells the user something that is no part of the conversation.
            ///
            /// # Errors
            /// Those of [`update`](Self::update); [`Error::Unsupported`](crate::Error::Unsupported) naming
            /// `session.notices`.
            pub async fn notice(&self, notice: Notice) -> Result<()> {
                self.update(notice).await
            }

            /// Reports a compaction of the conversation: that it has begun, how it goes on, how it ended.
            ///
            /// # Errors
            /// Those of [`update`](Self::update); [`Error::Unsupported`](crate::Error::Unsupported) naming
            /// `session.compaction`.
            pub async fn compaction(&self, compaction: CompactionUpdate) -> Result<()> {
                self.update(compaction).await
            }

            /// Sends a piece of a compaction's summary.
            ///
            /// # Errors
            /// Those of [`compaction`](Self::compaction).
            pub async fn compaction_summary(&self, chunk: CompactionSummaryChunk) -> Result<()> {
                self.update(chunk).await
            }
        }

        /// What only the unstable schema has.
        #[cfg(feature = "unstable")]
        impl $type {
            /// Tells one of several plans: all of it.
            ///
            /// # Errors
            /// Those of [`update`](Self::update); [`Error::Unsupported`](crate::Error::Unsupported) naming
            /// `plan`, without which there is only one plan (rule `v1-plan-07`).
            pub async fn named_plan(&self, plan: PlanUpdate) -> Result<()> {
                self.update(plan).await
            }

            /// Takes one of several plans back.
            ///
            /// # Errors
            /// Those of [`named_plan`](Self::named_plan).
            pub async fn remove_plan(&self, plan: impl Into<PlanId>) -> Result<()> {
                self.update(PlanRemoved::new(plan)).await
            }

            /// Tells that a session of a subagent is there, or what has changed about it.
            ///
            /// # Errors
            /// Those of [`update`](Self::update); [`Error::Unsupported`](crate::Error::Unsupported) naming
            /// `subagents`.
            pub async fn subagent(&self, subagent: SubagentUpdate) -> Result<()> {
                self.update(subagent).await
            }

            /// Tells a message between this session and another.
            ///
            /// # Errors
            /// Those of [`subagent`](Self::subagent).
            pub async fn session_message(&self, message: SessionMessage) -> Result<()> {
                self.update(message).await
            }

            /// Sends a piece of a message between sessions.
            ///
            /// # Errors
            /// Those of [`subagent`](Self::subagent).
            pub async fn session_message_chunk(&self, chunk: SessionMessageChunk) -> Result<()> {
                self.update(chunk).await
            }
        }
    };
}

session_verbs!(Turn);
session_verbs!(SessionUpdates);
