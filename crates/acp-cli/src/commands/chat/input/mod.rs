//! The lines that the user types at the prompt.

#[cfg(unix)]
mod completer;
#[cfg(unix)]
mod edited;
#[cfg(unix)]
mod editor;
pub(crate) mod files;
pub(crate) mod history;
pub(crate) mod words;

#[cfg(unix)]
pub(crate) use editor::Editor;

/// The end of an edited line.
#[derive(Debug)]
pub(crate) enum Typed {
    Line(String),
    /// Ctrl-C: the line is dropped.
    Dropped,
    /// Ctrl-D, or the terminal is gone.
    End,
}
