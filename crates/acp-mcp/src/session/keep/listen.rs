//! The stream of changes of a modern server (rules `mcp-neg-37` and `-51`). One stream is kept open
//! for all subscriptions, and is opened again when they change or when it breaks.

use std::future::pending;
use std::pin::pin;
use std::time::Duration;

use rmcp::model::SubscriptionFilter;
use rmcp::service::Subscription;
use tokio::time::{Instant, sleep, timeout};

use super::subscriber::{Subscriber, lists};
use crate::error::McpError;
use crate::session::call::caller::Caller;
use crate::session::state::entry::Entry;
use crate::session::state::subscriptions::{SubscriptionState, WantedResources};

/// A stream that broke is opened again at once if it held this long, or if it was the first.
/// Otherwise it is opened after this time.
const STEADY: Duration = Duration::from_secs(5);

impl Subscriber<'_> {
    pub(super) async fn listen(&self) {
        let mut changes = self.entry.subscriptions.changes();
        let mut stream = Stream { had_gap: self.connection.number > 1, ..Stream::default() };
        loop {
            let uris = wanted(&changes.borrow_and_update());
            if !self.connection.info.supports_resource_subscribe() {
                self.refuse(&uris, &McpError::NotSupported { capability: "resources.subscribe" });
            }
            let filter = self.filter(&uris);
            if filter == SubscriptionFilter::new() {
                stream = Stream::default();
            } else if filter != stream.filter || stream.open.is_none() {
                self.open(filter, &mut stream).await;
                if stream.open.is_none() {
                    sleep(STEADY).await;
                    continue;
                }
            }
            tokio::select! {
                biased;
                () = follow(self.entry, &mut stream.open) => {
                    self.broken(&mut stream);
                    if stream.is_hasty() {
                        sleep(STEADY).await;
                    }
                }
                changed = changes.changed() => if changed.is_err() {
                    return pending().await;
                }
            }
        }
    }

    /// Returns the filter of the stream: every list that the server reports, and the subscribed
    /// resources.
    fn filter(&self, uris: &[Box<str>]) -> SubscriptionFilter {
        let mut filter = lists(self.connection);
        if !uris.is_empty() && self.connection.info.supports_resource_subscribe() {
            filter.resource_subscriptions = Some(uris.iter().map(|uri| uri.to_string()).collect());
        }
        filter
    }

    /// Opens a stream. The current one goes on meanwhile, and goes on if the server refuses the new
    /// one.
    async fn open(&self, filter: SubscriptionFilter, stream: &mut Stream) {
        const METHOD: &str = "subscriptions/listen";
        let waited = self.shared.options.timeouts.request;
        let asked: Vec<Box<str>> =
            filter.resource_subscriptions.iter().flatten().map(|uri| uri.as_str().into()).collect();
        let had_one = stream.open.is_some();
        let mut opening = pin!(timeout(waited, self.connection.peer.listen(filter.clone())));
        let opened = loop {
            tokio::select! {
                biased;
                () = follow(self.entry, &mut stream.open) => stream.open = None,
                opened = &mut opening => break opened,
            }
        };
        if had_one && stream.open.is_none() {
            self.broken(stream);
        }
        let error = match opened {
            Ok(Ok(opened)) => {
                self.accepted(&asked, &opened, stream.had_gap);
                *stream = Stream {
                    filter,
                    open: Some(opened),
                    had_gap: false,
                    since: Some(Instant::now()),
                    ..*stream
                };
                return;
            }
            Ok(Err(error)) => {
                let caller = Caller { entry: self.entry, shared: self.shared, connection: self.connection };
                caller.error(METHOD, error).await
            }
            Err(_) => McpError::Timeout { waiting_for: METHOD, waited },
        };
        tracing::debug!(server = self.entry.name, %error, "an MCP server refuses a stream of changes");
        self.refuse(&asked, &error);
    }

    fn accepted(&self, asked: &[Box<str>], opened: &Subscription, had_gap: bool) {
        for uri in opened.acknowledged().resource_subscriptions.iter().flatten() {
            self.set(uri, SubscriptionState::Subscribed);
        }
        let problem = "it does not accept the resource";
        self.refuse(asked, &McpError::InvalidResult { method: "subscriptions/listen", problem });
        // Changes without a stream are not reported again.
        if had_gap {
            self.entry.lists_may_have_changed(opened.acknowledged());
        }
    }

    fn broken(&self, stream: &mut Stream) {
        (stream.open, stream.had_gap) = (None, true);
        self.entry.subscriptions.forget(false);
    }
}

/// The stream of changes of a modern server.
#[derive(Default)]
struct Stream {
    open: Option<Subscription>,
    filter: SubscriptionFilter,
    /// True when an earlier stream broke, and none was opened since.
    had_gap: bool,
    since: Option<Instant>,
    /// True when the stream before did not hold long.
    was_short: bool,
}

impl Stream {
    /// Tells whether the stream breaks too often to be opened again at once.
    fn is_hasty(&mut self) -> bool {
        let is_short = self.since.is_some_and(|since| since.elapsed() < STEADY);
        std::mem::replace(&mut self.was_short, is_short) && is_short
    }
}

/// Passes on the notifications of a stream until it ends.
async fn follow(entry: &Entry, stream: &mut Option<Subscription>) {
    let Some(stream) = stream else { return pending().await };
    loop {
        match stream.next().await {
            Ok(Some(notification)) => entry.received(&notification),
            Ok(None) => return,
            Err(error) => {
                tracing::debug!(server = entry.name, %error, "a stream of changes of an MCP server broke");
                return;
            }
        }
    }
}

fn wanted(wanted: &WantedResources) -> Vec<Box<str>> {
    let wanted =
        wanted.iter().filter(|(_, resource)| !matches!(resource.state, SubscriptionState::Refused(_)));
    wanted.map(|(uri, _)| uri.clone()).collect()
}
