//! Changes of a text file.

use std::borrow::Cow;

use crate::error::Result;
use crate::turn::message::IntoText;

/// A change of a text file, for [`Turn::edit_file`](crate::Turn::edit_file): its new text, or a
/// function from its old text to the new one.
///
/// A function is written as `|old: &str| …`, with the type of its argument. It returns text, or a
/// `Result` of text.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a change of a file",
    label = "neither a text nor a function from the old text to the new one",
    note = "a function is written as `|old: &str| …` and returns `String` or a `Result` of it"
)]
pub trait FileChange: Send {
    /// True if there must be a file to change.
    const NEEDS_FILE: bool;

    /// Returns the new text. The old text of a missing file is empty.
    ///
    /// # Errors
    /// The change cannot be made.
    fn apply(self, old: &str) -> Result<String>;
}

impl FileChange for String {
    const NEEDS_FILE: bool = false;

    fn apply(self, _: &str) -> Result<String> {
        Ok(self)
    }
}

impl FileChange for &str {
    const NEEDS_FILE: bool = false;

    fn apply(self, _: &str) -> Result<String> {
        Ok(self.to_owned())
    }
}

impl FileChange for Cow<'_, str> {
    const NEEDS_FILE: bool = false;

    fn apply(self, _: &str) -> Result<String> {
        Ok(self.into_owned())
    }
}

impl<F, T> FileChange for F
where
    F: FnOnce(&str) -> T + Send,
    T: IntoText,
{
    const NEEDS_FILE: bool = true;

    fn apply(self, old: &str) -> Result<String> {
        self(old).into_text()
    }
}

/// Returns the number of the first line that differs, counted from 1.
pub(super) fn first_difference(old: &str, new: &str) -> u32 {
    let same = old.lines().zip(new.lines()).take_while(|(old, new)| old == new).count();
    // A text that is cut short ends at its last line, if it has one.
    let last = new.lines().count().max(1);
    u32::try_from((same + 1).min(last)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::first_difference;

    #[test]
    fn the_first_line_that_differs_is_found_in_the_new_text() {
        for (old, new, line) in [
            ("", "", 1),
            ("", "a\nb", 1),
            ("a\nb\nc", "a\nx\nc", 2),
            ("a\nb", "a\nb\nc", 3),
            ("a\nb\nc", "a\nb", 2),
            ("a\n", "", 1),
        ] {
            assert_eq!(first_difference(old, new), line, "{old:?} {new:?}");
        }
    }
}
