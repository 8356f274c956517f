//! Has a legacy server report the resources that are subscribed to, by `resources/subscribe`.
#![allow(deprecated, reason = "rmcp calls so what only legacy servers have")]

use std::collections::BTreeSet;
use std::future::pending;

use futures_util::{StreamExt as _, stream};
use rmcp::model::{
    ClientRequest, SubscribeRequest, SubscribeRequestParams, UnsubscribeRequest, UnsubscribeRequestParams,
};

use super::subscriber::Subscriber;
use crate::error::McpError;
use crate::session::call::caller::Caller;
use crate::session::call::options::CallOptions;
use crate::session::state::subscriptions::{State, Wanted};

/// How many resources of a legacy server are asked for at the same time.
const AT_ONCE: usize = 8;

impl Subscriber<'_> {
    /// The way of legacy servers.
    pub(super) async fn subscribe(&self) {
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
            (Ok(_), true) => self.set(uri, State::Subscribed),
            (Err(error), true) => self.set(uri, State::Refused(error.of_resource(uri))),
            (Ok(_), false) => {}
            // What it tells all the same reaches nobody.
            (Err(error), false) => {
                tracing::debug!(server = self.entry.name, %error, "an MCP server does not end a subscription");
            }
        }
        is_told
    }
}

fn asked(wanted: &Wanted) -> Vec<Box<str>> {
    let asked = wanted.iter().filter(|(_, resource)| matches!(resource.state, State::Asked { .. }));
    asked.map(|(uri, _)| uri.clone()).collect()
}
