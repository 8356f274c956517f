//! Causes of failures, as text.

use std::fmt;

/// The cause of a failure, as text for people.
///
/// `Display` shows all of it, with the `data` of an agent's error. `Debug` leaves `data` out.
#[derive(Clone, PartialEq, Eq)]
pub struct Reason {
    text: String,
    without_data: String,
}

impl Reason {
    pub(super) const fn new(text: String, without_data: String) -> Self {
        Self { text, without_data }
    }

    pub(super) fn text(&self, shows_data: bool) -> &str {
        if shows_data { &self.text } else { &self.without_data }
    }
}

impl From<String> for Reason {
    fn from(text: String) -> Self {
        Self { without_data: text.clone(), text }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.without_data.fmt(f)
    }
}
