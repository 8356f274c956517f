//! Lists of ids in messages.

use std::fmt;

/// The ids that would have been right, in a message: each in backticks, with commas between them.
pub(crate) struct Listed<'a, T>(pub(crate) &'a [T]);

impl<T: fmt::Display> fmt::Display for Listed<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("none");
        }
        for (index, id) in self.0.iter().enumerate() {
            write!(f, "{}`{id}`", if index == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}
