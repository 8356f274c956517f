//! The changes of a transcript.

/// The change that a fold has made to a [`Transcript`](crate::Transcript). Everything else is as
/// before.
///
/// Entries are named by their numbers. If the transcript has a limit, adding an entry may drop the
/// oldest one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// Nothing to draw.
    Nothing,
    /// A new last entry.
    Added(usize),
    /// The content of a message, or the summary of a compaction, has grown at its end. Its `_meta`
    /// may have changed, too.
    Appended {
        /// The entry.
        entry: usize,
        /// The block in its content that has grown or is new. It is the last one, and the blocks
        /// before it are unchanged.
        block: usize,
        /// The bytes of text that the block had before: 0 for a new one.
        offset: usize,
    },
    /// Another change in an entry.
    Updated(usize),
    /// The plan, or one of the named plans.
    Plan,
    /// The terminal with this number.
    Terminal(usize),
    /// The slash commands.
    Commands,
    /// The current mode.
    Mode,
    /// The config options.
    Config,
    /// Title, time or `_meta` of the session.
    Info,
    /// Usage or cost.
    Usage,
    /// A new last notice.
    Notice,
}
