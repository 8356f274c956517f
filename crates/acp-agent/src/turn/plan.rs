//! Plans that are worked through.

use std::fmt;

use acp_types::v1::{Plan, PlanEntry, PlanEntryPriority, PlanEntryStatus};

use crate::error::{Error, Result};
use crate::turn::Turn;

impl Turn {
    /// Sends a plan that is worked through step by step.
    ///
    /// An entry that is in progress when the turn ends is closed by the library, so that no plan
    /// shows work that nobody does. It is completed after stop reason `end_turn`. After any other
    /// one, a cancellation and an error it is pending again. This holds for the last plan of a
    /// turn, whichever verb has sent it.
    ///
    /// ```
    /// # use acp_agent::{Result, Turn};
    /// # async fn work(turn: Turn) -> Result<()> {
    /// let mut plan = turn.start_plan(["Read the code", "Fix the bug"]).await?;
    /// plan.start(0).await?;
    /// // …
    /// plan.complete(0).await?;
    /// plan.add("Run the tests").await?;
    /// plan.start("Fix the bug").await
    /// # }
    /// ```
    ///
    /// # Errors
    /// The errors of [`update`](Self::update).
    pub async fn start_plan<E: Into<PlanEntry>>(
        &self,
        entries: impl IntoIterator<Item = E>,
    ) -> Result<RunningPlan> {
        let entries: Vec<PlanEntry> = entries.into_iter().map(Into::into).collect();
        self.update(Plan::new(entries.clone())).await?;
        Ok(RunningPlan { turn: self.clone(), entries })
    }
}

/// A plan as the client knows it.
///
/// Every change sends the whole plan. A change that changes nothing sends nothing, and a change
/// that could not be sent was not made.
#[derive(Clone)]
pub struct RunningPlan {
    turn: Turn,
    entries: Vec<PlanEntry>,
}

/// The key of an entry of a plan: its index, which counts from 0, or its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanKey<'a> {
    /// The entry at this index.
    Index(usize),
    /// The first entry with this content.
    Content(&'a str),
}

impl From<usize> for PlanKey<'_> {
    fn from(index: usize) -> Self {
        PlanKey::Index(index)
    }
}

impl<'a> From<&'a str> for PlanKey<'a> {
    fn from(content: &'a str) -> Self {
        PlanKey::Content(content)
    }
}

impl<'a> From<&'a String> for PlanKey<'a> {
    fn from(content: &'a String) -> Self {
        PlanKey::Content(content)
    }
}

impl RunningPlan {
    /// Returns the entries.
    #[must_use]
    pub fn entries(&self) -> &[PlanEntry] {
        &self.entries
    }

    /// Adds an entry at the end, and returns its index.
    ///
    /// # Errors
    /// The errors of [`Turn::update`].
    pub async fn add(&mut self, entry: impl Into<PlanEntry>) -> Result<usize> {
        self.edit(|entries| entries.push(entry.into())).await?;
        Ok(self.entries.len().saturating_sub(1))
    }

    /// Removes an entry.
    ///
    /// # Errors
    /// The entry does not exist; the errors of [`Turn::update`].
    pub async fn remove(&mut self, key: impl Into<PlanKey<'_>>) -> Result<()> {
        let index = self.find(key.into())?;
        self.edit(|entries| drop(entries.remove(index))).await
    }

    /// Marks an entry as in progress.
    ///
    /// # Errors
    /// The errors of [`set_status`](Self::set_status).
    pub async fn start(&mut self, key: impl Into<PlanKey<'_>>) -> Result<()> {
        self.set_status(key, PlanEntryStatus::InProgress).await
    }

    /// Marks an entry as completed.
    ///
    /// # Errors
    /// The errors of [`set_status`](Self::set_status).
    pub async fn complete(&mut self, key: impl Into<PlanKey<'_>>) -> Result<()> {
        self.set_status(key, PlanEntryStatus::Completed).await
    }

    /// Sets the status of an entry.
    ///
    /// # Errors
    /// The entry does not exist; the errors of [`Turn::update`].
    pub async fn set_status(
        &mut self,
        key: impl Into<PlanKey<'_>>,
        status: impl Into<PlanEntryStatus>,
    ) -> Result<()> {
        self.change(key.into(), |entry| entry.status = status.into()).await
    }

    /// Sets the priority of an entry.
    ///
    /// # Errors
    /// The entry does not exist; the errors of [`Turn::update`].
    pub async fn set_priority(
        &mut self,
        key: impl Into<PlanKey<'_>>,
        priority: impl Into<PlanEntryPriority>,
    ) -> Result<()> {
        self.change(key.into(), |entry| entry.priority = priority.into()).await
    }

    /// Sets the content of an entry.
    ///
    /// # Errors
    /// The entry does not exist; the errors of [`Turn::update`].
    pub async fn set_content(
        &mut self,
        key: impl Into<PlanKey<'_>>,
        content: impl Into<String>,
    ) -> Result<()> {
        self.change(key.into(), |entry| entry.content = content.into()).await
    }

    /// Makes several changes, and sends them at once.
    ///
    /// # Errors
    /// The errors of [`Turn::update`].
    pub async fn edit(&mut self, change: impl FnOnce(&mut Vec<PlanEntry>)) -> Result<()> {
        let mut entries = self.entries.clone();
        change(&mut entries);
        if entries == self.entries {
            return self.turn.check_open();
        }
        self.turn.update(Plan::new(entries.clone())).await?;
        self.entries = entries;
        Ok(())
    }

    async fn change(&mut self, key: PlanKey<'_>, change: impl FnOnce(&mut PlanEntry)) -> Result<()> {
        let index = self.find(key)?;
        self.edit(|entries| {
            if let Some(entry) = entries.get_mut(index) {
                change(entry);
            }
        })
        .await
    }

    fn find(&self, key: PlanKey<'_>) -> Result<usize> {
        let found = match key {
            PlanKey::Index(index) => (index < self.entries.len()).then_some(index),
            PlanKey::Content(content) => self.entries.iter().position(|entry| entry.content == content),
        };
        found.ok_or_else(|| {
            let count = self.entries.len();
            Error::from(match key {
                PlanKey::Index(index) => format!("the plan has {count} entries, and none at index {index}"),
                PlanKey::Content(_) => format!("none of the plan's {count} entries says that"),
            })
        })
    }
}

impl fmt::Debug for RunningPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunningPlan").field("entries", &self.entries.len()).finish_non_exhaustive()
    }
}
