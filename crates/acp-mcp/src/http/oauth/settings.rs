//! How authorizations are had.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use futures_util::future;

use super::authorizer::{Authorizer, AuthorizerAnswer};
use super::credentials::{CredentialStore, Memory};
use super::place::Place;

/// How the authorizations are had that MCP servers over HTTP want: for
/// [`Builder::authorization`](crate::Builder::authorization).
///
/// Clones share credentials, and authorizations that are going on: give one value, or its clones, to all sessions of an
/// agent, and users see one page for each server, however many sessions and requests wait for it.
///
/// What a server publishes decides where requests go. They go to addresses of the Internet; to those of this machine or
/// of a private network only when the server is there as well ([`AuthorizationError::Address`](crate::AuthorizationError)),
/// and by https only, unless the server is reached by http ([`AuthorizationError::Insecure`](crate::AuthorizationError)).
#[derive(Clone)]
pub struct OAuth {
    settings: Arc<Settings>,
    places: Arc<Mutex<HashMap<String, Weak<Place>>>>,
}

#[derive(Clone)]
pub(super) struct Settings {
    pub(super) authorizer: Arc<dyn Authorizer>,
    pub(super) store: Arc<dyn CredentialStore>,
    pub(super) redirect: Redirect,
    pub(super) client_name: Option<String>,
    pub(super) client_metadata_url: Option<String>,
    /// By issuer.
    pub(super) clients: HashMap<String, OAuthClient>,
    pub(super) scopes: Vec<String>,
}

/// Where the browser is sent after the user has visited the authorization server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Redirect {
    /// To `http://127.0.0.1:PORT/callback`, where it is waited for. That is for agents that run on the user's machine.
    Loopback {
        /// The port; 0 for any that is free, which authorization servers have to allow (RFC 8252, section 7.3).
        port: u16,
    },
    /// To another address, such as one of a web service. Whoever is there brings what came to the [`Authorizer`], which
    /// answers with [`AuthorizerAnswer::Redirected`](super::AuthorizerAnswer::Redirected).
    Elsewhere {
        /// The address.
        uri: String,
    },
}

/// A client that is registered with an authorization server already.
#[derive(Clone, PartialEq, Eq)]
pub struct OAuthClient {
    pub(super) id: String,
    pub(super) secret: Option<String>,
}

impl Settings {
    pub(super) fn client_of(&self, issuer: &str) -> Option<&OAuthClient> {
        self.clients.get(rootless(issuer))
    }
}

/// People write an issuer with a slash at the end, and without.
fn rootless(issuer: &str) -> &str {
    issuer.strip_suffix('/').unwrap_or(issuer)
}

impl OAuthClient {
    /// A public client.
    #[must_use]
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), secret: None }
    }

    /// Makes it a confidential client.
    #[must_use]
    pub fn secret(mut self, secret: impl Into<String>) -> Self {
        self.secret = Some(secret.into());
        self
    }
}

/// Without the secret.
impl fmt::Debug for OAuthClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OAuthClient").field("id", &self.id).finish_non_exhaustive()
    }
}

impl OAuth {
    /// Authorizations where this one takes the user to the page. Credentials are kept in memory, browsers are sent back
    /// to a free port of the loopback, and clients are registered as they are needed.
    #[must_use]
    pub fn new(authorizer: impl Authorizer) -> Self {
        let settings = Settings {
            authorizer: Arc::new(authorizer),
            store: Arc::new(Memory::default()),
            redirect: Redirect::Loopback { port: 0 },
            client_name: None,
            client_metadata_url: None,
            clients: HashMap::new(),
            scopes: Vec::new(),
        };
        Self { settings: Arc::new(settings), places: Arc::default() }
    }

    fn with(mut self, set: impl FnOnce(&mut Settings)) -> Self {
        set(Arc::make_mut(&mut self.settings));
        self
    }

    /// Another one who takes the user to pages, with the same credentials: that of one session among many.
    #[must_use]
    pub fn authorizer(self, authorizer: impl Authorizer) -> Self {
        self.with(|settings| settings.authorizer = Arc::new(authorizer))
    }

    /// Where credentials are kept. Default: in memory.
    #[must_use]
    pub fn store(self, store: impl CredentialStore) -> Self {
        self.with(|settings| settings.store = Arc::new(store))
    }

    /// Where browsers are sent back. Default: a free port of the loopback.
    #[must_use]
    pub fn redirect(self, redirect: Redirect) -> Self {
        self.with(|settings| settings.redirect = redirect)
    }

    /// The name that clients are registered with, for users to see. Default: that of the session's `Implementation`.
    #[must_use]
    pub fn client_name(self, name: impl Into<String>) -> Self {
        self.with(|settings| settings.client_name = Some(name.into()))
    }

    /// The https address of a document about this client (Client ID Metadata Document). It stands for the client where
    /// an authorization server reads such documents; no client is registered then.
    #[must_use]
    pub fn client_metadata_url(self, url: impl Into<String>) -> Self {
        self.with(|settings| settings.client_metadata_url = Some(url.into()))
    }

    /// A client that is registered with the authorization server of this issuer already; it goes before all others. It
    /// is shown to no other authorization server, whatever an MCP server says.
    #[must_use]
    pub fn client(self, issuer: impl Into<String>, client: OAuthClient) -> Self {
        self.with(|settings| {
            settings.clients.insert(rootless(&issuer.into()).to_owned(), client);
        })
    }

    /// What to ask for where a server does not say what it needs. Default: nothing in particular.
    #[must_use]
    pub fn scopes(self, scopes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.with(|settings| settings.scopes = scopes.into_iter().map(Into::into).collect())
    }

    pub(super) fn settings(&self) -> &Arc<Settings> {
        &self.settings
    }

    /// What is shared by all who reach a server.
    pub(super) fn place(&self, resource: &str) -> Arc<Place> {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = places.get(resource).and_then(Weak::upgrade) {
            return place;
        }
        places.retain(|_, place| place.strong_count() > 0);
        let place = Arc::new(Place::new(resource));
        places.insert(resource.to_owned(), Arc::downgrade(&place));
        place
    }
}

/// Authorizations where nobody takes the user to pages yet: see [`OAuth::authorizer`].
impl Default for OAuth {
    fn default() -> Self {
        Self::new(|_| future::ready(AuthorizerAnswer::Unavailable))
    }
}

impl fmt::Debug for OAuth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OAuth")
            .field("redirect", &self.settings.redirect)
            .field("client_metadata_url", &self.settings.client_metadata_url)
            .field("clients", &self.settings.clients)
            .finish_non_exhaustive()
    }
}
