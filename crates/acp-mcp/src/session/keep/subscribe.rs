//! Subscriptions to resources of a legacy server, by `resources/subscribe`.
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
use crate::session::state::subscriptions::{SubscriptionState, WantedResources};

/// The number of requests to one server at the same time.
const AT_ONCE: usize = 8;

impl Subscriber<'_> {
    /// Keeps the subscriptions of a legacy server current. Does not end.
    pub(super) async fn subscribe(&self) {
        let mut changes = self.entry.subscriptions.changes();
        let mut subscribed: BTreeSet<Box<str>> = BTreeSet::new();
        loop {
            let (asked, gone) = {
                let wanted = changes.borrow_and_update();
                let gone: Vec<_> =
                    subscribed.iter().filter(|uri| !wanted.contains_key(*uri)).cloned().collect();
                (asked(&wanted), gone)
            };
            if asked.is_empty() && gone.is_empty() {
                if changes.changed().await.is_err() {
                    return pending().await;
                }
                continue;
            }
            subscribed.retain(|uri| !gone.contains(uri));
            let asking: Vec<_> = asked
                .into_iter()
                .map(|uri| (uri, true))
                .chain(gone.into_iter().map(|uri| (uri, false)))
                .collect();
            let answers = stream::iter(asking)
                .map(|(uri, wanted)| async move { self.ask(&uri, wanted).await.then_some(uri) })
                .buffer_unordered(AT_ONCE);
            subscribed.extend(answers.filter_map(std::future::ready).collect::<Vec<_>>().await);
        }
    }

    /// Subscribes to a resource, or ends a subscription. Returns true if the server reports updates
    /// from now on.
    async fn ask(&self, uri: &str, wanted: bool) -> bool {
        if !self.connection.info.supports_resource_subscribe() {
            let error = McpError::NotSupported { capability: "resources.subscribe" };
            self.set(uri, SubscriptionState::Refused(error));
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
            (Ok(_), true) => self.set(uri, SubscriptionState::Subscribed),
            (Err(error), true) => self.set(uri, SubscriptionState::Refused(error.of_resource(uri))),
            (Ok(_), false) => {}
            // Further updates reach no handler.
            (Err(error), false) => {
                tracing::debug!(server = self.entry.name, %error, "an MCP server did not end a subscription");
            }
        }
        is_told
    }
}

fn asked(wanted: &WantedResources) -> Vec<Box<str>> {
    let asked =
        wanted.iter().filter(|(_, resource)| matches!(resource.state, SubscriptionState::Asked { .. }));
    asked.map(|(uri, _)| uri.clone()).collect()
}
