//! Has a server report its changes: of lists, and of the resources that are subscribed to.
//!
//! A legacy server reports its lists by itself, and resources after `resources/subscribe`. A modern one reports to those
//! who listen.

use tokio::sync::Notify;

use super::subscriber::{Subscriber, lists};
use crate::session::state::entry::{Connection, Entry};
use crate::session::state::shared::Shared;
use crate::values::version::Era;

/// Keeps a connection told. Does not end.
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

/// Has a server that has lost its session told again, each time. Does not end.
pub(super) async fn after(entry: &Entry, connection: &Connection, renewed: &Notify) {
    loop {
        renewed.notified().await;
        entry.subscriptions.forget(false);
        entry.lists_may_have_changed(&lists(connection));
    }
}
