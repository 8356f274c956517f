//! What all who reach one MCP server share: its credentials, and the authorization that is going on.

use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::{BoxFuture, FutureExt as _, Shared, WeakShared};
use tokio::sync::{OnceCell, watch};

use super::credentials::{CredentialStore, Credentials};
use super::server::{AuthorizationServer, Refreshed};
use crate::error::AuthorizationError;

/// How new credentials were had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Renewal {
    /// Without the user.
    Silent,
    /// By the user.
    Granted,
}

pub(super) type Outcome = Result<Renewal, AuthorizationError>;

pub(super) struct Place {
    pub(super) resource: String,
    held: Mutex<Held>,
    loaded: OnceCell<()>,
    /// Where the token is from, if that was found out already. A refresh token may be good for one exchange only: who
    /// exchanges it has this.
    pub(super) server: Arc<tokio::sync::Mutex<Option<AuthorizationServer>>>,
    going: Mutex<Option<WeakShared<BoxFuture<'static, Outcome>>>>,
    /// Whether the user has a page to visit.
    asks: watch::Sender<bool>,
}

/// Held while the user has a page to visit.
pub(super) struct Asking<'a>(&'a Place);

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.0.asks.send_replace(false);
    }
}

#[derive(Default)]
struct Held {
    credentials: Option<Credentials>,
    /// How often they were replaced.
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

    /// What was kept from before.
    pub(super) async fn load(&self, store: &dyn CredentialStore) {
        let load = async {
            let kept = store.load(&self.resource).await;
            self.held(|held| held.credentials = kept);
        };
        self.loaded.get_or_init(|| load).await;
    }

    /// Takes what is in the store, when that is not what is known here: another process has been there.
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

    /// Those of an authorization server that is not the server's any more.
    pub(super) async fn forget(&self, store: &dyn CredentialStore) {
        self.held(|held| held.credentials = None);
        store.remove(&self.resource).await;
    }

    /// Has a token renewed that is about to end. What goes wrong here is told by the server's refusal.
    pub(super) async fn refresh_early(self: &Arc<Self>, store: &Arc<dyn CredentialStore>) {
        let (place, store) = (Arc::clone(self), Arc::clone(store));
        // Not to be given up half-way: the new refresh token would be lost.
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

    pub(super) fn ask(&self) -> Asking<'_> {
        self.asks.send_replace(true);
        Asking(self)
    }

    /// Waits until the user has a page to visit.
    pub(super) async fn asks(&self) {
        // The sender is here.
        let _ = self.asks.subscribe().wait_for(|asks| *asks).await;
    }

    /// The authorization that is going on, or else this one; none when there were new credentials since `seen`. It goes on
    /// for as long as anybody waits for it.
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
