//! A web page on loopback that shows a connection of the Agent Client Protocol, live or recorded.
//!
//! A [`Store`] holds the messages: their lines in a temporary file, and 32 bytes each in memory. It
//! is filled from a recording, or by a [`Tape`](acp_testkit::recordings::Tape) while a connection
//! runs, or by the [`Links`] of a chain of proxies. An [`Inspector`] serves the page about it. With a [`Driver`] the page is the client. The page
//! [INSPECTOR](https://github.com/acp-rs/acp/blob/main/docs/INSPECTOR.md) describes the addresses
//! and the defences. `acp inspect` is this crate as a program.
//!
//! ```
//! use acp_inspect::{Inspector, Source, Store};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> std::io::Result<()> {
//! let recording = br#"{"time":1,"direction":"out","kind":"request","method":"initialize","id":0,"bytes":40,"body":{"jsonrpc":"2.0","id":0,"method":"initialize"}}"#;
//! let store = Store::new()?;
//! store.read(recording.as_slice())?;
//! assert_eq!(store.seen().messages, 1);
//! let address = ([127, 0, 0, 1], 0).into();
//! let inspector = Inspector::listen(address, store, Source::Recording, "turn.ndjson").await?;
//! assert!(inspector.url().starts_with("http://127.0.0.1:"));
//! # Ok(()) }
//! ```

mod assets;
mod drive;
mod server;
mod store;
mod view;

pub use self::drive::Driver;
pub use self::server::{Inspector, Source};
pub use self::store::{Links, RecordSink, Seen, Store};
