//! The number of connections: in all, of a principal, from an address, and before `initialize`.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use acp_rpc::CancellationToken;
use tokio::sync::watch;

use super::access::principal::Principal;
use super::agent::Caller;
use super::counts::Counts;
use super::options::Limits;
use super::refusal::Refused;

/// The seats of a server. A connection holds one until its agent has ended.
#[derive(Debug)]
pub(crate) struct Seats {
    table: Mutex<Table>,
    taken: watch::Sender<usize>,
    /// Ends every connection.
    pub(crate) closing: CancellationToken,
    /// Ends each connection as soon as its work is finished.
    shutting: CancellationToken,
    unauthorized: AtomicU64,
}

#[derive(Debug, Default)]
struct Table {
    all: usize,
    uninitialized: usize,
    opened: u64,
    refused: u64,
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
            table: Mutex::default(),
            taken: watch::Sender::new(0),
            closing: CancellationToken::new(),
            shutting: CancellationToken::new(),
            unauthorized: AtomicU64::new(0),
        })
    }

    /// Takes a seat for a connection that is not initialized yet.
    pub(crate) fn take(self: &Arc<Self>, limits: &Limits, caller: &Caller) -> Result<Seat, Refused> {
        let (principal, address) = (&caller.grant.principal, caller.ip());
        let mut table = self.table();
        if let Some(refused) = self.refusal(&table, limits, principal, address) {
            table.refused += 1;
            return Err(refused);
        }
        table.all += 1;
        table.uninitialized += 1;
        table.opened += 1;
        *table.principals.entry(principal.clone()).or_default() += 1;
        if let Some(address) = address {
            *table.addresses.entry(address).or_default() += 1;
        }
        self.taken.send_replace(table.all);
        let is_initialized = AtomicBool::new(false);
        Ok(Seat { seats: Arc::clone(self), principal: principal.clone(), address, is_initialized })
    }

    /// Returns the reason why a caller gets none.
    fn refusal(
        &self,
        table: &Table,
        limits: &Limits,
        principal: &Principal,
        address: Option<IpAddr>,
    ) -> Option<Refused> {
        if self.is_shut() {
            return Some(Refused::CLOSING);
        }
        if table.all >= limits.connections || table.uninitialized >= limits.uninitialized {
            return Some(Refused::FULL);
        }
        let of = |count: Option<&usize>| count.copied().unwrap_or_default();
        let by_principal = of(table.principals.get(principal));
        let by_address = address.map_or(0, |address| of(table.addresses.get(&address)));
        let is_too_many = by_principal >= limits.connections_per_principal
            || (address.is_some() && by_address >= limits.connections_per_address);
        is_too_many.then_some(Refused::TOO_MANY_CONNECTIONS)
    }

    /// Gives no seat from now on, and frees those whose connections have no work.
    pub(crate) fn shut(&self) {
        let _table = self.table();
        self.shutting.cancel();
    }

    pub(crate) fn is_shut(&self) -> bool {
        self.shutting.is_cancelled()
    }

    /// Counts a request of somebody whom nobody knows.
    pub(crate) fn unauthorized(&self) {
        self.unauthorized.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn counts(&self) -> Counts {
        let table = self.table();
        Counts {
            connections: table.all,
            uninitialized: table.uninitialized,
            opened: table.opened,
            refused: table.refused,
            unauthorized: self.unauthorized.load(Ordering::Relaxed),
        }
    }

    /// Waits until all seats are free.
    pub(crate) async fn empty(&self) {
        let _ = self.taken.subscribe().wait_for(|taken| *taken == 0).await;
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seat {
    /// Marks the connection as initialized.
    pub(crate) fn initialized(&self) {
        if !self.is_initialized.swap(true, Ordering::AcqRel) {
            self.seats.table().uninitialized -= 1;
        }
    }

    /// Waits until the server shuts down.
    pub(crate) async fn shutting(&self) {
        self.seats.shutting.cancelled().await;
    }

    #[cfg(feature = "ws")]
    pub(crate) fn is_initialized(&self) -> bool {
        self.is_initialized.load(Ordering::Acquire)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut table = self.seats.table();
        table.all -= 1;
        table.uninitialized -= usize::from(!self.is_initialized.load(Ordering::Acquire));
        free(&mut table.principals, self.principal.clone());
        if let Some(address) = self.address {
            free(&mut table.addresses, address);
        }
        self.seats.taken.send_replace(table.all);
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
