//! One authorization server, used through rmcp.

use std::error::Error;
use std::sync::Arc;

use reqwest::Url;
use rmcp::transport::auth::{
    AuthError, AuthorizationManager, AuthorizationMetadata, CredentialStore as _, InMemoryCredentialStore,
    OAuthClientConfig, ProtectedResourceMetadataInvalidReason as Reason, StoredCredentials,
};
use serde::Deserialize;
use serde_json::json;
use tracing::instrument::WithSubscriber as _;
use tracing::subscriber::NoSubscriber;

use super::callback::{Callback, Expected};
use super::credentials::Credentials;
use super::exchange::Exchanges;
use super::reach::AddressFilter;
use crate::error::AuthorizationError;
use crate::error::shortened;

/// The error codes that the endpoints of an authorization server have (RFC 6749, 7591 and 8707).
const CODES: [&str; 13] = [
    "invalid_request",
    "invalid_client_metadata",
    "invalid_client",
    "invalid_grant",
    "unauthorized_client",
    "unsupported_grant_type",
    "invalid_scope",
    "invalid_target",
    "invalid_redirect_uri",
    "invalid_software_statement",
    "unapproved_software_statement",
    "access_denied",
    "unsupported_token_type",
];

/// An authorization server, with its metadata.
pub(super) struct AuthorizationServer {
    manager: AuthorizationManager,
    /// The store in which the manager keeps tokens.
    store: InMemoryCredentialStore,
    metadata: AuthorizationMetadata,
    issuer: String,
    filter: Arc<AddressFilter>,
}

/// The outcome of an exchange of a refresh token.
pub(super) enum Refreshed {
    Token(Credentials),
    /// The exchange gave nothing, so the user has to be asked.
    Not,
    /// The exchange failed, and may succeed another time.
    Failed(AuthorizationError),
}

impl AuthorizationServer {
    /// Finds the authorization server of an MCP server, from the `WWW-Authenticate` of its refusal
    /// where there is one.
    pub(super) async fn find(
        url: &Url,
        challenge: Option<&str>,
        exchanges: Exchanges,
    ) -> Result<Self, AuthorizationError> {
        let filter = exchanges.filter();
        let refused = |otherwise| filter.refused().unwrap_or(otherwise);
        let manager =
            AuthorizationManager::new_with_oauth_http_client(url.clone(), Arc::new(exchanges)).await;
        let mut manager = manager.map_err(|error| of_discovery(&error))?;
        let store = InMemoryCredentialStore::new();
        manager.set_credential_store(store.clone());
        let found = manager.resolve_metadata_from_challenge(challenge).await;
        let found = found.map_err(|error| refused(of_discovery(&error)))?;
        // The addresses that rmcp makes up for servers of 2025-03-26 would send users to pages that
        // nobody has named.
        let issuer = found.metadata.issuer.clone().filter(|_| found.source.is_discovered());
        let issuer = issuer.ok_or_else(|| refused(AuthorizationError::NoMetadata))?;
        check(url, &issuer, &found.metadata)?;
        manager.set_metadata(found.metadata.clone());
        Ok(Self { manager, store, metadata: found.metadata, issuer, filter })
    }

    pub(super) fn issuer(&self) -> &str {
        &self.issuer
    }

    /// Returns the refusal of an exchange that was not allowed, or else `otherwise`.
    fn refused(&self, otherwise: AuthorizationError) -> AuthorizationError {
        self.filter.refused().unwrap_or(otherwise)
    }

    fn has(&self, member: &str) -> bool {
        self.metadata.additional_fields.get(member).and_then(serde_json::Value::as_bool) == Some(true)
    }

    /// Tells whether the server reads client metadata documents.
    pub(super) fn reads_client_metadata(&self) -> bool {
        self.has("client_id_metadata_document_supported")
    }

    pub(super) const fn registers(&self) -> bool {
        self.metadata.registration_endpoint.is_some()
    }

    /// Returns the scopes to ask for first: those of the refusal, else those that the server
    /// publishes, else `otherwise`. Adds `offline_access` if the server has it.
    pub(super) async fn scopes(&self, otherwise: &[String]) -> Vec<String> {
        let otherwise: Vec<&str> = otherwise.iter().map(String::as_str).collect();
        self.manager.select_initial_scopes(&otherwise).await
    }

    pub(super) async fn register(
        &mut self,
        name: &str,
        redirect_uri: &str,
        scopes: &[String],
    ) -> Result<OAuthClientConfig, AuthorizationError> {
        let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
        // rmcp logs answers, which contain secrets.
        let registered = self.manager.register_client(name, redirect_uri, &scopes);
        registered.with_subscriber(NoSubscriber::default()).await.map_err(|error| match error {
            AuthError::PkceUnsupported => AuthorizationError::NoPkce,
            error => self.refused(AuthorizationError::Registration { problem: words(&error) }),
        })
    }

