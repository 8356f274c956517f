//! The credentials from an authorization, and the store that keeps them.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_util::future::{self, BoxFuture, FutureExt as _};
use serde::{Deserialize, Serialize};

/// A token is renewed this long before its end, and a short-lived one in the second half of its
/// life.
const EARLY: Duration = Duration::from_secs(30);

/// Keeps credentials longer than the process lives, in a keychain or in a file that only the user
/// can read.
///
/// Without a store, [`OAuth`](super::OAuth) and its clones keep credentials in memory. `resource`
/// is the address of the MCP server. The methods return no errors: lost credentials only cost the
/// user another visit to the authorization server. A store logs its own errors.
pub trait CredentialStore: Send + Sync + 'static {
    /// Loads the credentials for a server.
    fn load<'a>(&'a self, resource: &'a str) -> BoxFuture<'a, Option<Credentials>>;
    /// Replaces the credentials for a server.
    fn save<'a>(&'a self, resource: &'a str, credentials: Credentials) -> BoxFuture<'a, ()>;
    /// Removes the credentials for a server, which are not valid any more.
    fn remove<'a>(&'a self, resource: &'a str) -> BoxFuture<'a, ()>;
}

/// The credentials for one MCP server: tokens, and the client that they were issued to.
///
/// They are valid for one authorization server only. `serde` writes all secrets; `Debug` shows
/// none.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Credentials {
    pub(super) issuer: String,
    pub(super) client_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) client_secret: Option<String>,
    pub(super) redirect_uri: String,
    /// The scopes that were asked for so far. Later requests add to them.
    pub(super) requested_scopes: Vec<String>,
    pub(super) granted_scopes: Vec<String>,
    pub(super) access_token: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) refresh_token: Option<String>,
    /// The time of receipt, in seconds since 1970.
    pub(super) received_at: u64,
    /// The lifetime, in seconds from then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) expires_in: Option<u64>,
}

impl Credentials {
    /// Returns the issuer, the authorization server that issued the credentials.
    #[must_use]
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// Returns the id of the client that they were issued to.
    #[must_use]
    pub fn client_id(&self) -> &str {
        &self.client_id
    }

    /// Returns the scopes, as far as the authorization server has named them.
    #[must_use]
    pub fn scopes(&self) -> &[String] {
        &self.granted_scopes
    }

    /// Returns the end of the access token's life, if it is known.
    #[must_use]
    pub fn expires_at(&self) -> Option<SystemTime> {
        UNIX_EPOCH.checked_add(Duration::from_secs(self.received_at.checked_add(self.expires_in?)?))
    }

    /// Tells whether the access token can and should be renewed.
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
