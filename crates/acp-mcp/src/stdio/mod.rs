//! MCP servers that are child processes: one JSON message a line on stdin and stdout.

mod dial;
mod env;
mod line;
mod options;
mod process;
mod transport;

pub(crate) use self::dial::StdioDial;
pub use self::env::EnvPolicy;
pub use self::options::{OnStderr, StdioOptions};
