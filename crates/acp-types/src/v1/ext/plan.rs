//! Shorter ways to make plan entries.

use crate::v1::{PlanEntry, PlanEntryPriority, PlanEntryStatus};

/// Makes a pending entry of medium priority.
impl From<&str> for PlanEntry {
    fn from(content: &str) -> Self {
        Self::from(content.to_owned())
    }
}

/// Makes a pending entry of medium priority.
impl From<String> for PlanEntry {
    fn from(content: String) -> Self {
        Self::new(content, PlanEntryPriority::Medium, PlanEntryStatus::Pending)
    }
}
