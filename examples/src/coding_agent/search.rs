//! Searching for a text, and the places where it was found.

use std::fmt;

/// The most places of one file that are kept.
const MAX_PER_FILE: usize = 20;
/// The most characters of a line that are kept.
const MAX_LINE: usize = 200;

/// The places of a text, file by file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matches {
    /// The places, in the order of files and lines.
    pub places: Vec<Place>,
    /// The number of files that were searched.
    pub searched: usize,
    /// The number of files that could not be read.
    pub unread: usize,
    /// True if the folder was searched to the end.
    pub complete: bool,
}

/// A line that has the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file, relative to the session's folder.
    pub path: String,
    /// The line's number, counted from 1.
    pub line: u32,
    /// The line, cut to a readable length.
    pub text: String,
}

impl Matches {
    /// Returns an empty result.
    #[must_use]
    pub const fn none() -> Self {
        Matches { places: Vec::new(), searched: 0, unread: 0, complete: true }
    }

    /// Searches one more file.
    pub fn search(&mut self, query: &str, path: &str, text: &str) {
        self.searched += 1;
        let lines = (1..).zip(text.lines()).filter(|(_, line)| line.contains(query));
        self.places.extend(lines.take(MAX_PER_FILE).map(|(line, text)| Place {
            path: path.to_owned(),
            line,
            text: text.trim().chars().take(MAX_LINE).collect(),
        }));
    }

    /// Returns the files that have the text, each once.
    #[must_use]
    pub fn files(&self) -> Vec<&str> {
        let mut files: Vec<_> = self.places.iter().map(|place| place.path.as_str()).collect();
        files.dedup();
        files
    }
}

impl fmt::Display for Matches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Place { path, line, text } in &self.places {
            writeln!(f, "{path}:{line}: {text}")?;
        }
        let lines = count(self.places.len(), "line");
        write!(f, "{lines} in {} of {}.", self.files().len(), count(self.searched, "file"))?;
        if self.unread > 0 {
            write!(f, " {} could not be read.", count(self.unread, "file"))?;
        }
        f.write_str(if self.complete { "" } else { " The folder is too large to be searched as a whole." })
    }
}

/// Returns a number of things, in words.
pub(super) fn count(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}
