//! The line that is being edited, for those who write above it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use unicode_width::UnicodeWidthStr;

/// The line and the place of the cursor in it.
#[derive(Clone, Debug, Default)]
pub(super) struct SharedLine(Arc<Mutex<(String, usize)>>);

impl SharedLine {
    pub(super) fn set(&self, line: &str, cursor: usize) {
        let mut edited = self.lock();
        line.clone_into(&mut edited.0);
        edited.1 = cursor;
    }

    /// Returns the bytes that write `text` above the line, and the line again below it. Returns
    /// `None` for a line that needs more than one row: the rows above the cursor are not known.
    pub(super) fn below(&self, text: &str, plain: &str, styled: &str, columns: usize) -> Option<String> {
        let edited = self.lock();
        let (line, cursor) = (edited.0.as_str(), edited.1);
        if line.contains(['\n', '\t']) || plain.width() + line.width() >= columns {
            return None;
        }
        let behind = line.get(cursor..).unwrap_or_default().width();
        let back = if behind > 0 { format!("\x1b[{behind}D") } else { String::new() };
        Some(format!("\r\x1b[J{text}{styled}{line}{back}"))
    }

    fn lock(&self) -> MutexGuard<'_, (String, usize)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_written_again_with_the_cursor_at_its_place() {
        let line = SharedLine::default();
        for (text, cursor, columns, wants) in [
            ("", 0, 80, Some("\r\x1b[Jnews\n> ")),
            ("abc", 3, 80, Some("\r\x1b[Jnews\n> abc")),
            ("abc", 1, 80, Some("\r\x1b[Jnews\n> abc\x1b[2D")),
            ("a日本", 1, 80, Some("\r\x1b[Jnews\n> a日本\x1b[4D")),
            ("abcdef", 6, 8, None),
            ("abcde", 5, 8, Some("\r\x1b[Jnews\n> abcde")),
            ("a\nb", 1, 80, None),
        ] {
            line.set(text, cursor);
            assert_eq!(line.below("news\n", "> ", "> ", columns).as_deref(), wants, "{text:?}");
        }
    }
}
