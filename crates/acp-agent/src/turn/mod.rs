//! A turn: the agent's work between a prompt and its answer.

pub(crate) mod command;
mod command_end;
#[cfg(feature = "workspace")]
pub(crate) mod edit_file;
pub(crate) mod elicit;
mod ext;
#[cfg(feature = "workspace")]
pub(crate) mod file_change;
pub(crate) mod fs;
pub(crate) mod message;
mod open_plan;
pub(crate) mod permission;
pub(crate) mod plan;
mod said;
mod scope;
#[cfg(feature = "shell")]
pub(crate) mod shell;
#[cfg(feature = "shell")]
mod shell_child;
#[cfg(feature = "shell")]
mod shell_display;
#[cfg(feature = "shell")]
mod shell_view;
pub(crate) mod steering;
pub(crate) mod steering_queue;
pub(crate) mod terminal;
pub(crate) mod tool;
pub(crate) mod turn;
pub(crate) mod usage;
pub(crate) mod verbs;
#[cfg(feature = "workspace")]
pub(crate) mod workspace;

pub(crate) use self::scope::TurnScope;
pub use self::turn::Turn;
