/// What a fold has changed in a [`Transcript`](crate::Transcript). Everything else is as it was.
///
/// Entries are named by their numbers. If the transcript has a limit, an entry that is added may be
/// the end of the oldest one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// Nothing to draw.
    Nothing,
    /// There is a new last entry.
    Added(usize),
    /// The content of a message, or the summary of a compaction, has grown at its end. Its `_meta`
    /// may have changed, too.
    Appended {
        /// The entry.
        entry: usize,
        /// The block in its content that has grown or is new. Those before are as they were, and it
        /// is the last.
        block: usize,
        /// How many bytes of text the block had before: 0 for a new one.
        offset: usize,
    },
    /// Something else in an entry has changed.
    Updated(usize),
    /// The plan.
    Plan,
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
    /// There is a new last notice.
    Notice,
}
