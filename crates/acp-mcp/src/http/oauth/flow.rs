//! The steps from the refusal of a server to new credentials.

use std::fmt;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::FutureExt as _;
use reqwest::Url;
use rmcp::transport::auth::{OAuthClientConfig, WWWAuthenticateParams};
use tokio::time::timeout;

use super::authorizer::{AuthorizationPage, AuthorizerAnswer};
use super::credentials::Credentials;
use super::exchange::Exchanges;
use super::loopback::Loopback;
use super::place::{Outcome, Place};
use super::reach::Reach;
use super::server::{AuthorizationServer, Refreshed};
use super::settings::{OAuth, Redirect, Settings};
use crate::error::AuthorizationError;
use crate::http::client::{Clients, HttpSettings};

pub(crate) use super::place::Renewal;

/// The authorization of one server of a session.
pub(crate) struct Authorization {
    place: Arc<Place>,
    settings: Arc<Settings>,
    url: Url,
    /// The name of the server.
    server: String,
    client_name: String,
    clients: Clients,
    reach: Arc<Reach>,
    /// The time limit of a whole authorization.
    limit: Duration,
    /// The time limit of each exchange with an authorization server.
    exchange_time: Duration,
}

/// A refusal of a server that new credentials can help with.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    /// The [number](Authorization::number) of the credentials that the server refused.
    pub(crate) seen: u64,
    /// The HTTP status: 401, or 403 for more scopes.
    pub(crate) status: u16,
    /// The header `WWW-Authenticate`.
    pub(crate) challenge: Option<String>,
    /// True when no credentials were renewed for this request yet.
    pub(crate) is_first: bool,
}

impl Wanted {
    /// Tells whether the server wants more scopes than the token has.
    const fn is_step_up(&self) -> bool {
        self.status == 403
    }
}

/// Shows neither credentials nor the address, which may contain some.
impl fmt::Debug for Authorization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Authorization").field("server", &self.server).finish_non_exhaustive()
    }
}

impl Authorization {
    pub(crate) fn new(
        oauth: &OAuth,
        url: &Url,
        reach: &Arc<Reach>,
        server: &str,
        session: &HttpSettings<'_>,
    ) -> Self {
        let mut url = url.clone();
        url.set_fragment(None);
        // Both fail only for addresses without a host, which HTTP does not have.
        let _ = (url.set_username(""), url.set_password(None));
        let settings = oauth.settings();
        Self {
            place: oauth.place(url.as_str()),
            client_name: settings.client_name.clone().unwrap_or_else(|| session.client_name.to_owned()),
            settings: Arc::clone(settings),
            url,
            server: server.to_owned(),
            clients: Clients::of(session),
            reach: Arc::clone(reach),
            limit: session.timeouts.authorization,
            exchange_time: session.timeouts.request,
        }
    }

    /// Returns the access token to send, if there is one.
    pub(crate) async fn token(&self) -> Option<String> {
        let store = &self.settings.store;
        self.place.load(&**store).await;
        if self.place.credentials()?.is_stale() {
            self.place.refresh_early(store).await;
        }
        self.place.credentials().map(|credentials| credentials.access_token)
    }

    /// Returns how often the credentials were replaced.
    pub(crate) fn number(&self) -> u64 {
        self.place.number()
    }

    /// Waits until the user has a page of this server to visit.
    pub(crate) async fn asks_user(&self) {
        self.place.asks().await;
    }

    /// Tells whether new credentials can help after a refusal.
    pub(crate) fn helps(&self, status: u16, challenge: Option<&str>) -> bool {
        let params = challenge.map(|challenge| WWWAuthenticateParams::parse(challenge, &self.url));
        status == 401 || (status == 403 && params.is_some_and(|params| params.is_insufficient_scope()))
    }

    /// Returns the error for a server that refuses new credentials, too.
    pub(crate) fn given_up(&self, status: u16, challenge: Option<&str>) -> AuthorizationError {
        match status {
            403 => AuthorizationError::Scopes { scopes: self.wanted_scopes(challenge) },
            _ => AuthorizationError::Rejected,
        }
    }

