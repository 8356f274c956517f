//! Parts of the `acp` command for other programs that run in a terminal.
//!
//! [`terminal`] asks the user the questions of an agent. [`bridge`] makes an agent of one version of
//! the protocol out of an agent of the other. The command itself is a program: see `acp --help`.

pub mod bridge;
pub mod terminal;
