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
//! use std::time::SystemTime;
//!
//! use acp_rpc::tap::{Direction, Record, Recording};
//! use acp_testkit::recordings::{Comparison, Conversation, Normal};
//! use serde_json::json;
//!
//! # fn main() -> Result<(), acp_rpc::tap::RecordingError> {
//! let recorded = |session: &str, stop: &str| {
//!     let (mut file, time) = (Vec::new(), SystemTime::now());
//!     let mut prompt = json!({"jsonrpc": "2.0", "id": 1, "method": "session/prompt"});
//!     prompt["params"] = json!({"sessionId": session});
//!     let answer = json!({"jsonrpc": "2.0", "id": 1, "result": {"stopReason": stop}});
//!     for (direction, line) in [(Direction::Out, prompt), (Direction::In, answer)] {
//!         Record::write_line(&mut file, time, direction, line.to_string().as_bytes(), None);
//!     }
//!     Conversation::read(Recording::new(&*file), &Normal::default())
//! };
//! let first = recorded("a", "end_turn")?;
//! assert!(Comparison::of(&first, &recorded("b", "end_turn")?).is_equal());
//! let other = Comparison::of(&first, &recorded("b", "cancelled")?);
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
