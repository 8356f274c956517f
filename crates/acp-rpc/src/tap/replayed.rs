//! The outcome of a replay.

use std::fmt;

/// The outcome of a replay. `Display` names the differences, without the content of messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Replayed {
    /// The number of lines that were played.
    pub sent: usize,
    /// The number of lines that were not played, because the live side did not send what came
    /// before them, or was gone.
    pub unsent: usize,
    /// Expected messages that the live side did not send: methods, or `response` and an id.
    pub missing: Vec<String>,
    /// Messages that it sent and that were not recorded, in the same form.
    pub unexpected: Vec<String>,
}

impl Replayed {
    /// Tells whether everything was sent and came as it was recorded.
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
