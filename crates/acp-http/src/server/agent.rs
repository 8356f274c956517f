//! An agent that runs for a connection.

use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};
use std::time::Duration;

use acp_rpc::{CancellationToken, Transport};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::access::connection_id::ConnectionId;
use super::access::grant::Grant;
use super::access::principal::Principal;
use super::close_code::{FAULT, GOING_AWAY, NORMAL};

/// The other end of a connection, for the function that makes an agent.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Remote {
    /// The principal that opened the connection.
    pub principal: Principal,
    /// The address that the connection came from, if the server knows it. Its port is 0 if only a
    /// [proxy](super::Options::proxy) knows it.
    pub address: Option<SocketAddr>,
    /// The id of the connection.
    pub connection: ConnectionId,
    pub(crate) failure: Failure,
}

impl Remote {
    /// Reports that the agent does not end by its own will, such as a program that was killed. The
    /// client is then told code 1011 instead of 1000, and may connect again.
    ///
    /// It must be called before the agent ends.
    pub fn report_failure(&self) {
        self.failure.0.store(true, Ordering::Release);
    }
}

/// Knows if an agent has failed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Failure(Arc<AtomicBool>);

/// The address that a request came from. The listener puts it into the extensions of requests.
/// Another server can do that too: then limits for each address hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerAddress(pub SocketAddr);

/// The sender of a request.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    pub(crate) grant: Grant,
    pub(crate) address: Option<SocketAddr>,
}

impl Caller {
    pub(crate) fn ip(&self) -> Option<IpAddr> {
        self.address.map(|address| address.ip().to_canonical())
    }

    /// Returns the other end of a connection that this caller opens.
    pub(crate) fn remote(&self, connection: ConnectionId) -> Remote {
        Remote {
            principal: self.grant.principal.clone(),
            address: self.address,
            connection,
            failure: Failure::default(),
        }
    }
}

/// A running agent.
pub(crate) type AgentFuture = Pin<Box<dyn Future<Output = ()> + Send>>;
/// Makes the agent of a connection.
pub(crate) type Factory = Arc<dyn Fn(Transport, Remote) -> AgentFuture + Send + Sync>;

/// The task of an agent. Its drop ends the agent.
pub(crate) struct AgentTask(JoinHandle<()>);

impl AgentTask {
    pub(crate) fn spawn(agent: AgentFuture) -> Self {
        Self(tokio::spawn(agent))
    }

    /// Waits for the end of the agent. Returns true if that is a panic.
    pub(crate) async fn ended(&mut self) -> bool {
        (&mut self.0).await.is_err()
    }

    /// Ends an agent whose input has ended: it has this long to do so itself.
    pub(crate) async fn finish(mut self, limit: Duration) {
        if timeout(limit, self.ended()).await.is_err() {
            tracing::warn!("an agent did not end with its connection, and is aborted");
        }
    }
}

impl Drop for AgentTask {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The end of a connection by this side, with the code that its client is told.
#[derive(Debug)]
pub(crate) struct Closing {
    pub(crate) token: CancellationToken,
    code: AtomicU16,
    failure: Failure,
}

impl Closing {
    /// Creates one for the connection of an agent, which may report a failure.
    pub(crate) fn new(token: CancellationToken, remote: &Remote) -> Self {
        Self { token, code: AtomicU16::new(0), failure: remote.failure.clone() }
    }

    /// Ends the connection. The first code counts.
    pub(crate) fn close(&self, code: u16) {
        let _ = self.code.compare_exchange(0, code, Ordering::AcqRel, Ordering::Acquire);
        self.token.cancel();
    }

    /// Returns the code of a connection that has ended. `has_panicked` is about its agent.
    pub(crate) fn code(&self, has_panicked: bool) -> u16 {
        match self.code.load(Ordering::Acquire) {
            0 if self.token.is_cancelled() => GOING_AWAY,
            0 if has_panicked || self.failure.0.load(Ordering::Acquire) => FAULT,
            0 => NORMAL,
            code => code,
        }
    }
}
