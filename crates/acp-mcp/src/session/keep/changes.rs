//! Has a server tell of its changes: of lists, and of the resources that are subscribed to.
//!
//! A legacy server tells of its lists by itself, and of resources after `resources/subscribe`, which is here. A modern one
//! tells those who listen.
#![allow(deprecated, reason = "rmcp calls so what only legacy servers have")]

use std::collections::BTreeSet;
use std::future::pending;

use futures_util::{StreamExt as _, stream};
use rmcp::model::{
    ClientRequest, SubscribeRequest, SubscribeRequestParams, SubscriptionFilter, UnsubscribeRequest,
    UnsubscribeRequestParams,
};
use tokio::sync::Notify;

use super::client::Client;
use crate::error::McpError;
use crate::session::Shared;
use crate::session::call::caller::{CallOptions, Caller};
use crate::session::state::entry::{Connection, Entry};
use crate::session::state::event::Event;
use crate::session::state::subscriptions::{State, Wanted};
use crate::values::version::Era;

/// How many resources of a legacy server are asked for at the same time.
const AT_ONCE: usize = 8;

/// Keeps a connection told. Does not end.
pub(in crate::session) async fn keep(entry: &Entry, shared: &Shared, connection: &Connection) {
    let told = Told { entry, shared, connection };
    entry.subscriptions.forget(true);
    if connection.number > 1 && connection.info.era == Era::Legacy {
        Client::lists_may_have_changed(entry, &lists(connection));
    }
    match connection.info.era {
        Era::Modern => told.listen().await,
        Era::Legacy => told.subscribe().await,
    }
}

/// Has a server that has lost its session told again, each time. Does not end.
pub(in crate::session) async fn after(entry: &Entry, connection: &Connection, renewed: &Notify) {
    loop {
        renewed.notified().await;
        entry.subscriptions.forget(false);
        Client::lists_may_have_changed(entry, &lists(connection));
    }
}

pub(in crate::session) struct Told<'a> {
    pub(in crate::session) entry: &'a Entry,
    pub(in crate::session) shared: &'a Shared,
    pub(in crate::session) connection: &'a Connection,
}

impl Told<'_> {
    pub(in crate::session) fn set(&self, uri: &str, state: State) {
        let error = match &state {
            State::Refused(error) => Some(error.clone()),
            _ => None,
        };
        if self.entry.subscriptions.set(&self.entry.name, uri, state)
            && let Some(error) = error
        {
            let server = self.entry.name.clone();
            tracing::warn!(server, %error, "an MCP server does not tell of a resource any more");
            self.shared.events.send(Event::SubscriptionLost { server, uri: uri.to_owned(), error });
        }
    }

    /// The way of legacy servers.
    async fn subscribe(&self) {
        let mut changes = self.entry.subscriptions.changes();
        let mut told: BTreeSet<Box<str>> = BTreeSet::new();
        loop {
            let (asked, gone) = {
                let wanted = changes.borrow_and_update();
                let gone: Vec<_> = told.iter().filter(|uri| !wanted.contains_key(*uri)).cloned().collect();
                (asked(&wanted), gone)
            };
            if asked.is_empty() && gone.is_empty() {
                if changes.changed().await.is_err() {
                    return pending().await;
                }
                continue;
            }
            told.retain(|uri| !gone.contains(uri));
            let asking: Vec<_> = asked
                .into_iter()
                .map(|uri| (uri, true))
                .chain(gone.into_iter().map(|uri| (uri, false)))
                .collect();
            let answers = stream::iter(asking)
                .map(|(uri, wanted)| async move { self.ask(&uri, wanted).await.then_some(uri) })
                .buffer_unordered(AT_ONCE);
            told.extend(answers.filter_map(std::future::ready).collect::<Vec<_>>().await);
        }
    }

    /// Asks to be told of a resource, or not to be any more; whether the server will tell of it.
    async fn ask(&self, uri: &str, wanted: bool) -> bool {
        if !self.connection.info.supports_resource_subscribe() {
            let error = McpError::NotSupported { capability: "resources.subscribe" };
            self.set(uri, State::Refused(error));
            return false;
        }
        let caller = Caller { entry: self.entry, shared: self.shared, connection: self.connection };
        let (method, request) = if wanted {
            let params = SubscribeRequestParams::new(uri);
            ("resources/subscribe", ClientRequest::SubscribeRequest(SubscribeRequest::new(params)))
        } else {
            let params = UnsubscribeRequestParams::new(uri);
            ("resources/unsubscribe", ClientRequest::UnsubscribeRequest(UnsubscribeRequest::new(params)))
        };
        let answer = caller.request(method, request, &CallOptions::new()).await;
        let is_told = wanted && answer.is_ok();
        match (answer, wanted) {
            (Ok(_), true) => self.set(uri, State::Told),
            (Err(error), true) => self.set(uri, State::Refused(error.of_resource(uri))),
            (Ok(_), false) => {}
            // What it tells all the same reaches nobody.
            (Err(error), false) => {
                tracing::debug!(server = self.entry.name, %error, "an MCP server does not end a subscription");
            }
        }
        is_told
    }

    /// Refuses those of these resources that have no answer yet. A server that could not be reached has not refused
    /// anything that it told of before: it is asked again.
    pub(in crate::session) fn refuse(&self, uris: &[Box<str>], error: &McpError) {
        let is_answer = !is_passing(error);
        let refused: Vec<Box<str>> = {
            let wanted = self.entry.subscriptions.changes();
            let wanted = wanted.borrow();
            let is_refused = |state: &State| match state {
                State::Asked { again } => is_answer || !again,
                State::Told | State::Refused(_) => false,
            };
            let of_these = wanted.iter().filter(|(uri, _)| uris.contains(uri));
            of_these.filter(|(_, resource)| is_refused(&resource.state)).map(|(uri, _)| uri.clone()).collect()
        };
        for uri in refused {
            self.set(&uri, State::Refused(error.clone()));
        }
    }
}

/// Whether it may be otherwise the next time.
const fn is_passing(error: &McpError) -> bool {
    matches!(
        error,
        McpError::Unreachable { .. }
            | McpError::Timeout { .. }
            | McpError::Http { status: 408 | 429 | 500.. }
            | McpError::Exited { .. }
    )
}

fn asked(wanted: &Wanted) -> Vec<Box<str>> {
    let asked = wanted.iter().filter(|(_, resource)| matches!(resource.state, State::Asked { .. }));
    asked.map(|(uri, _)| uri.clone()).collect()
}

/// The lists that the server tells of.
pub(in crate::session) fn lists(connection: &Connection) -> SubscriptionFilter {
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
