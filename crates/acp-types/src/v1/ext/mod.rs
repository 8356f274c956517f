//! Hand-written additions to the generated types: shorter ways to make values, and the checks of
//! the protocol that both sides make.
//!
//! The checks are methods of the types, so that agent and client judge alike.

mod auth;
mod command;
mod config_option;
mod config_value;
mod content;
mod elicitation;
mod form;
mod format;
mod id;
mod listed;
mod mode;
mod of_path;
mod offered;
mod path;
mod permission;
mod plan;
mod spent;
mod steering;
mod store_problem;
mod timestamp;
mod tool_call;
mod turn_limits;
mod usage_sums;
mod version;

pub use auth::AuthMethodError;
pub use command::CommandNameError;
pub use config_option::ConfigOptionError;
pub use elicitation::ElicitationAnswer;
pub use form::{FormError, FormProblem};
pub use id::unique_id;
pub use mode::NoSuchMode;
pub use of_path::NotUnicode;
pub use offered::{McpServerError, PromptError};
pub use path::{PathError, absolute, check_absolute, is_absolute};
pub use permission::{NotChosen, PermissionAnswer};
pub use spent::Spent;
pub use steering::{IdleBehavior, SteerOutcome, SteerReason, SteerRequest, SteerResponse, Steering};
pub use store_problem::StoreProblem;
pub use timestamp::{format_timestamp, read_timestamp};
pub use turn_limits::{Limit, TurnLimits};
pub use usage_sums::{SessionUsage, UsageSums};
