//! Tickets: credentials of a browser for one WebSocket.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use http::header::{ORIGIN, SEC_WEBSOCKET_PROTOCOL};
use http::{HeaderMap, HeaderValue};
use tokio::time::Instant;

use super::grant::Grant;
use super::secret;
use crate::server::refusal::Refused;

/// The longest life of a ticket.
pub(crate) const LONGEST: Duration = Duration::from_secs(60);
/// A page shows its ticket as a subprotocol with this beginning, as it can set no header.
const PROTOCOL: &[u8] = b"acp.ticket.";

/// The tickets that nobody has used yet. Each is good for one WebSocket of the page and the
/// principal that it was given to.
#[derive(Default)]
pub(crate) struct Tickets(Mutex<HashMap<String, Ticket>>);

/// The bounds of tickets that are issued.
pub(crate) struct Bounds {
    pub(crate) life: Duration,
    /// The most tickets of one principal.
    pub(crate) of_principal: usize,
    /// The most tickets of all.
    pub(crate) of_all: usize,
}

struct Ticket {
    grant: Grant,
    origin: Option<HeaderValue>,
    until: Instant,
}

impl Tickets {
    /// Makes a ticket for the page that asks. A principal may have as many as it may have
    /// connections.
    pub(crate) fn issue(
        &self,
        grant: Grant,
        headers: &HeaderMap,
        bounds: &Bounds,
    ) -> Result<String, Refused> {
        let now = Instant::now();
        let mut tickets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tickets.retain(|_, ticket| ticket.until > now);
        let of_principal =
            tickets.values().filter(|ticket| ticket.grant.principal == grant.principal).count();
        if of_principal >= bounds.of_principal || tickets.len() >= bounds.of_all {
            return Err(Refused::TOO_MANY_TICKETS);
        }
        let secret = secret::draw().ok_or(Refused::BROKEN)?;
        let until = now + bounds.life.min(LONGEST);
        tickets.insert(secret.clone(), Ticket { grant, origin: headers.get(ORIGIN).cloned(), until });
        Ok(secret)
    }

    /// Takes the ticket of a request. It is spent, whatever comes of it.
    pub(crate) fn redeem(&self, headers: &HeaderMap) -> Option<Grant> {
        let mut shown = headers
            .get_all(SEC_WEBSOCKET_PROTOCOL)
            .iter()
            .flat_map(|value| value.as_bytes().split(|byte| *byte == b','))
            .filter_map(|protocol| protocol.trim_ascii().strip_prefix(PROTOCOL));
        let secret = std::str::from_utf8(shown.next()?).ok()?;
        let has_two = shown.next().is_some();
        let ticket = self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(secret)?;
        let is_good = !has_two
            && ticket.until > Instant::now()
            && ticket.origin.as_ref() == headers.get(ORIGIN)
            && !ticket.grant.has_ended();
        is_good.then_some(ticket.grant)
    }
}

impl fmt::Debug for Tickets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tickets").finish_non_exhaustive()
    }
}
