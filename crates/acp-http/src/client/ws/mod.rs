//! A WebSocket: one message of JSON-RPC in each text message.

mod socket;
mod tunnel;
mod upgrade;

use acp_rpc::Transport;
use reqwest::Url;

use self::socket::Socket;
use super::error::Error;
use super::settings::Settings;

/// Opens a WebSocket.
pub(super) async fn connect(url: Url, settings: &Settings) -> Result<Transport, Error> {
    if let Some(proxy) = tunnel::proxy(&url) {
        let stream = upgrade::upgrade_through(&proxy, url, settings).await?;
        let (incoming, outgoing) = Socket::open(stream, settings).await;
        return Ok(Transport::messages(incoming, outgoing).ends_in_order());
    }
    let stream = upgrade::upgrade(url, settings).await?;
    let (incoming, outgoing) = Socket::open(stream, settings).await;
    Ok(Transport::messages(incoming, outgoing).ends_in_order())
}
