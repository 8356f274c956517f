//! Verbs for the session as a whole, which a turn and a background task both have.

use acp_types::v1::{
    AvailableCommand, AvailableCommandsUpdate, CompactionSummaryChunk, CompactionUpdate, ConfigOptionUpdate,
    CurrentModeUpdate, Notice, SessionConfigOption, SessionInfoUpdate, SessionModeId,
};
#[cfg(feature = "unstable")]
use acp_types::v1::{PlanId, PlanRemoved, PlanUpdate, SessionMessage, SessionMessageChunk, SubagentUpdate};

use crate::error::Result;
use crate::turn::Turn;
use crate::updates::session_updates::SessionUpdates;

macro_rules! session_verbs {
    ($type:ident) => {
        /// Verbs for the session as a whole.
        impl $type {
            /// Sends the slash commands that have no handlers. They replace earlier ones, and
            /// those that the session was [opened with](crate::Opened::commands). The library
            /// adds those with handlers. [`Turn::command`](crate::Turn::command) returns the one
            /// that a prompt calls.
            ///
            /// # Errors
            /// The errors of [`update`](Self::update).
            pub async fn available_commands(&self, commands: impl Into<Vec<AvailableCommand>>) -> Result<()> {
                self.update(AvailableCommandsUpdate::new(commands)).await
            }

            /// Reports that the agent has switched the session's mode. A switch that the client
            /// asked for by `session/set_mode` needs no report.
            ///
            /// # Errors
            /// The errors of [`update`](Self::update).
            pub async fn current_mode(&self, mode: impl Into<SessionModeId>) -> Result<()> {
                self.update(CurrentModeUpdate::new(mode)).await
            }

            /// Sends the config options after the agent has changed some: all of them, with their
            /// values. Options that are on or off need `session.configOptions.boolean` of the
            /// client.
            ///
            /// # Errors
            /// The errors of [`update`](Self::update).
            pub async fn config_options(&self, options: impl Into<Vec<SessionConfigOption>>) -> Result<()> {
                self.update(ConfigOptionUpdate::new(options)).await
            }

            /// Sets the session's title.
            ///
            /// # Errors
            /// The errors of [`update`](Self::update).
            pub async fn title(&self, title: impl Into<String>) -> Result<()> {
                self.session_info(SessionInfoUpdate::new().title(title.into())).await
            }

            /// Changes the entry of the session in lists: title, time of the last activity. Members
            /// that are not set stay as they are.
            ///
            /// # Errors
            /// The errors of [`update`](Self::update).
            pub async fn session_info(&self, info: SessionInfoUpdate) -> Result<()> {
                self.update(info).await
            }

            /// Sends the user a notice, which is not part of the conversation.
            ///
            /// # Errors
            /// The errors of [`update`](Self::update);
            /// [`Error::NotOffered`](crate::Error::NotOffered) naming `session.notices`.
            pub async fn notice(&self, notice: Notice) -> Result<()> {
                self.update(notice).await
            }

            /// Reports a compaction of the conversation: its beginning, its progress, its end.
            ///
            /// # Errors
            /// The errors of [`update`](Self::update);
            /// [`Error::NotOffered`](crate::Error::NotOffered) naming `session.compaction`.
            pub async fn compaction(&self, compaction: CompactionUpdate) -> Result<()> {
                self.update(compaction).await
            }

            /// Sends a piece of a compaction's summary.
            ///
            /// # Errors
            /// The errors of [`compaction`](Self::compaction).
            pub async fn compaction_summary(&self, chunk: CompactionSummaryChunk) -> Result<()> {
                self.update(chunk).await
            }
        }

        /// Verbs that only the unstable schema has.
        #[cfg(feature = "unstable")]
        impl $type {
            /// Sends one of several plans: all of it. A client of version 1 that does not offer
            /// `plan` shows one: the last that was sent, which is reported once
            /// ([`Fault::Degraded`](crate::Fault::Degraded)).
            ///
            /// # Errors
            /// The errors of [`update`](Self::update);
            /// [`Error::NotOffered`](crate::Error::NotOffered) naming `plan`, for a plan that is
            /// not a list of entries.
            pub async fn named_plan(&self, plan: PlanUpdate) -> Result<()> {
                self.update(plan).await
            }

            /// Removes one of several plans. A client that shows only one gets a plan without
            /// entries, unless it shows another.
            ///
            /// # Errors
            /// The errors of [`update`](Self::update).
            pub async fn remove_plan(&self, plan: impl Into<PlanId>) -> Result<()> {
                self.update(PlanRemoved::new(plan)).await
            }

            /// Reports a subagent's session, or what has changed about it.
            ///
            /// # Errors
            /// The errors of [`update`](Self::update);
            /// [`Error::NotOffered`](crate::Error::NotOffered) naming `subagents`.
            pub async fn subagent(&self, subagent: SubagentUpdate) -> Result<()> {
                self.update(subagent).await
            }

            /// Reports a message between this session and another.
            ///
            /// # Errors
            /// The errors of [`subagent`](Self::subagent).
            pub async fn session_message(&self, message: SessionMessage) -> Result<()> {
                self.update(message).await
            }

            /// Sends a piece of a message between sessions.
            ///
            /// # Errors
            /// The errors of [`subagent`](Self::subagent).
            pub async fn session_message_chunk(&self, chunk: SessionMessageChunk) -> Result<()> {
                self.update(chunk).await
            }
        }
    };
}

session_verbs!(Turn);
session_verbs!(SessionUpdates);
