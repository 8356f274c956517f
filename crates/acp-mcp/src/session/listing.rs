//! Keeps the list of a server's tools.

use std::collections::HashSet;
use std::future::pending;
use std::time::Duration;

use rmcp::model::{
    ClientRequest, ListToolsRequest, PaginatedRequestParams, ServerResult, SubscriptionFilter, Tool,
};
use rmcp::service::Subscription;
use tokio::time::{sleep, timeout};

use super::Shared;
use super::call::{CallOptions, Caller};
use super::client::Client;
use super::entry::{Connection, Entry};
use super::event::Event;
use super::info::ToolsStatus;
use crate::error::McpError;
use crate::version::Era;

/// A server whose list has more pages than this has no end.
const MOST_PAGES: usize = 200;
/// More tools than this no model can take, and the memory should not either.
const MOST_TOOLS: usize = 10_000;
/// Before a stream of changes is opened again.
const PAUSE: Duration = Duration::from_secs(5);

/// Lists the tools, now and whenever the server says that they have changed. Does not end.
pub(super) async fn keep(entry: &Entry, shared: &Shared, connection: &Connection) {
    let Some(tools) = &connection.info.capabilities.tools else {
        entry.set_tools_status(ToolsStatus::NotOffered);
        return pending().await;
    };
    let is_told = tools.list_changed == Some(true);
    let changes = async {
        // A legacy server tells without being asked.
        if is_told && connection.info.era == Era::Modern {
            listen(entry, shared, connection).await
        } else {
            pending().await
        }
    };
    let lists = async {
        loop {
            let server = entry.name.clone();
            match list(entry, shared, connection).await {
                Ok(tools) => {
                    entry.set_tools(tools);
                    shared.events.send(Event::ToolsChanged { server });
                }
                Err(error) => {
                    tracing::warn!(server, %error, "the tools of an MCP server could not be listed");
                    entry.set_tools_status(ToolsStatus::Failed(error.clone()));
                    shared.events.send(Event::ToolsFailed { server, error });
                }
            }
            entry.tools_changed.notified().await;
        }
    };
    tokio::join!(changes, lists);
}

/// All pages of the list.
pub(super) async fn list(
    entry: &Entry,
    shared: &Shared,
    connection: &Connection,
) -> Result<Vec<Tool>, McpError> {
    const METHOD: &str = "tools/list";
    let caller = Caller { entry, shared, connection };
    let (mut tools, mut names, mut cursor) = (Vec::new(), HashSet::new(), None);
    for _ in 0..MOST_PAGES {
        let params = cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
        let request = ListToolsRequest { params, ..Default::default() };
        let result =
            caller.request(METHOD, ClientRequest::ListToolsRequest(request), &CallOptions::new()).await?;
        let ServerResult::ListToolsResult(page) = result else {
            return Err(McpError::InvalidResult { method: METHOD, problem: "it is no list of tools" });
        };
        tools.extend(page.tools.into_iter().filter(|tool| names.insert(tool.name.clone())));
        if tools.len() > MOST_TOOLS {
            return Err(McpError::InvalidResult { method: METHOD, problem: "it has more than 10000 tools" });
        }
        match page.next_cursor {
            None => return Ok(tools),
            next => cursor = next,
        }
    }
    Err(McpError::InvalidResult { method: METHOD, problem: "it has more than 200 pages" })
}

/// Reads the changes that a modern server tells those who listen (rule `mcp-neg-37`). Does not end.
async fn listen(entry: &Entry, shared: &Shared, connection: &Connection) {
    let filter = SubscriptionFilter::builder().tools_list_changed().build();
    loop {
        let opened = timeout(shared.options.timeouts.request, connection.peer.listen(filter.clone())).await;
        match opened {
            Ok(Ok(subscription)) => {
                follow(entry, subscription).await;
                // What came while nobody listened is not told again.
                entry.tools_changed.notify_one();
            }
            Ok(Err(error)) => {
                tracing::debug!(server = entry.name, %error, "an MCP server does not take listeners")
            }
            Err(_) => tracing::debug!(server = entry.name, "an MCP server did not answer a listener in time"),
        }
        sleep(PAUSE).await;
    }
}

async fn follow(entry: &Entry, mut subscription: Subscription) {
    while let Ok(Some(notification)) = subscription.next().await {
        Client::tell(entry, &notification);
    }
}