    /// Returns the address of the page for the user, and the state that the browser comes back
    /// with.
    pub(super) async fn page(
        &mut self,
        client: OAuthClientConfig,
        scopes: &[String],
    ) -> Result<(String, String), AuthorizationError> {
        let unusable = |error| match error {
            AuthError::PkceUnsupported => AuthorizationError::NoPkce,
            error => AuthorizationError::Metadata { problem: words(&error) },
        };
        self.manager.configure_client(client).map_err(unusable)?;
        let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
        let page = self.manager.get_authorization_url(&scopes).await.map_err(unusable)?;
        let url = Url::parse(&page).ok();
        let state = url.and_then(|url| {
            url.query_pairs().find(|(name, _)| name == "state").map(|(_, state)| state.into_owned())
        });
        Ok((page, state.ok_or(AuthorizationError::State)?))
    }

    /// Checks the address that the browser came back with, and exchanges its code for tokens.
    pub(super) async fn token(&self, state: &str, address: &str) -> Result<Tokens, AuthorizationError> {
        let callback = Callback::parse(address).ok_or(AuthorizationError::State)?;
        let names_issuer = self.has("authorization_response_iss_parameter_supported");
        let (code, issuer) = callback.code(&Expected { state, issuer: &self.issuer, names_issuer })?;
        let exchanged = self.manager.exchange_code_for_token_with_issuer(&code, state, issuer.as_deref());
        // rmcp logs the code and members of the answer.
        let exchanged = exchanged.with_subscriber(NoSubscriber::default()).await;
        exchanged.map_err(|error| self.refused(of_token(&error)))?;
        self.tokens().await
    }

    pub(super) async fn refresh(&mut self, before: &Credentials) -> Refreshed {
        if before.refresh_token.is_none() || before.issuer != self.issuer {
            return Refreshed::Not;
        }
        let mut client = OAuthClientConfig::new(&before.client_id, &before.redirect_uri);
        client.client_secret.clone_from(&before.client_secret);
        let is_ready = self.manager.configure_client(client).is_ok() && self.put(before).await.is_some();
        if !is_ready {
            return Refreshed::Not;
        }
        match self.manager.refresh_token().with_subscriber(NoSubscriber::default()).await {
            Ok(_) => match self.tokens().await {
                Ok(tokens) => Refreshed::Token(tokens.renew(before.clone())),
                Err(_) => Refreshed::Not,
            },
            Err(AuthError::TokenRefreshFailed(text)) if code(&text).is_none() => {
                Refreshed::Failed(self.refused(of_token(&AuthError::TokenRefreshFailed(text))))
            }
            Err(_) => Refreshed::Not,
        }
    }

    /// Gives the manager the tokens to refresh.
    async fn put(&self, credentials: &Credentials) -> Option<()> {
        let token = json!({
            "access_token": credentials.access_token,
            "token_type": "bearer",
            "refresh_token": credentials.refresh_token,
        });
        let token = serde_json::from_value(token).ok()?;
        let (client, granted) = (credentials.client_id.clone(), credentials.granted_scopes.clone());
        let stored = StoredCredentials::new(client, Some(token), granted, Some(credentials.received_at));
        self.store.save(stored.with_issuer(Some(self.issuer.clone()))).await.ok()
    }

    /// Returns the tokens that the manager has now.
    async fn tokens(&self) -> Result<Tokens, AuthorizationError> {
        let problem = || AuthorizationError::Token { problem: "its answer is not valid".to_owned() };
        let stored = self.store.load().await.ok().flatten().ok_or_else(problem)?;
        let token =
            stored.token_response.and_then(|token| serde_json::to_value(token).ok()).ok_or_else(problem)?;
        let token: TokenAnswer = serde_json::from_value(token).map_err(|_| problem())?;
        if !token.token_type.eq_ignore_ascii_case("bearer") {
            return Err(AuthorizationError::Token { problem: "it is not a bearer token".to_owned() });
        }
        let received_at = stored.token_received_at.unwrap_or_default();
        let granted_scopes = stored.granted_scopes.into_iter().filter(|scope| !scope.is_empty()).collect();
        Ok(Tokens { token, granted_scopes, received_at })
    }
}

#[derive(Deserialize)]
struct TokenAnswer {
    access_token: String,
    token_type: String,
    refresh_token: Option<String>,
    expires_in: Option<u64>,
}

