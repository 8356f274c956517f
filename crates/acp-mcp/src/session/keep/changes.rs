//! Changes of a server: of its lists, and of the resources that are subscribed to.
//!
//! A legacy server reports changed lists by itself, and resources after `resources/subscribe`. A
//! modern one reports both over a stream that the client opens.

use tokio::sync::Notify;

use super::subscriber::{Subscriber, lists};
use crate::session::state::entry::{Connection, Entry};
use crate::session::state::shared::Shared;
use crate::values::version::Era;

/// Keeps a connection subscribed to changes. Does not end.
pub(super) async fn keep(entry: &Entry, shared: &Shared, connection: &Connection) {
    let subscriber = Subscriber { entry, shared, connection };
    entry.subscriptions.forget(true);
    if connection.number > 1 && connection.info.era == Era::Legacy {
        entry.lists_may_have_changed(&lists(connection));
    }
    match connection.info.era {
        Era::Modern => subscriber.listen().await,
        Era::Legacy => subscriber.subscribe().await,
    }
}

/// Subscribes again each time that the server has lost its session. Does not end.
pub(super) async fn after(entry: &Entry, connection: &Connection, renewed: &Notify) {
    loop {
        renewed.notified().await;
        entry.subscriptions.forget(false);
        entry.lists_may_have_changed(&lists(connection));
    }
}
