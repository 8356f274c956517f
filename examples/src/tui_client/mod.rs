//! A client with a terminal UI: any agent in a window of its own.
//!
//! Read it in this order:
//!
//! * [`app`]: what is shown and what keys and events do to it. No I/O: messages go in, effects come out.
//! * [`conversation`]: the entries of the transcript as lines, laid out anew only where a [`Change`](acp_client::Change)
//!   says so. [`lines`] has how each kind of entry looks.
//! * [`menu`]: a choice in a box, for permissions and settings.
//! * [`view`]: draws an [`App`](app::App), and changes nothing.
//! * [`connection`]: carries effects to the agent, and makes messages of what comes from it.
//! * [`screen`]: the loop between terminal and connection, which leaves the terminal as it found it.

pub mod app;
pub mod connection;
pub mod conversation;
pub mod lines;
pub mod menu;
pub mod screen;
pub mod view;
