//! The end of a command, as its tool call shows it.

use crate::error::{Error, Result};
use crate::turn::tool::RunningTool;

/// Returns a command as one would type it, without quotes: the title of its tool call.
pub(super) fn line(program: &str, args: &[String]) -> String {
    let mut line = program.to_owned();
    for arg in args {
        line.push(' ');
        line.push_str(arg);
    }
    line
}

/// Returns the failure of a command that ended like this; `None` if it has not failed. An unknown
/// end is not success (rule `v1-term-11`).
pub(super) fn failure(exit_code: Option<u32>, signal: Option<&str>) -> Option<String> {
    match (exit_code, signal) {
        (Some(0), None) => None,
        (_, Some(signal)) => Some(format!("The command was ended by {signal}.")),
        (Some(code), None) => Some(format!("The command ended with exit code {code}.")),
        (None, None) => Some("The command has ended; nobody knows how.".to_owned()),
    }
}

/// Reports the end of a command in a tool call of its own: completed, or failed with the reason.
pub(super) async fn end<T>(
    tool: RunningTool,
    ended: Result<T>,
    failure: impl FnOnce(&T) -> Option<String>,
) -> Result<T> {
    match ended {
        Ok(output) => {
            match failure(&output) {
                None => tool.complete().await?,
                Some(reason) => tool.fail(reason).await?,
            }
            Ok(output)
        }
        // Dropped, the tool call is reported as failed. There is nothing to say about why.
        Err(error @ (Error::Cancelled | Error::TurnOver)) => Err(error),
        Err(error) => {
            // The error of the work says more than an error of the report would.
            drop(tool.fail(error.to_string()).await);
            Err(error)
        }
    }
}
