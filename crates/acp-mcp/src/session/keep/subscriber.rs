//! The common part of subscribing to changes of either era.

use rmcp::model::SubscriptionFilter;

use crate::error::McpError;
use crate::session::state::entry::{Connection, Entry};
use crate::session::state::event::Event;
use crate::session::state::shared::Shared;
use crate::session::state::subscriptions::SubscriptionState;

/// Keeps one connection subscribed to the changes that are wanted.
pub(super) struct Subscriber<'a> {
    pub(super) entry: &'a Entry,
    pub(super) shared: &'a Shared,
    pub(super) connection: &'a Connection,
}

impl Subscriber<'_> {
    /// Sets the state of a resource, and reports a subscription that is lost.
    pub(super) fn set(&self, uri: &str, state: SubscriptionState) {
        let error = match &state {
            SubscriptionState::Refused(error) => Some(error.clone()),
            _ => None,
        };
        if self.entry.subscriptions.set(&self.entry.name, uri, state)
            && let Some(error) = error
        {
            let server = self.entry.name.clone();
            tracing::warn!(server, %error, "an MCP server does not report a resource any more");
            self.shared.events.send(Event::SubscriptionLost { server, uri: uri.to_owned(), error });
        }
    }

    /// Marks resources without an answer as refused. If the server only could not be reached,
    /// resources that it reported before are left out, and are asked for again.
    pub(super) fn refuse(&self, uris: &[Box<str>], error: &McpError) {
        let is_answer = !is_passing(error);
        let refused: Vec<Box<str>> = {
            let wanted = self.entry.subscriptions.changes();
            let wanted = wanted.borrow();
            let is_refused = |state: &SubscriptionState| match state {
                SubscriptionState::Asked { again } => is_answer || !again,
                SubscriptionState::Subscribed | SubscriptionState::Refused(_) => false,
            };
            let of_these = wanted.iter().filter(|(uri, _)| uris.contains(uri));
            of_these.filter(|(_, resource)| is_refused(&resource.state)).map(|(uri, _)| uri.clone()).collect()
        };
        for uri in refused {
            self.set(&uri, SubscriptionState::Refused(error.clone()));
        }
    }
}

/// Tells whether the next attempt may succeed.
const fn is_passing(error: &McpError) -> bool {
    matches!(
        error,
        McpError::Unreachable { .. }
            | McpError::Timeout { .. }
            | McpError::Http { status: 408 | 429 | 500.. }
            | McpError::Exited { .. }
    )
}

/// Returns the lists whose changes the server reports.
pub(super) fn lists(connection: &Connection) -> SubscriptionFilter {
    let offered = &connection.info.capabilities;
    let mut lists = SubscriptionFilter::builder();
    if offered.tools.as_ref().is_some_and(|tools| tools.list_changed == Some(true)) {
        lists = lists.tools_list_changed();
    }
    if offered.prompts.as_ref().is_some_and(|prompts| prompts.list_changed == Some(true)) {
        lists = lists.prompts_list_changed();
    }
    if offered.resources.as_ref().is_some_and(|resources| resources.list_changed == Some(true)) {
        lists = lists.resources_list_changed();
    }
    lists.build()
}
