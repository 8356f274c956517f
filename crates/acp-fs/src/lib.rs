//! Text files below directories that no path leads out of.
//!
//! [`Roots`] are directories that are held open. [`Files`] reads and writes text files below them,
//! within limits, on threads where the disk delays nobody else.
//!
//! * Every path is opened relative to the descriptor of a root. So neither `..` nor a symbolic link
//!   leads out of it, not even a link that is swapped in during the lookup. A root stays the same
//!   directory even if its path later names another one.
//! * Only regular files are read and written. A device, a pipe or a socket is never opened.
//! * A file is replaced in one step: a reader sees the old text or the new one. It keeps its owner,
//!   its rights and its ACL. See [`Files::write_text`].
//! * Text is UTF-8. A byte order mark and `\r\n` are text like any other.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use acp_fs::{Error, Files, Lines, Roots};
//!
//! # let folder = tempfile::tempdir()?;
//! # let project = folder.path();
//! let roots = Roots::open([project]).await;
//! let files = Files::new().max_bytes(1024 * 1024);
//! let notes = project.join("notes.txt");
//! files.write_text(&roots, &notes, "one\ntwo\nthree\n").await?;
//! assert_eq!(files.read_text(&roots, &notes, Lines::new(2, 1)).await?, "two\n");
//!
//! let outside = project.join("../secret.txt");
//! let refused = files.read_text(&roots, &outside, Lines::ALL).await;
//! assert!(matches!(refused, Err(Error::Outside)));
//! # Ok(()) }
//! ```

mod error;
mod files;
mod interest;
mod lines;
mod list;
mod replace;
#[cfg_attr(not(unix), path = "plain_rights.rs")]
mod rights;
mod root;
mod roots;

pub use crate::error::Error;
pub use crate::files::Files;
pub use crate::lines::Lines;
pub use crate::list::{Entry, EntryKind, Listing};
pub use crate::roots::Roots;
