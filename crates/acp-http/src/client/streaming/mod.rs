//! HTTP with streams of events: each message of this side is a POST, and those of the server come
//! on the streams of GETs, one for the connection and one for each session.

mod behind;
mod carrier;
mod inbound;
mod inbox;
mod insist;
mod lanes;
mod ledger;
mod letter;
mod outbox;
mod post;
mod sessions;
mod shared;
mod stop;
mod stream;

use std::sync::Arc;
use std::time::Duration;

use acp_rpc::Transport;
use reqwest::{ClientBuilder, Url};
use tokio::sync::mpsc::unbounded_channel;

use self::carrier::Carrier;
use self::shared::Shared;
use super::error::Error;
use super::exchange::Exchange;
use super::settings::Settings;

/// The time after which a socket that nobody uses is not used again. Some servers close theirs
/// after 5 seconds, and a POST that meets that has an unknown outcome.
const IDLE: Duration = Duration::from_secs(4);
/// The silence on a socket of HTTP/2 after which the server is asked for a sign of life.
const PING_AFTER: Duration = Duration::from_secs(20);
/// The time that the server has for a sign of life.
const PONG_WITHIN: Duration = Duration::from_secs(10);

/// Sets a connection up. It begins with the first message, which is `initialize`.
pub(super) fn connect(url: Url, settings: &Settings) -> Result<Transport, Error> {
    let exchange = Exchange::new(url, settings, true, |client, is_secure| {
        versions(client, is_secure, settings.prior_knowledge)
    })?;
    let (inbox, incoming) = inbox::inbox();
    let (outgoing, outbox, over) = outbox::outbox();
    let (stop, stopped) = unbounded_channel();
    let shared = Arc::new(Shared::new(exchange, settings.clone(), inbox, outbox.own(), stop));
    tokio::spawn(Carrier::new(shared).carry(outbox, stopped, over));
    Ok(Transport::messages(incoming, outgoing).ends_in_order())
}

fn versions(client: ClientBuilder, is_secure: bool, prior_knowledge: bool) -> ClientBuilder {
    let client = client
        .pool_idle_timeout(IDLE)
        .http2_keep_alive_interval(PING_AFTER)
        .http2_keep_alive_timeout(PONG_WITHIN)
        .http2_keep_alive_while_idle(true);
    match (is_secure, prior_knowledge) {
        // The two agree on a version.
        (true, _) => client,
        (false, true) => client.http2_prior_knowledge(),
        (false, false) => client.http1_only(),
    }
}
