//! A connection to a server over any transport.

pub(crate) mod progress;

use std::error::Error;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use rmcp::RoleClient;
use rmcp::model::{
    ClientJsonRpcMessage, GetExtensions as _, GetMeta as _, ServerJsonRpcMessage, ServerNotification,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use self::progress::ProgressWanted;
use crate::values::version::Era;

/// The name in `_meta` under which a notification for a listener has the id of the listening
/// request.
pub(crate) const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The reason why a message was not sent.
#[derive(Debug)]
pub(crate) struct WireError(pub(crate) Box<dyn Error + Send + Sync>);

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for WireError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(self.0.as_ref())
    }
}

/// A transport of rmcp as a trait object.
trait Carrier: Send {
    fn send(&mut self, message: TxJsonRpcMessage<RoleClient>) -> Boxed<'static, Result<(), WireError>>;
    fn receive(&mut self) -> Boxed<'_, Option<RxJsonRpcMessage<RoleClient>>>;
    fn close(&mut self) -> Boxed<'_, Result<(), WireError>>;
}

impl<T: Transport<RoleClient>> Carrier for T {
    fn send(&mut self, message: TxJsonRpcMessage<RoleClient>) -> Boxed<'static, Result<(), WireError>> {
        let sent = Transport::send(self, message);
        Box::pin(async { sent.await.map_err(|error| WireError(Box::new(error))) })
    }

    fn receive(&mut self) -> Boxed<'_, Option<RxJsonRpcMessage<RoleClient>>> {
        Box::pin(Transport::receive(self))
    }

    fn close(&mut self) -> Boxed<'_, Result<(), WireError>> {
        Box::pin(async { Transport::close(self).await.map_err(|error| WireError(Box::new(error))) })
    }
}

/// A connection to a server, one type for all transports.
///
/// Notifications are handled one after the other, and the messages behind a notification wait until
/// it is handled. rmcp alone would handle each in a task of its own, in any order and without a
/// bound.
pub(crate) struct Wire {
    carrier: Box<dyn Carrier>,
    era: Option<Era>,
    handling: Arc<Semaphore>,
}

impl Wire {
    pub(crate) fn new(transport: impl Transport<RoleClient> + 'static) -> Self {
        Self { carrier: Box::new(transport), era: None, handling: Arc::new(Semaphore::new(1)) }
    }

    /// Sets the era that was agreed on.
    pub(crate) fn agreed(mut self, era: Era) -> Self {
        self.era = Some(era);
        self
    }
}

/// Makes the next message wait until this notification is handled and dropped.
fn hold_back(notification: &mut ServerNotification, permit: OwnedSemaphorePermit) {
    // A notification for a listener may stay in its queue for long. That queue has a bound and an
    // order of its own.
    if !notification.get_meta().contains_key(SUBSCRIPTION) {
        notification.extensions_mut().insert(Arc::new(permit));
    }
}

impl Transport<RoleClient> for Wire {
    type Error = WireError;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), WireError>> + Send + 'static {
        if let ClientJsonRpcMessage::Request(request) = &message {
            ProgressWanted::sent(&request.request);
        }
        self.carrier.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            let permit = Arc::clone(&self.handling).acquire_owned().await.ok()?;
            match self.carrier.receive().await {
                // A modern server must not send requests, and must not be answered: `mcp-neg-38`.
                Some(ServerJsonRpcMessage::Request(_)) if self.era == Some(Era::Modern) => {
                    tracing::warn!("ignored a request of an MCP server of 2026-07-28 or later");
                }
                Some(ServerJsonRpcMessage::Notification(mut message)) => {
                    hold_back(&mut message.notification, permit);
                    return Some(ServerJsonRpcMessage::Notification(message));
                }
                message => return message,
            }
        }
    }

    async fn close(&mut self) -> Result<(), WireError> {
        self.carrier.close().await
    }
}
