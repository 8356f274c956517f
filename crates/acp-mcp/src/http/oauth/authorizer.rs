//! Who takes the user to the page of an authorization server.

use std::fmt;

use futures_util::future::{BoxFuture, FutureExt as _};

/// Takes the user to the page of an authorization server; the one step that a program cannot do by itself.
///
/// A command line opens a browser, an agent has its client do so (`elicitation/create` of ACP, by `url`), and who has
/// neither shows the address and has the user paste where the browser ended up. A closure that gives back a future is
/// one too:
///
/// ```
/// use acp_mcp::{AuthorizationPage, AuthorizerAnswer, OAuth};
///
/// let oauth = OAuth::new(|page: AuthorizationPage| async move {
///     // Open `page.url` in a browser. It comes back to a port of this machine: see `Redirect::Loopback`.
///     AuthorizerAnswer::Opened
/// });
/// # let _ = oauth;
/// ```
///
/// It is called once for all requests that wait for the same server, and its future is dropped when nobody waits any
/// more, the time is over ([`Timeouts::authorization`](crate::Timeouts::authorization)), or the browser has come back.
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
    /// The name of the MCP server that wants it: users should see it.
    pub server: String,
    /// The address to open. It has what only this user may see: not for logs.
    pub url: String,
    /// The authorization server, as it calls itself: users should see where they are sent.
    pub issuer: String,
    /// What is asked for; empty when that is left to the authorization server.
    pub scopes: Vec<String>,
    /// Where the browser is sent afterwards.
    pub redirect_uri: String,
    /// Whether that is noticed here ([`Redirect::Loopback`](super::Redirect::Loopback)); else this one has to find out.
    pub returns_here: bool,
}

/// Without the address.
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

/// What came of showing a page.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum AuthorizerAnswer {
    /// The user has the page. Where the browser goes afterwards is found out here: only with
    /// [`Redirect::Loopback`](super::Redirect::Loopback).
    Opened,
    /// The browser was sent to this address: the redirect URI with all of its query.
    Redirected(String),
    /// The user does not want it.
    Declined,
    /// The page could not be shown.
    Unavailable,
}

/// Without the address.
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
