//! The number of connections: in all, of a principal, from an address, and before `initialize`.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use acp_rpc::CancellationToken;
use tokio::sync::watch;

use super::access::principal::Principal;
use super::agent::Caller;
use super::options::Limits;
use super::refusal::Refused;

/// The seats of a server. A connection holds one until its agent has ended.
#[derive(Debug)]
pub(crate) struct Seats {
    counts: Mutex<Counts>,
    taken: watch::Sender<usize>,
    /// Ends every connection.
    pub(crate) closing: CancellationToken,
    is_shut: AtomicBool,
}

#[derive(Debug, Default)]
struct Counts {
    all: usize,
    uninitialized: usize,
    principals: HashMap<Principal, usize>,
    addresses: HashMap<IpAddr, usize>,
}

/// The seat of a connection. Its drop frees it.
#[derive(Debug)]
pub(crate) struct Seat {
    seats: Arc<Seats>,
    principal: Principal,
    address: Option<IpAddr>,
    is_initialized: AtomicBool,
}

impl Seats {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            counts: Mutex::default(),
            taken: watch::Sender::new(0),
            closing: CancellationToken::new(),
            is_shut: AtomicBool::new(false),
        })
    }

    /// Takes a seat for a connection that is not initialized yet.
    pub(crate) fn take(self: &Arc<Self>, limits: &Limits, caller: &Caller) -> Result<Seat, Refused> {
        let (principal, address) = (&caller.grant.principal, caller.ip());
        let mut counts = self.counts();
        if self.is_shut() {
            return Err(Refused::CLOSING);
        }
        if counts.all >= limits.connections || counts.uninitialized >= limits.uninitialized {
            return Err(Refused::FULL);
        }
        let of = |count: Option<&usize>| count.copied().unwrap_or_default();
        let by_principal = of(counts.principals.get(principal));
        let by_address = address.map_or(0, |address| of(counts.addresses.get(&address)));
        if by_principal >= limits.connections_per_principal
            || (address.is_some() && by_address >= limits.connections_per_address)
        {
            return Err(Refused::TOO_MANY_CONNECTIONS);
        }
        counts.all += 1;
        counts.uninitialized += 1;
        *counts.principals.entry(principal.clone()).or_default() += 1;
        if let Some(address) = address {
            *counts.addresses.entry(address).or_default() += 1;
        }
        self.taken.send_replace(counts.all);
        let is_initialized = AtomicBool::new(false);
        Ok(Seat { seats: Arc::clone(self), principal: principal.clone(), address, is_initialized })
    }

    /// Gives no seat from now on.
    pub(crate) fn shut(&self) {
        let _counts = self.counts();
        self.is_shut.store(true, Ordering::Release);
    }

    pub(crate) fn is_shut(&self) -> bool {
        self.is_shut.load(Ordering::Acquire)
    }

    /// Waits until all seats are free.
    pub(crate) async fn empty(&self) {
        let _ = self.taken.subscribe().wait_for(|taken| *taken == 0).await;
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seat {
    /// Marks the connection as initialized.
    pub(crate) fn initialized(&self) {
        if !self.is_initialized.swap(true, Ordering::AcqRel) {
            self.seats.counts().uninitialized -= 1;
        }
    }

    #[cfg(feature = "ws")]
    pub(crate) fn is_initialized(&self) -> bool {
        self.is_initialized.load(Ordering::Acquire)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut counts = self.seats.counts();
        counts.all -= 1;
        counts.uninitialized -= usize::from(!self.is_initialized.load(Ordering::Acquire));
        free(&mut counts.principals, self.principal.clone());
        if let Some(address) = self.address {
            free(&mut counts.addresses, address);
        }
        self.seats.taken.send_replace(counts.all);
    }
}

fn free<K: Hash + Eq>(counts: &mut HashMap<K, usize>, key: K) {
    if let Entry::Occupied(mut entry) = counts.entry(key) {
        *entry.get_mut() -= 1;
        if *entry.get() == 0 {
            entry.remove();
        }
    }
}
