//! Telling the user of servers that are not there.

use acp_mcp::{Event, Events};
use acp_types::v1::{Notice, NoticeSeverity, SessionId};

use crate::error::{Error, Result};

/// Tells of each server that fails: by a notice, if the client takes notices, else in the log (rule `acp-mcp-06`).
pub(super) async fn report<R>(session: &SessionId, mut events: Events, send: impl Fn(Notice) -> R)
where
    R: Future<Output = Result<()>>,
{
    while let Some(event) = events.next().await {
        let (server, title, error) = match event {
            Event::Failed { server, error } => {
                let title = format!("MCP server `{server}` is unavailable");
                (server, title, error)
            }
            Event::ToolsFailed { server, error } => {
                let title = format!("The tools of MCP server `{server}` could not be listed");
                (server, title, error)
            }
            _ => continue,
        };
        let notice = Notice::new(NoticeSeverity::Warning, title)
            .description(format!("Continuing without it: {error}"));
        match send(notice).await {
            Ok(()) => {}
            Err(Error::Unsupported { .. }) => {
                tracing::warn!(%session, server, %error, "MCP server unavailable");
            }
            // The session is over.
            Err(_) => return,
        }
    }
}