/// The tokens of a token endpoint.
pub(super) struct Tokens {
    token: TokenAnswer,
    granted_scopes: Vec<String>,
    received_at: u64,
}

impl Tokens {
    /// Returns the first credentials of a client.
    pub(super) fn credentials(
        self,
        issuer: &str,
        client: OAuthClientConfig,
        requested_scopes: Vec<String>,
    ) -> Credentials {
        Credentials {
            issuer: issuer.to_owned(),
            client_id: client.client_id,
            client_secret: client.client_secret,
            redirect_uri: client.redirect_uri,
            requested_scopes,
            granted_scopes: self.granted_scopes,
            access_token: self.token.access_token,
            refresh_token: self.token.refresh_token,
            received_at: self.received_at,
            expires_in: self.token.expires_in,
        }
    }

    /// Returns credentials that replace earlier ones.
    fn renew(self, before: Credentials) -> Credentials {
        Credentials {
            granted_scopes: self.granted_scopes,
            access_token: self.token.access_token,
            refresh_token: self.token.refresh_token,
            received_at: self.received_at,
            expires_in: self.token.expires_in,
            ..before
        }
    }
}

/// Checks that all addresses are on the web, and use https if the server itself does.
fn check(url: &Url, issuer: &String, metadata: &AuthorizationMetadata) -> Result<(), AuthorizationError> {
    let endpoints = [
        ("issuer", Some(issuer)),
        ("authorization_endpoint", Some(&metadata.authorization_endpoint)),
        ("token_endpoint", Some(&metadata.token_endpoint)),
        ("registration_endpoint", metadata.registration_endpoint.as_ref()),
    ];
    for (endpoint, address) in endpoints {
        let Some(address) = address else { continue };
        let scheme = Url::parse(address).map(|address| address.scheme().to_owned()).unwrap_or_default();
        if scheme != "https" && (scheme != "http" || url.scheme() != "http") {
            return Err(AuthorizationError::Insecure { endpoint });
        }
    }
    Ok(())
}

fn of_discovery(error: &AuthError) -> AuthorizationError {
    match error {
        AuthError::AuthorizationServerMismatch { expected_issuer, received_issuer } => {
            AuthorizationError::Issuer {
                expected: shortened(expected_issuer),
                received: Some(shortened(received_issuer)),
            }
        }
        AuthError::AuthorizationServerMissingIssuer { expected_issuer } => {
            AuthorizationError::Issuer { expected: shortened(expected_issuer), received: None }
        }
        AuthError::ProtectedResourceMetadataInvalid { reason, .. } => match &**reason {
            Reason::ResourceMismatch { permitted, .. } => {
                AuthorizationError::Resource { resource: shortened(permitted.as_str()) }
            }
            reason => AuthorizationError::Metadata { problem: shortened(&reason.to_string()) },
        },
        AuthError::PkceUnsupported => AuthorizationError::NoPkce,
        error => AuthorizationError::Metadata { problem: words(error) },
    }
}

fn of_token(error: &AuthError) -> AuthorizationError {
    match error {
        AuthError::TokenExchangeFailed(text) | AuthError::TokenRefreshFailed(text) => {
            let problem = code(text).unwrap_or("it cannot be reached, or its answer is not valid");
            AuthorizationError::Token { problem: problem.to_owned() }
        }
        error => AuthorizationError::Token { problem: words(error) },
    }
}

/// Finds the error code in the text that rmcp has for an answer. The rest of the text comes from
/// the authorization server, which may repeat secrets.
fn code(text: &str) -> Option<&'static str> {
    CODES.into_iter().find(|code| text.contains(code))
}

/// Describes an error of rmcp without the words of the authorization server.
fn words(error: &AuthError) -> String {
    match error {
        AuthError::RegistrationFailed(text) => {
            code(text).unwrap_or("it cannot be reached, or its answer is not valid").to_owned()
        }
        AuthError::DiscoveryRequestFailed { url, source } => {
            let mut place = url.clone();
            place.set_query(None);
            let _ = (place.set_username(""), place.set_password(None));
            shortened(&format!("{place}: {source}"))
        }
        AuthError::AuthorizationServersUnavailable { authorization_servers, .. } => {
            shortened(&format!("there is none at {}", authorization_servers.join(", ")))
        }
        AuthError::InvalidScope(_) => {
            "the authorization server does not offer authorization codes".to_owned()
        }
        AuthError::OAuthError(text) => shortened(text),
        error => error
            .source()
            .map_or_else(|| "it is not usable".to_owned(), |cause| shortened(&cause.to_string())),
    }
}
