//! The server on loopback.

mod answer;
mod events;
mod gate;
mod query;
mod routes;
mod secret;

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::sleep;

use self::gate::Gate;
use crate::drive::{Desk, Driver};
use crate::store::Store;

/// The most connections at once. Others wait.
const MOST_CONNECTIONS: usize = 64;
/// The time that a browser has for the head of a request.
const HEAD: Duration = Duration::from_secs(10);
/// The time until the next connection is taken, if the system refuses one.
const PAUSE: Duration = Duration::from_millis(100);

/// The origin of the messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A connection that is running.
    Live,
    /// A file.
    Recording,
}

/// A server of the page about one store.
#[derive(Debug)]
pub struct Inspector {
    listener: TcpListener,
    address: SocketAddr,
    shared: Arc<Shared>,
}

/// The state that requests share.
#[derive(Debug)]
struct Shared {
    store: Store,
    source: Source,
    name: String,
    gate: Gate,
    /// The place of acts, if the page is the client.
    desk: OnceLock<Desk>,
}

impl Inspector {
    /// Listens on an address of the loopback device. Port 0 is a free one. `name` is shown to people.
    ///
    /// # Errors
    /// Fails if the address is not of loopback or cannot be had, or if the system has no random
    /// numbers.
    pub async fn listen(address: SocketAddr, store: Store, source: Source, name: &str) -> io::Result<Self> {
        if !address.ip().is_loopback() {
            let problem =
                format!("{address} is not an address of the loopback device: use 127.0.0.1 or [::1]");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, problem));
        }
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let gate = Gate::new(address)?;
        let shared = Arc::new(Shared { store, source, name: name.to_owned(), gate, desk: OnceLock::new() });
        Ok(Self { listener, address, shared })
    }

    /// Lets the page act as the client of an agent. Only the first driver counts.
    #[must_use]
    pub fn driven_by(self, driver: &Driver) -> Self {
        self.shared.desk.get_or_init(|| driver.desk());
        self
    }

    /// Returns the address that it listens on.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the address of the page, with the token in its fragment. Who opens it first is let in,
    /// and nobody else.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}/#token={}", self.address, self.shared.gate.token())
    }

    /// Serves until it is dropped. Its connections end with it.
    pub async fn serve(self) {
        let room = Arc::new(Semaphore::new(MOST_CONNECTIONS));
        let mut connections = JoinSet::new();
        loop {
            // The semaphore is never closed.
            let Ok(seat) = Arc::clone(&room).acquire_owned().await else { return };
            while connections.try_join_next().is_some() {}
            let Ok((stream, _)) = self.listener.accept().await else {
                // The system has too many open files, or the like.
                sleep(PAUSE).await;
                continue;
            };
            let shared = Arc::clone(&self.shared);
            connections.spawn(async move {
                let service = service_fn(|request| {
                    let shared = Arc::clone(&shared);
                    async move { Ok::<_, Infallible>(routes::answer(&shared, request).await) }
                });
                let mut http = http1::Builder::new();
                http.timer(TokioTimer::new()).header_read_timeout(HEAD);
                // A browser that goes away is no fault.
                let _ = http.serve_connection(TokioIo::new(stream), service).await;
                drop(seat);
            });
        }
    }
}
