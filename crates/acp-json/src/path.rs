//! Positions of a reader in a message.

use std::cell::RefCell;
use std::fmt::Write as _;

use crate::report::{Mark, NoteKind, ReadError, Report};

/// The longest part of a member's name that a path shows, in bytes. A peer may choose the name, and
/// a path may be spelled out for each item of a long list.
const LONGEST_NAME: usize = 64;

/// A position in the tree: a list of steps that lives on the stacks of the readers.
///
/// It costs nothing until an error or a note needs its path spelled out.
#[derive(Clone, Copy, Debug)]
pub struct At<'p> {
    parent: Option<&'p At<'p>>,
    step: Step<'p>,
    report: Option<&'p RefCell<Report>>,
}

#[derive(Clone, Copy, Debug)]
enum Step<'p> {
    Root,
    Member(&'p str),
    Item(usize),
}

impl<'p> At<'p> {
    /// The position of the whole value, for a reader that takes no notes.
    #[must_use]
    pub const fn root() -> Self {
        At { parent: None, step: Step::Root, report: None }
    }

    pub(crate) const fn reporting(report: &'p RefCell<Report>) -> Self {
        At { parent: None, step: Step::Root, report: Some(report) }
    }

    /// Returns the position of the member `name` of the object here.
    #[must_use]
    pub const fn member(&'p self, name: &'p str) -> At<'p> {
        At { parent: Some(self), step: Step::Member(name), report: self.report }
    }

    /// Returns the position of the item with this index (from 0) of the list here.
    #[must_use]
    pub const fn item(&'p self, index: usize) -> At<'p> {
        At { parent: Some(self), step: Step::Item(index), report: self.report }
    }

    /// Returns true if somebody wants to know what is defaulted, skipped or ignored.
    #[must_use]
    pub const fn takes_notes(&self) -> bool {
        self.report.is_some()
    }

    /// Returns the path as text, such as `prompt[0].text`. It is empty for the whole value.
    ///
    /// A name shows its first 64 bytes and `…`, its control characters escaped; the empty name is
    /// `""`.
    #[must_use]
    pub fn path(&self) -> String {
        let mut path = self.parent.map(At::path).unwrap_or_default();
        match self.step {
            Step::Root => {}
            Step::Member(name) => {
                if !path.is_empty() {
                    path.push('.');
                }
                push_name(&mut path, name);
            }
            Step::Item(index) => {
                // Writing into a `String` cannot fail.
                let _ = write!(path, "[{index}]");
            }
        }
        path
    }

    /// Tries to read something here, and drops the notes of a failed attempt.
    pub fn attempt<T>(&self, read: impl FnOnce() -> Result<T, ReadError>) -> Option<T> {
        let mark = self.mark();
        read().inspect_err(|_| self.rewind(mark)).ok()
    }

    pub(crate) fn note(&self, kind: NoteKind) {
        if let Some(report) = self.report {
            report.borrow_mut().add(|| self.path(), kind);
        }
    }

    /// The number of notes. It serves to take back the notes of a failed attempt.
    pub(crate) fn mark(&self) -> Mark {
        self.report.map_or_else(Mark::default, |report| report.borrow().mark())
    }

    pub(crate) fn rewind(&self, mark: Mark) {
        if let Some(report) = self.report {
            report.borrow_mut().rewind(mark);
        }
    }
}

fn push_name(path: &mut String, name: &str) {
    if name.is_empty() {
        path.push_str("\"\"");
    } else if name.len() <= LONGEST_NAME && !name.contains(char::is_control) {
        path.push_str(name);
    } else {
        for (index, character) in name.char_indices() {
            if index >= LONGEST_NAME {
                path.push('…');
                break;
            }
            if character.is_control() {
                path.extend(character.escape_default());
            } else {
                path.push(character);
            }
        }
    }
}
