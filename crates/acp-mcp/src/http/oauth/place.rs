//! The state that all sessions share about one MCP server: its credentials, and the authorization
//! that is under way.

use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::{BoxFuture, FutureExt as _, Shared, WeakShared};
use tokio::sync::{OnceCell, watch};

use super::credentials::{CredentialStore, Credentials};
use super::server::{AuthorizationServer, Refreshed};
use crate::error::AuthorizationError;

/// The way in which new credentials were obtained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Renewal {
    /// Without the user.
    Silent,
    /// With the consent of the user.
    Granted,
}

pub(super) type Outcome = Result<Renewal, AuthorizationError>;

/// The credentials of one MCP server, and the authorization that is under way.
pub(super) struct Place {
    pub(super) resource: String,
    held: Mutex<Held>,
    loaded: OnceCell<()>,
    /// The authorization server of the token, if it was found already. A refresh token may be valid
    /// for one exchange only, so this is locked during an exchange.
    pub(super) server: Arc<tokio::sync::Mutex<Option<AuthorizationServer>>>,
    going: Mutex<Option<WeakShared<BoxFuture<'static, Outcome>>>>,
    /// True while the user has a page to visit.
    asks: watch::Sender<bool>,
}

/// Marks that the user has a page to visit, until it is dropped.
pub(super) struct Visit<'a>(&'a Place);

impl Drop for Visit<'_> {
    fn drop(&mut self) {
        self.0.asks.send_replace(false);
    }
}

#[derive(Default)]
struct Held {
    credentials: Option<Credentials>,
    /// The number of times that they were replaced.
    number: u64,
}

impl Place {
    pub(super) fn new(resource: &str) -> Self {
        Self {
            resource: resource.to_owned(),
            held: Mutex::default(),
            loaded: OnceCell::new(),
            server: Arc::default(),
            going: Mutex::default(),
            asks: watch::Sender::new(false),
        }
    }

    fn held<T>(&self, act: impl FnOnce(&mut Held) -> T) -> T {
        act(&mut self.held.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn number(&self) -> u64 {
        self.held(|held| held.number)
    }

    pub(super) fn credentials(&self) -> Option<Credentials> {
        self.held(|held| held.credentials.clone())
    }

    /// Loads the credentials from the store, once.
    pub(super) async fn load(&self, store: &dyn CredentialStore) {
        let load = async {
            let kept = store.load(&self.resource).await;
            self.held(|held| held.credentials = kept);
        };
        self.loaded.get_or_init(|| load).await;
    }

    /// Takes over the credentials in the store, if another process has replaced them.
    pub(super) async fn adopt(&self, store: &dyn CredentialStore) -> bool {
        let Some(kept) = store.load(&self.resource).await else { return false };
        self.held(|held| {
            let is_other =
                held.credentials.as_ref().is_none_or(|known| known.access_token != kept.access_token);
            if is_other {
                held.credentials = Some(kept);
                held.number += 1;
            }
            is_other
        })
    }

    pub(super) async fn keep(&self, credentials: Credentials, store: &dyn CredentialStore) {
        self.held(|held| {
            held.credentials = Some(credentials.clone());
            held.number += 1;
        });
        store.save(&self.resource, credentials).await;
    }

    /// Removes the credentials, because the server has another authorization server now.
    pub(super) async fn forget(&self, store: &dyn CredentialStore) {
        self.held(|held| held.credentials = None);
        store.remove(&self.resource).await;
    }

    /// Renews a token that is about to end. Failures are ignored here, because the server will
    /// refuse the old token.
    pub(super) async fn refresh_early(self: &Arc<Self>, store: &Arc<dyn CredentialStore>) {
        let (place, store) = (Arc::clone(self), Arc::clone(store));
        // A task of its own, because dropping this half-way would lose the new refresh token.
        let task = tokio::spawn(async move {
            let mut server = place.server.lock().await;
            let Some(before) = place.credentials().filter(Credentials::is_stale) else { return };
            let Some(known) = server.as_mut() else { return };
            match known.refresh(&before).await {
                Refreshed::Token(credentials) => place.keep(credentials, &*store).await,
                Refreshed::Not | Refreshed::Failed(_) => *server = None,
            }
        });
        let _ = task.await;
    }

    pub(super) fn ask(&self) -> Visit<'_> {
        self.asks.send_replace(true);
        Visit(self)
    }

    /// Waits until the user has a page to visit.
    pub(super) async fn asks(&self) {
        // This cannot fail: the sender is part of `self`.
        let _ = self.asks.subscribe().wait_for(|asks| *asks).await;
    }

    /// Joins the authorization that is under way, or begins one. Returns `None` if there were new
    /// credentials since `seen`. The authorization goes on as long as anybody waits for it.
    pub(super) fn join(
        &self,
        seen: u64,
        begin: impl FnOnce() -> BoxFuture<'static, Outcome>,
    ) -> Option<Shared<BoxFuture<'static, Outcome>>> {
        let mut going = self.going.lock().unwrap_or_else(PoisonError::into_inner);
        if self.number() != seen {
            return None;
        }
        if let Some(outcome) = going.as_ref().and_then(WeakShared::upgrade) {
            return Some(outcome);
        }
        let outcome = begin().shared();
        *going = outcome.downgrade();
        Some(outcome)
    }
}
