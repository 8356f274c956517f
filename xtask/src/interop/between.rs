//! A listener in the place of a server, which passes bytes on and shows them to observers.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use anyhow::Context as _;

/// Sees the bytes of one direction before they are passed on.
pub(super) type Observer = Box<dyn FnMut(&[u8]) + Send>;

/// Listens in the place of a server until it is dropped.
pub(super) struct Between {
    address: SocketAddr,
    is_over: Arc<AtomicBool>,
}

impl Between {
    /// Starts to listen. `observers` makes those of each connection: for the client's bytes, and
    /// for the server's.
    pub(super) fn start(
        server: SocketAddr,
        observers: impl Fn() -> [Observer; 2] + Send + 'static,
    ) -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").context("cannot listen on the loopback device")?;
        let address = listener.local_addr()?;
        let is_over = Arc::<AtomicBool>::default();
        let end = Arc::clone(&is_over);
        thread::spawn(move || {
            for client in listener.incoming() {
                if end.load(Ordering::SeqCst) {
                    return;
                }
                let (Ok(client), Ok(server)) = (client, TcpStream::connect(server)) else { continue };
                // A connection that breaks is the business of its two ends.
                pass_both_ways(client, server, observers()).ok();
            }
        });
        Ok(Self { address, is_over })
    }

    pub(super) const fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Between {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        // The thread waits for a connection.
        TcpStream::connect(self.address).ok();
    }
}

fn pass_both_ways(client: TcpStream, server: TcpStream, observers: [Observer; 2]) -> io::Result<()> {
    let (from_client, to_server) = (client.try_clone()?, server.try_clone()?);
    let [of_client, of_server] = observers;
    thread::spawn(move || pass(from_client, to_server, of_client));
    thread::spawn(move || pass(server, client, of_server));
    Ok(())
}

fn pass(mut from: TcpStream, mut to: TcpStream, mut see: Observer) {
    let mut buffer = [0; 16 * 1024];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        let bytes = buffer.get(..length).unwrap_or_default();
        see(bytes);
        if to.write_all(bytes).is_err() {
            break;
        }
    }
    to.shutdown(Shutdown::Write).ok();
    from.shutdown(Shutdown::Read).ok();
}
