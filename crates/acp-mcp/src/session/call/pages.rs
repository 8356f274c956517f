//! The limits of a list that comes in pages.

use std::io;

use serde::Serialize;

use crate::error::McpError;

/// The number of pages. A list with more counts as endless.
const MOST_PAGES: usize = 200;
/// The number of entries. No model can use more, and memory should not hold more.
const MOST_ENTRIES: usize = 10_000;
/// The bytes of all entries together, as JSON.
const MOST_BYTES: usize = 32 * 1024 * 1024;

/// The pages of one list.
pub(in crate::session) struct Pages {
    method: &'static str,
    pages: usize,
    entries: usize,
    bytes: usize,
}

impl Pages {
    pub(in crate::session) const fn new(method: &'static str) -> Self {
        Self { method, pages: 0, entries: 0, bytes: 0 }
    }

    /// Counts one more page, `is_last` or not.
    pub(in crate::session) fn count<T: Serialize>(
        &mut self,
        entries: &[T],
        is_last: bool,
    ) -> Result<(), McpError> {
        self.pages += 1;
        self.entries += entries.len();
        self.bytes += length(entries);
        let problem = if self.entries > MOST_ENTRIES {
            "it has more than 10000 entries"
        } else if self.bytes > MOST_BYTES {
            "it is longer than 32 MiB"
        } else if self.pages >= MOST_PAGES && !is_last {
            "it has more than 200 pages"
        } else {
            return Ok(());
        };
        Err(McpError::InvalidResult { method: self.method, problem })
    }
}

/// Returns the length as JSON.
fn length<T: Serialize>(entries: &[T]) -> usize {
    struct Length(usize);

    impl io::Write for Length {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    let mut length = Length(0);
    // The entries were read from JSON, so writing them cannot fail.
    let _ = serde_json::to_writer(&mut length, entries);
    length.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_its_limits() {
        let mib = "x".repeat(1024 * 1024);
        for (shows, pages, page, expected) in [
            ("as many pages as may be", MOST_PAGES, vec!["x"], None),
            ("one more", MOST_PAGES + 1, vec!["x"], Some("it has more than 200 pages")),
            ("as many entries as may be", 100, vec!["x"; 100], None),
            ("more", 101, vec!["x"; 100], Some("it has more than 10000 entries")),
            ("as long as may be", 31, vec![mib.as_str()], None),
            ("longer", 32, vec![mib.as_str()], Some("it is longer than 32 MiB")),
        ] {
            let mut counted = Pages::new("x/list");
            let outcome = (1..=pages).try_for_each(|at| counted.count(&page, at == pages));
            let expected = expected.map(|problem| McpError::InvalidResult { method: "x/list", problem });
            assert_eq!(outcome.err(), expected, "{shows}");
        }
    }
}
