//! The list of a server's tools, kept current.

use std::collections::HashSet;
use std::future::pending;

use rmcp::model::{ClientRequest, ListToolsRequest, PaginatedRequestParams, ServerResult, Tool};

use crate::error::McpError;
use crate::session::call::caller::Caller;
use crate::session::call::options::CallOptions;
use crate::session::call::pages::Pages;
use crate::session::state::entry::{Connection, Entry};
use crate::session::state::event::Event;
use crate::session::state::shared::Shared;
use crate::values::server_info::ToolsStatus;

/// Lists the tools, and lists them again whenever the server reports a change. Does not end.
pub(in crate::session) async fn keep(entry: &Entry, shared: &Shared, connection: &Connection) {
    if !connection.info.supports_tools() {
        entry.set_tools_status(ToolsStatus::NotOffered);
        return pending().await;
    }
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
}

/// Fetches all pages of the list.
pub(in crate::session) async fn list(
    entry: &Entry,
    shared: &Shared,
    connection: &Connection,
) -> Result<Vec<Tool>, McpError> {
    const METHOD: &str = "tools/list";
    let caller = Caller { entry, shared, connection };
    let mut pages = Pages::new(METHOD);
    let (mut tools, mut names, mut cursor) = (Vec::new(), HashSet::new(), None);
    loop {
        let params = cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
        let request = ListToolsRequest { params, ..Default::default() };
        let result =
            caller.request(METHOD, ClientRequest::ListToolsRequest(request), &CallOptions::new()).await?;
        let ServerResult::ListToolsResult(page) = result else {
            return Err(McpError::InvalidResult { method: METHOD, problem: "it is not a list of tools" });
        };
        pages.count(&page.tools, page.next_cursor.is_none())?;
        tools.extend(page.tools.into_iter().filter(|tool| names.insert(tool.name.clone())));
        match page.next_cursor {
            None => return Ok(tools),
            next => cursor = next,
        }
    }
}
