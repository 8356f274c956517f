//! Parts of the `acp` command for other programs that run in a terminal.
//!
//! [`terminal`] asks the user the questions of an agent. The command itself is a program: see `acp
//! --help`.

pub mod terminal;
