//! The settings of authorizations.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use futures_util::future;

use super::authorizer::{Authorizer, AuthorizerAnswer};
use super::credentials::{CredentialStore, Memory};
use super::place::Place;

/// The settings of authorizations by OAuth, for
/// [`Builder::authorization`](crate::Builder::authorization).
///
/// Clones share credentials and the authorizations that are under way. Give one value, or its
/// clones, to all sessions of an agent: users then see one page per server, no matter how many
/// sessions and requests wait for it.
///
/// The metadata of a server decides which addresses are fetched. Addresses of this machine or of a
/// private network are fetched only if the server itself is there
/// ([`AuthorizationError::Address`](crate::AuthorizationError)). Plain http is used only if the
/// server is reached by http ([`AuthorizationError::Insecure`](crate::AuthorizationError)).
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
    /// The registered clients, by issuer.
    pub(super) clients: HashMap<String, OAuthClient>,
    pub(super) scopes: Vec<String>,
}

/// The address that the browser is sent to after the visit to the authorization server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Redirect {
    /// The address `http://127.0.0.1:PORT/callback`, where this crate waits for the browser. This
    /// is for agents that run on the user's machine.
    Loopback {
        /// The port. 0 stands for any free port, which authorization servers have to allow (RFC
        /// 8252, section 7.3).
        port: u16,
    },
    /// Another address, such as that of a web service. The [`Authorizer`] has to find out where the
    /// browser went, and answers with
    /// [`AuthorizerAnswer::Redirected`](super::AuthorizerAnswer::Redirected).
    Elsewhere {
        /// The address.
        uri: String,
    },
}

/// A client that is already registered with an authorization server.
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

/// Removes the slash at the end of an issuer, which people write or leave out.
fn rootless(issuer: &str) -> &str {
    issuer.strip_suffix('/').unwrap_or(issuer)
}

impl OAuthClient {
    /// Creates a public client.
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

/// Shows everything but the secret.
impl fmt::Debug for OAuthClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OAuthClient").field("id", &self.id).finish_non_exhaustive()
    }
}

impl OAuth {
    /// Creates settings with this authorizer. By default credentials are kept in memory, browsers
    /// come back to a free loopback port, and clients are registered as they are needed.
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

    /// Sets another authorizer, such as that of one session, and keeps the shared credentials.
    #[must_use]
    pub fn authorizer(self, authorizer: impl Authorizer) -> Self {
        self.with(|settings| settings.authorizer = Arc::new(authorizer))
    }

    /// Sets the store for credentials. Default: in memory.
    #[must_use]
    pub fn store(self, store: impl CredentialStore) -> Self {
        self.with(|settings| settings.store = Arc::new(store))
    }

    /// Sets the address that browsers come back to. Default: a free loopback port.
    #[must_use]
    pub fn redirect(self, redirect: Redirect) -> Self {
        self.with(|settings| settings.redirect = redirect)
    }

    /// Sets the name of registered clients, which users see. Default: the name in the session's
    /// `Implementation`.
    #[must_use]
    pub fn client_name(self, name: impl Into<String>) -> Self {
        self.with(|settings| settings.client_name = Some(name.into()))
    }

    /// Sets the https address of a client metadata document (Client ID Metadata Document).
    /// Authorization servers that read such documents take it as the client id, and no client is
    /// registered there.
    #[must_use]
    pub fn client_metadata_url(self, url: impl Into<String>) -> Self {
        self.with(|settings| settings.client_metadata_url = Some(url.into()))
    }

    /// Sets the client that is already registered with the authorization server of this issuer. It
    /// takes precedence there, and is never shown to another authorization server.
    #[must_use]
    pub fn client(self, issuer: impl Into<String>, client: OAuthClient) -> Self {
        self.with(|settings| {
            settings.clients.insert(rootless(&issuer.into()).to_owned(), client);
        })
    }

    /// Sets the scopes to ask for when a server does not name any. Default: none.
    #[must_use]
    pub fn scopes(self, scopes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.with(|settings| settings.scopes = scopes.into_iter().map(Into::into).collect())
    }

    pub(super) fn settings(&self) -> &Arc<Settings> {
        &self.settings
    }

    /// Returns the shared state about a server.
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

/// Creates settings without an authorizer: see [`OAuth::authorizer`].
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
