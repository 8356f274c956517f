//! The MCP servers that agents reach by the bridge, and the tokens that admit to them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use acp_rpc::{CancellationToken, Error};
use subtle::ConstantTimeEq as _;

use crate::wire::random;

/// The length of a token.
pub(super) const TOKEN_LENGTH: usize = 32 + 1 + 64;

/// A server of one session.
pub(super) struct Offer {
    /// The public part of the token, by which the server is found.
    pub(super) key: Box<str>,
    pub(super) secret: Box<str>,
    /// The `serverId`, as JSON text.
    pub(super) server_id: Box<str>,
    pub(super) name: Box<str>,
    session: OnceLock<Box<str>>,
    /// Fires when the session or the chain is over.
    pub(super) gone: CancellationToken,
}

/// The servers of all sessions.
pub(super) struct Offers {
    by_key: Mutex<HashMap<Box<str>, Arc<Offer>>>,
    closed: CancellationToken,
}

impl Offer {
    pub(super) fn token(&self) -> String {
        format!("{}.{}", self.key, self.secret)
    }
}

impl Offers {
    /// Makes a set of servers that end with the chain.
    pub(super) fn new(closed: &CancellationToken) -> Self {
        Self { by_key: Mutex::default(), closed: closed.clone() }
    }

    /// Adds a server, with a new token.
    pub(super) fn add(&self, server_id: &str, name: &str) -> Result<Arc<Offer>, Error> {
        let offer = Arc::new(Offer {
            key: random::hex::<16>()?.into(),
            secret: random::hex::<32>()?.into(),
            server_id: server_id.into(),
            name: name.into(),
            session: OnceLock::new(),
            gone: self.closed.child_token(),
        });
        self.by_key().insert(offer.key.clone(), Arc::clone(&offer));
        Ok(offer)
    }

    /// Returns the server that a token admits to.
    pub(super) fn admitted(&self, token: &str) -> Option<Arc<Offer>> {
        let (key, secret) = token.split_once('.')?;
        let offer = self.by_key().get(key).cloned()?;
        // The time of a comparison must not tell how much of a guess was right.
        bool::from(offer.secret.as_bytes().ct_eq(secret.as_bytes())).then_some(offer)
    }

    /// Notes the session of servers. Those that it had before end, as when it is
    /// loaded again.
    pub(super) fn opened(&self, offers: &[Arc<Offer>], session: &str) {
        self.close(session);
        for offer in offers {
            let _ = offer.session.set(session.into());
        }
    }

    /// Ends the servers of a session.
    pub(super) fn close(&self, session: &str) {
        self.end_if(|offer| offer.session.get().is_some_and(|of| **of == *session));
    }

    /// Ends servers whose session was not opened.
    pub(super) fn withdraw(&self, offers: &[Arc<Offer>]) {
        self.end_if(|offer| offers.iter().any(|of| of.key == offer.key));
    }

    fn end_if(&self, is_over: impl Fn(&Offer) -> bool) {
        self.by_key().retain(|_, offer| {
            let is_over = is_over(offer);
            if is_over {
                offer.gone.cancel();
            }
            !is_over
        });
    }

    fn by_key(&self) -> MutexGuard<'_, HashMap<Box<str>, Arc<Offer>>> {
        self.by_key.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
