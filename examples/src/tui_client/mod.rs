//! A client with a terminal UI: any agent in a window of its own.
//!
//! Read it in this order:
//!
//! * [`app`]: the state, and the effect of keys and events on it. It does no I/O: messages go in,
//!   effects come out.
//! * [`conversation`]: the entries of the transcript as lines. Only entries that a
//!   [`Change`](acp_client::Change) names are laid out again. [`lines`] lays out each kind of
//!   entry.
//! * [`menu`]: a choice in a box, for permissions and settings.
//! * [`view`]: draws an [`App`](app::App), and changes nothing.
//! * [`connection`]: carries effects to the agent, and turns its reports into messages.
//! * [`screen`]: the loop between terminal and connection. It leaves the terminal as it found it.

pub mod app;
pub mod connection;
pub mod conversation;
pub mod lines;
pub mod menu;
pub mod screen;
pub mod view;