    /// Returns the scopes that a refusal names.
    fn wanted_scopes(&self, challenge: Option<&str>) -> Vec<String> {
        let params = challenge.map(|challenge| WWWAuthenticateParams::parse(challenge, &self.url));
        let scopes = params.and_then(|params| params.scope).unwrap_or_default();
        scopes.split_whitespace().map(str::to_owned).collect()
    }

    /// Gets new credentials, and shares one authorization with everybody who waits for this server.
    pub(crate) async fn renew(self: &Arc<Self>, wanted: Wanted) -> Outcome {
        let authorization = Arc::clone(self);
        let going = self.place.join(wanted.seen, || {
            async move {
                let limit = authorization.limit;
                let outcome = timeout(limit, authorization.run(wanted)).await;
                outcome.unwrap_or(Err(AuthorizationError::Timeout { waited: limit }))
            }
            .boxed()
        });
        match going {
            Some(outcome) => outcome.await,
            None => Ok(Renewal::Silent),
        }
    }

    async fn run(&self, wanted: Wanted) -> Outcome {
        let (place, store) = (&self.place, &self.settings.store);
        let challenge = wanted.challenge.as_deref();
        if wanted.is_first && place.adopt(&**store).await {
            return Ok(Renewal::Silent);
        }
        let before = place.credentials();
        if wanted.is_step_up() {
            self.check_scopes(challenge, before.as_ref())?;
        }
        let mut server = self.find(challenge).await?;
        let mut known = Arc::clone(&place.server).lock_owned().await;
        if place.number() != wanted.seen {
            return Ok(Renewal::Silent);
        }
        *known = None;
        let is_of_it = |before: &Credentials| before.issuer == server.issuer();
        if before.as_ref().is_some_and(|before| !is_of_it(before)) {
            place.forget(&**store).await;
        }
        let before = before.filter(is_of_it);
        if let Some(before) = before.as_ref().filter(|_| wanted.is_first && !wanted.is_step_up()) {
            let (place, store, before) = (Arc::clone(place), Arc::clone(store), before.clone());
            // A task of its own, because dropping this half-way would lose the new refresh token.
            let task = tokio::spawn(async move {
                match server.refresh(&before).await {
                    Refreshed::Token(credentials) => {
                        place.keep(credentials, &*store).await;
                        *known = Some(server);
                        Ok(None)
                    }
                    Refreshed::Failed(error) => Err(error),
                    Refreshed::Not => Ok(Some(server)),
                }
            });
            let broken = |_| AuthorizationError::Token { problem: "the exchange was broken off".to_owned() };
            match task.await.map_err(broken)?? {
                None => return Ok(Renewal::Silent),
                Some(unused) => server = unused,
            }
        } else {
            // Others with a valid token need not wait for the user.
            drop(known);
        }
        let credentials = self.ask(&mut server, &wanted, before.as_ref()).await?;
        place.keep(credentials, &**store).await;
        *place.server.lock().await = Some(server);
        Ok(Renewal::Granted)
    }

    async fn find(&self, challenge: Option<&str>) -> Result<AuthorizationServer, AuthorizationError> {
        let exchanges = Exchanges::new(&self.clients, &self.reach, self.exchange_time);
        let exchanges =
            exchanges.map_err(|error| AuthorizationError::Metadata { problem: error.to_string() })?;
        AuthorizationServer::find(&self.url, challenge, exchanges).await
    }

    /// Fails if the token has all scopes already, because another authorization would not help.
    fn check_scopes(
        &self,
        challenge: Option<&str>,
        before: Option<&Credentials>,
    ) -> Result<(), AuthorizationError> {
        let scopes = self.wanted_scopes(challenge);
        let granted = before.map(|before| &*before.granted_scopes).unwrap_or_default();
        if scopes.iter().all(|scope| granted.contains(scope)) {
            return Err(AuthorizationError::Scopes { scopes });
        }
        Ok(())
    }

