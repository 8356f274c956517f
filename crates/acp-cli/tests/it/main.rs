//! Tests of the command, in one program: a module for each of its parts.

#![allow(clippy::expect_used, clippy::indexing_slicing, reason = "what a test expects, it may insist on")]

#[cfg(all(unix, feature = "agents"))]
mod agents;
mod bridge;
#[cfg(unix)]
mod call;
#[cfg(unix)]
mod chat;
mod check;
#[cfg(unix)]
mod conduct;
mod demo;
mod help;
mod info;
#[cfg(all(unix, feature = "inspect"))]
mod inspect;
mod mock;
#[cfg(unix)]
mod named;
mod new;
#[cfg(unix)]
mod prompt;
#[cfg(unix)]
mod protocol;
#[cfg(unix)]
mod remote;
#[cfg(unix)]
mod replay;
mod sessions;
#[cfg(unix)]
mod stopped;
#[cfg(unix)]
mod tap;
mod texts;
