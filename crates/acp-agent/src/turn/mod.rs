//! A turn: the agent's work between a prompt and its answer.

pub(crate) mod elicit;
pub(crate) mod fs;
pub(crate) mod message;
pub(crate) mod permission;
pub(crate) mod plan;
pub(crate) mod terminal;
pub(crate) mod tool;
pub(crate) mod turn;
pub(crate) mod verbs;
#[cfg(feature = "workspace")]
pub(crate) mod workspace;

pub use self::turn::Turn;
pub(crate) use self::turn::TurnScope;