    /// Asks the user for an authorization.
    async fn ask(
        &self,
        server: &mut AuthorizationServer,
        wanted: &Wanted,
        before: Option<&Credentials>,
    ) -> Result<Credentials, AuthorizationError> {
        let mut scopes = server.scopes(&self.settings.scopes).await;
        for scope in before.into_iter().flat_map(|before| &before.requested_scopes) {
            if !scopes.contains(scope) {
                scopes.push(scope.clone());
            }
        }
        let loopback = match &self.settings.redirect {
            Redirect::Loopback { port } => {
                let bound = Loopback::bind(*port).await;
                Some(bound.map_err(|error| AuthorizationError::Redirect { problem: error.to_string() })?)
            }
            Redirect::Elsewhere { .. } => None,
        };
        let redirect_uri = match (&loopback, &self.settings.redirect) {
            (Some(loopback), _) => loopback.uri().to_owned(),
            (None, Redirect::Elsewhere { uri }) => uri.clone(),
            (None, Redirect::Loopback { .. }) => return Err(AuthorizationError::Unavailable),
        };
        // Only a registration that was just accepted is used again. An outdated one would stand in
        // the way for ever.
        let registered = before.filter(|before| wanted.is_step_up() && before.redirect_uri == redirect_uri);
        let client = self.client(server, registered, &redirect_uri, &scopes).await?;
        let (url, state) = server.page(client.clone(), &scopes).await?;
        let page = AuthorizationPage {
            server: self.server.clone(),
            url,
            issuer: server.issuer().to_owned(),
            scopes: scopes.clone(),
            redirect_uri,
            returns_here: loopback.is_some(),
        };
        let asking = self.place.ask();
        let address = self.visit(page, loopback.as_ref(), &state).await?;
        drop(asking);
        let tokens = server.token(&state, &address).await?;
        Ok(tokens.credentials(server.issuer(), client, scopes))
    }

    /// Returns the client to present to an authorization server.
    async fn client(
        &self,
        server: &mut AuthorizationServer,
        registered: Option<&Credentials>,
        redirect_uri: &str,
        scopes: &[String],
    ) -> Result<OAuthClientConfig, AuthorizationError> {
        let client = |id: &str, secret: Option<&String>| {
            let mut client = OAuthClientConfig::new(id, redirect_uri);
            client.client_secret = secret.cloned();
            client
        };
        if let Some(known) = self.settings.client_of(server.issuer()) {
            return Ok(client(&known.id, known.secret.as_ref()));
        }
        if let Some(document) =
            self.settings.client_metadata_url.as_ref().filter(|_| server.reads_client_metadata())
        {
            return Ok(client(document, None));
        }
        if let Some(before) = registered {
            return Ok(client(&before.client_id, before.client_secret.as_ref()));
        }
        if server.registers() {
            return server.register(&self.client_name, redirect_uri, scopes).await;
        }
        Err(AuthorizationError::NoClient { issuer: server.issuer().to_owned() })
    }

    /// Sends the user to a page, and returns the address at which the browser ends.
    async fn visit(
        &self,
        page: AuthorizationPage,
        loopback: Option<&Loopback>,
        state: &str,
    ) -> Result<String, AuthorizationError> {
        let answer = async {
            // Others wait for this, too, and must not fail by a panic.
            let shown = AssertUnwindSafe(async { self.settings.authorizer.authorize(page).await });
            shown.catch_unwind().await.unwrap_or(AuthorizerAnswer::Unavailable)
        };
        let Some(loopback) = loopback else {
            return address(answer.await).ok_or(AuthorizationError::Unavailable)?;
        };
        let mut back = pin!(loopback.callback(state));
        tokio::select! {
            address = &mut back => Ok(address),
            answer = answer => match address(answer) {
                Some(address) => address,
                None => Ok(back.await),
            },
        }
    }
}

/// Returns the address that the browser was sent to, if the `Authorizer` knows it.
fn address(answer: AuthorizerAnswer) -> Option<Result<String, AuthorizationError>> {
    match answer {
        AuthorizerAnswer::Opened => None,
        AuthorizerAnswer::Redirected(address) => Some(Ok(address)),
        AuthorizerAnswer::Declined => Some(Err(AuthorizationError::Declined)),
        AuthorizerAnswer::Unavailable => Some(Err(AuthorizationError::Unavailable)),
    }
}
