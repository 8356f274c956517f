//! Child processes that end with all that they have started, and tell how they ended.
//!
//! A [`Command`] says how to start a program. [`Command::spawn`] starts one that is talked to over
//! its stdin and stdout, [`Command::run`] one that is run for its output, and
//! `Command::run_on_terminal` (feature `pty`, on unix) one that prints to a terminal of its own.
//!
//! * A process is ended with everything that it has started, when its handles are dropped at the
//!   latest. [`Command::grace`] says how, and what happens when this process is killed.
//! * Its stderr is read all the time. The last bytes are in its [`Exit`], and
//!   [`Command::on_stderr`] gets the lines.
//! * On Windows a program is found as a shell finds it, with the extensions of `PATHEXT`: `npx` is
//!   `npx.cmd`.
//!
//! ```
//! # #[cfg(unix)]
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> std::io::Result<()> {
//! use acp_process::{Command, Spawned};
//! use tokio::io::{AsyncReadExt, AsyncWriteExt};
//!
//! let Spawned { mut stdin, mut stdout, child, guard, .. } = Command::new("cat").spawn()?;
//! stdin.write_all(b"as it is").await?;
//! // The end of its input tells a program that it is over.
//! drop(stdin);
//! let mut printed = String::new();
//! stdout.read_to_string(&mut printed).await?;
//! assert_eq!(printed, "as it is");
//! guard.end().await;
//! assert_eq!(child.wait().await.status, Some(0));
//! # Ok(()) }
//! # #[cfg(not(unix))]
//! # fn main() {}
//! ```
//!
//! # Features
//!
//! | feature | adds |
//! |---|---|
//! | `pty` | `Command::run_on_terminal`, on unix |

mod child;
mod command;
mod exit;
mod output;
#[cfg(windows)]
mod pipe;
#[cfg(any(windows, test))]
mod program;
#[cfg(all(feature = "pty", unix))]
mod pty;
mod run;
mod scrollback;
mod stderr;
mod tree;

pub use crate::child::{Child, ChildGuard, Spawned};
pub use crate::command::Command;
pub use crate::exit::Exit;
pub use crate::output::Output;
pub use crate::run::Running;
pub use crate::scrollback::Scrollback;
