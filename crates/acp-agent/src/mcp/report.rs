//! Reports of MCP servers that fail.

use std::sync::Arc;

use acp_mcp::{Event, Events};
use acp_types::v1::{Notice, NoticeSeverity, SessionId};

use super::named::Named;
use crate::error::{Error, Logged, Result};

/// The reports of servers of a session that is being opened.
pub(crate) struct Reports {
    session: Arc<Named>,
    events: Events,
}

impl Reports {
    pub(super) const fn new(session: Arc<Named>, events: Events) -> Self {
        Reports { session, events }
    }

    /// Sends them as notices, until there are no more. The client knows the session from now on.
    pub(crate) async fn send<R>(self, session: &SessionId, send: impl Fn(Notice) -> R)
    where
        R: Future<Output = Result<()>>,
    {
        self.session.known.cancel();
        report(session, self.events, send).await;
    }
}

/// Reports each server that fails: by a notice if the client takes notices, otherwise in the log
/// (rule `acp-mcp-06`).
async fn report<R>(session: &SessionId, mut events: Events, send: impl Fn(Notice) -> R)
where
    R: Future<Output = Result<()>>,
{
    while let Some(event) = events.next().await {
        let (server, title, problem) = match event {
            Event::Failed { server, error } => {
                let title = format!("MCP server `{server}` is unavailable");
                (server, title, format!("Continuing without it: {error}"))
            }
            Event::ToolsFailed { server, error } => {
                let title = format!("The tools of MCP server `{server}` could not be listed");
                (server, title, format!("Continuing without it: {error}"))
            }
            // There are too many servers for a report of each.
            Event::Missed(count) => {
                let title = "More MCP servers may be unavailable".to_owned();
                (String::new(), title, format!("{count} reports of servers are lost"))
            }
            _ => continue,
        };
        let notice = Notice::new(NoticeSeverity::Warning, &title).description(&problem);
        match send(notice).await {
            Ok(()) => {}
            Err(Error::NotOffered { .. }) => {
                tracing::warn!(session = %Logged(session), server, problem, "{title}");
            }
            // The session is over.
            Err(_) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use acp_mcp::{Implementation, McpSession};
    use acp_types::v1::{McpServer, McpServerStdio};

    use super::*;

    #[tokio::test]
    async fn of_many_servers_that_fail_it_is_said_that_there_are_more() {
        let server: McpServer = McpServerStdio::new("s", "/no/such/program", [], []).into();
        let builder = McpSession::builder(Implementation::new("tests", "0")).most_servers(0);
        let servers = builder.connect_all(&vec![server; 400]).await;
        let events = servers.events();
        servers.shutdown().await;
        drop(servers);
        let notices = Mutex::new(Vec::new());
        report(&"session".into(), events, |notice| {
            notices.lock().unwrap().push(notice);
            std::future::ready(Ok(()))
        })
        .await;
        let notices = notices.into_inner().unwrap();
        let titles: Vec<_> = notices.iter().map(|notice| notice.title.as_str()).collect();
        assert_eq!(titles[..2], ["More MCP servers may be unavailable", "MCP server `s` is unavailable"]);
        assert!(titles.len() < 400, "{}", titles.len());
    }
}
