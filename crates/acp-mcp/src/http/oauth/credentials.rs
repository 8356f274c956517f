//! What an authorization leaves behind, and where it is kept.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_util::future::{self, BoxFuture, FutureExt as _};
use serde::{Deserialize, Serialize};

/// A token is exchanged for a new one this long before its end; for a short one, in the last half of its time.
const EARLY: Duration = Duration::from_secs(30);

/// Keeps credentials between sessions, and longer than the process lives: a keychain, or a file that only the user can
/// read. Without one they are kept in memory, by [`OAuth`](super::OAuth) and its clones.
///
/// `resource` is the address of the MCP server. What cannot be kept is lost, which costs the user another visit to the
/// authorization server and nothing else; so there are no errors here: who keeps credentials logs its own.
pub trait CredentialStore: Send + Sync + 'static {
    /// What is kept for a server.
    fn load<'a>(&'a self, resource: &'a str) -> BoxFuture<'a, Option<Credentials>>;
    /// There are new credentials for a server, instead of those before.
    fn save<'a>(&'a self, resource: &'a str, credentials: Credentials) -> BoxFuture<'a, ()>;
    /// Those of a server are of no use any more.
    fn remove<'a>(&'a self, resource: &'a str) -> BoxFuture<'a, ()>;
}

/// The credentials for one MCP server: tokens, and the client that they were given to, both good for one authorization
/// server only. `serde` writes them with all that is secret; `Debug` shows nothing of that.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Credentials {
    pub(super) issuer: String,
    pub(super) client_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) client_secret: Option<String>,
    pub(super) redirect_uri: String,
    /// What was asked for so far; more is asked for on top of it.
    pub(super) requested_scopes: Vec<String>,
    pub(super) granted_scopes: Vec<String>,
    pub(super) access_token: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) refresh_token: Option<String>,
    /// Seconds since 1970.
    pub(super) received_at: u64,
    /// Seconds from then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) expires_in: Option<u64>,
}

impl Credentials {
    /// The authorization server that gave them.
    #[must_use]
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// The client that they were given to.
    #[must_use]
    pub fn client_id(&self) -> &str {
        &self.client_id
    }

    /// What they allow, as far as the authorization server has said.
    #[must_use]
    pub fn scopes(&self) -> &[String] {
        &self.granted_scopes
    }

    /// When the access token ends, where that is known.
    #[must_use]
    pub fn expires_at(&self) -> Option<SystemTime> {
        UNIX_EPOCH.checked_add(Duration::from_secs(self.received_at.checked_add(self.expires_in?)?))
    }

    /// Whether the access token can be exchanged for a new one, and should be.
    pub(super) fn is_stale(&self) -> bool {
        let (Some(end), Some(time)) = (self.expires_at(), self.expires_in) else { return false };
        let left = end.duration_since(SystemTime::now()).unwrap_or_default();
        self.refresh_token.is_some() && left <= EARLY.min(Duration::from_secs(time) / 2)
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials")
            .field("issuer", &self.issuer)
            .field("scopes", &self.granted_scopes)
            .finish_non_exhaustive()
    }
}

/// Keeps credentials for as long as the process lives.
#[derive(Default)]
pub(super) struct Memory(Mutex<HashMap<String, Credentials>>);

impl Memory {
    fn with<T>(&self, act: impl FnOnce(&mut HashMap<String, Credentials>) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl CredentialStore for Memory {
    fn load<'a>(&'a self, resource: &'a str) -> BoxFuture<'a, Option<Credentials>> {
        future::ready(self.with(|kept| kept.get(resource).cloned())).boxed()
    }

    fn save<'a>(&'a self, resource: &'a str, credentials: Credentials) -> BoxFuture<'a, ()> {
        self.with(|kept| kept.insert(resource.to_owned(), credentials));
        future::ready(()).boxed()
    }

    fn remove<'a>(&'a self, resource: &'a str) -> BoxFuture<'a, ()> {
        self.with(|kept| kept.remove(resource));
        future::ready(()).boxed()
    }
}
