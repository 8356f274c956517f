//! The way to take the user to the page of an authorization server.

use std::fmt;

use futures_util::future::{BoxFuture, FutureExt as _};

/// Takes the user to the page of an authorization server.
///
/// A command line opens a browser. An agent has its client open it (`elicitation/create` of ACP, by
/// `url`). Other programs show the address and ask the user to paste the address at which the
/// browser ends. A closure that returns a future is an `Authorizer`, too:
///
/// ```
/// use acp_mcp::{AuthorizationPage, AuthorizerAnswer, OAuth};
///
/// let oauth = OAuth::new(|page: AuthorizationPage| async move {
///     // Open `page.url` in a browser. It comes back to a loopback port: see `Redirect::Loopback`.
///     AuthorizerAnswer::Opened
/// });
/// # let _ = oauth;
/// ```
///
/// It is called once for all requests that wait for the same server. Its future is dropped when
/// nobody waits any more, when the time is over
/// ([`Timeouts::authorization`](crate::Timeouts::authorization)), or when the browser has come
/// back.
pub trait Authorizer: Send + Sync + 'static {
    /// Shows the page.
    fn authorize(&self, page: AuthorizationPage) -> BoxFuture<'_, AuthorizerAnswer>;
}

impl<F, Answer> Authorizer for F
where
    F: Fn(AuthorizationPage) -> Answer + Send + Sync + 'static,
    Answer: Future<Output = AuthorizerAnswer> + Send + 'static,
{
    fn authorize(&self, page: AuthorizationPage) -> BoxFuture<'_, AuthorizerAnswer> {
        self(page).boxed()
    }
}

/// A page of an authorization server that the user has to visit.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AuthorizationPage {
    /// The name of the MCP server that wants the authorization. Users should see it.
    pub server: String,
    /// The address to open. It is for this user only, and must not be logged.
    pub url: String,
    /// The issuer name of the authorization server. Users should see where they are sent.
    pub issuer: String,
    /// The scopes that are asked for. Empty leaves the choice to the authorization server.
    pub scopes: Vec<String>,
    /// The address that the browser is sent to afterwards.
    pub redirect_uri: String,
    /// True when this crate notices the return by itself
    /// ([`Redirect::Loopback`](super::Redirect::Loopback)). Otherwise the `Authorizer` has to
    /// report it.
    pub returns_here: bool,
}

/// Shows everything but the address.
impl fmt::Debug for AuthorizationPage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuthorizationPage")
            .field("server", &self.server)
            .field("issuer", &self.issuer)
            .field("scopes", &self.scopes)
            .field("redirect_uri", &self.redirect_uri)
            .field("returns_here", &self.returns_here)
            .finish_non_exhaustive()
    }
}

/// The outcome of showing a page.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum AuthorizerAnswer {
    /// The user has the page, and this crate waits for the browser. Valid only with
    /// [`Redirect::Loopback`](super::Redirect::Loopback).
    Opened,
    /// The browser was sent to this address: the redirect URI with its whole query.
    Redirected(String),
    /// The user declined.
    Declined,
    /// The page could not be shown.
    Unavailable,
}

/// Shows everything but the address.
impl fmt::Debug for AuthorizerAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Opened => "Opened",
            Self::Redirected(_) => "Redirected(..)",
            Self::Declined => "Declined",
            Self::Unavailable => "Unavailable",
        })
    }
}
