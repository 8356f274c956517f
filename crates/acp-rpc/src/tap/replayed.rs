//! How a replay went.

use std::fmt;

/// How a replay went. `Display` names what differed, without what messages carry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Replayed {
    /// How many lines were played.
    pub sent: usize,
    /// How many lines were not, because the live side did not send what came before them, or was gone.
    pub unsent: usize,
    /// What the live side should have sent and did not: methods, or `response` and its id.
    pub missing: Vec<String>,
    /// What it sent that was not recorded, likewise.
    pub unexpected: Vec<String>,
}

impl Replayed {
    /// Whether everything was sent and came as it was recorded.
    #[must_use]
    pub fn is_faithful(&self) -> bool {
        self.unsent == 0 && self.missing.is_empty() && self.unexpected.is_empty()
    }
}

impl fmt::Display for Replayed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} lines played", self.sent)?;
        if self.unsent > 0 {
            write!(f, ", {} not", self.unsent)?;
        }
        for (what, which) in [("missing", &self.missing), ("unexpected", &self.unexpected)] {
            if !which.is_empty() {
                write!(f, "; {what}: {}", which.join(", "))?;
            }
        }
        Ok(())
    }
}
