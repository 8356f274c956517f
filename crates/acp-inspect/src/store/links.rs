//! The connections of a chain, as taps that fill a store.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::SystemTime;

use acp_rpc::Tap;
use acp_testkit::recordings::Direction;

use super::Store;

/// The most bytes of lines that wait for the store.
const MOST_WAITING: usize = 16 * 1024 * 1024;
/// The memory of a line that waits besides its text.
const LINE: usize = 128;

/// The connections of a chain of proxies. Each has a tap, and one thread adds their lines to the
/// store, in the order in which they were seen. A connection never waits for the store: lines that
/// find no room are counted as lost.
///
/// Clones are the same connections.
#[derive(Clone, Debug)]
pub struct Links {
    store: Store,
    queue: mpsc::Sender<Heard>,
    waiting: Arc<AtomicUsize>,
}

/// A line that was seen.
#[derive(Debug)]
struct Heard {
    link: u8,
    time: SystemTime,
    direction: Direction,
    line: Box<[u8]>,
}

impl Store {
    /// Makes the store one of a chain, with a conductor between its lanes.
    ///
    /// # Errors
    /// Fails if the thread cannot be started.
    pub fn links(&self) -> io::Result<Links> {
        let (queue, heard) = mpsc::channel::<Heard>();
        let waiting = Arc::<AtomicUsize>::default();
        let (store, left) = (self.clone(), Arc::clone(&waiting));
        thread::Builder::new().name("acp inspect".into()).spawn(move || {
            for Heard { link, time, direction, line } in heard {
                if store.append_on(link, time, direction, &line).is_err() {
                    store.lost(1);
                }
                left.fetch_sub(line.len() + LINE, Ordering::Relaxed);
            }
            store.end();
        })?;
        Ok(Links { store: self.clone(), queue, waiting })
    }
}

impl Links {
    /// Returns a tap for the connection of the conductor to a component, or to the client if it has
    /// no name. Lanes stand in the order of the calls. A name that is there already gets a number.
    #[must_use]
    pub fn tap(&self, component: Option<&str>) -> Tap {
        let link = self.store.lock().add_link(component);
        let links = self.clone();
        Tap::raw(move |traffic| {
            // A line that was too long to be read has no text.
            let line = traffic.line.unwrap_or_default();
            let bytes = line.len() + LINE;
            let heard = Heard { link, time: traffic.time, direction: traffic.direction, line: line.into() };
            let before = links.waiting.fetch_add(bytes, Ordering::Relaxed);
            if before > MOST_WAITING || links.queue.send(heard).is_err() {
                links.waiting.fetch_sub(bytes, Ordering::Relaxed);
                links.store.lost(1);
            }
        })
    }
}
