//! Recordings: writing them beside any connection, converting them, and comparing two of them.
//!
//! A recording is a file of [`Record`]s, which the page
//! [RECORDINGS](https://github.com/acp-rs/acp/blob/main/docs/RECORDINGS.md) describes. `acp tap`,
//! `acp replay` and `acp diff` are this module as programs.
//!
//! * [`Tape`] records bytes that pass through a program, without holding them up, into a
//!   [`RecordFile`].
//! * [`Conversation`] is a recording whose ids and times do not depend on the run.
//!   [`Comparison`] finds the differences of two.
//! * [`TraceWriter`] and [`TraceReader`] convert to and from the traces of the official SDK's
//!   conductor.
//!
//! ```
//! use acp_rpc::tap::Recording;
//! use acp_testkit::recordings::{Comparison, Conversation, Normal};
//!
//! let recorded = |session: &str, stop: &str| {
//!     format!(
//!         r#"{{"time":1,"direction":"out","kind":"request","method":"session/prompt","id":1,"bytes":1,"body":{{"id":1,"method":"session/prompt","params":{{"sessionId":"{session}"}}}}}}
//! {{"time":2,"direction":"in","kind":"result","id":1,"bytes":1,"body":{{"id":1,"result":{{"stopReason":"{stop}"}}}}}}"#
//!     )
//! };
//! let read = |text: &str| Conversation::read(Recording::new(text.as_bytes()), &Normal::default());
//! # fn main() -> Result<(), acp_rpc::tap::RecordingError> {
//! # let read = |text: String| read(&text);
//! let first = read(recorded("a", "end_turn"))?;
//! assert!(Comparison::of(&first, &read(recorded("b", "end_turn"))?).is_equal());
//! let other = Comparison::of(&first, &read(recorded("b", "cancelled"))?);
//! assert_eq!(other.differences[0].changes[0].path, "/result/stopReason");
//! # Ok(()) }
//! ```

mod compare;
mod conversation;
mod names;
mod sides;
mod tape;
mod trace;

pub use acp_rpc::tap::{Direction, Record};

pub use self::compare::{Change, Comparison, Difference, DifferenceKind};
pub use self::conversation::{Conversation, Message, MessageKind, Normal};
pub use self::sides::{Side, client_of, opposite};
pub use self::tape::{Head, RecordFile, Tape, TapeOptions, TapedReader};
pub use self::trace::{TraceError, TraceReader, TraceWriter};
