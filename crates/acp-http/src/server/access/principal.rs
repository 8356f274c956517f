//! Authentication: who sends a request.

use std::fmt;
use std::sync::Arc;

use http::header::AUTHORIZATION;
use http::request::Parts;
use subtle::{Choice, ConstantTimeEq};

/// The name of somebody who may use a server. A connection belongs to the principal that opened it:
/// for all others it does not exist.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Principal(Arc<str>);

impl Principal {
    /// Creates a principal by its name, which logs may show.
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Self(name.into())
    }

    /// Returns the principal of a server without authentication. Its name is empty.
    #[must_use]
    pub fn anonymous() -> Self {
        Self(Arc::from(""))
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0
    }
}

/// The reason why somebody is turned away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// Nobody knows who it is: status 401.
    Unauthorized,
    /// It is known who it is, and that is not enough: status 403.
    Forbidden,
}

/// A function that tells who sends a request.
pub(crate) type Authorize = Arc<dyn Fn(&Parts) -> Result<Principal, Refusal> + Send + Sync>;

/// Ways to find out who sends a request.
#[derive(Clone, Default)]
pub(crate) struct Authenticator {
    tokens: Vec<(Arc<[u8]>, Principal)>,
    hook: Option<Authorize>,
}

impl Authenticator {
    pub(crate) fn add_token(&mut self, token: &str, principal: Principal) {
        self.tokens.push((token.as_bytes().into(), principal));
    }

    pub(crate) fn set_hook(&mut self, hook: Authorize) {
        self.hook = Some(hook);
    }

    /// Returns true if everybody may come.
    pub(crate) const fn is_open(&self) -> bool {
        self.tokens.is_empty() && self.hook.is_none()
    }

    /// Tells who sends this request. The hook is asked for requests without a known token.
    pub(crate) fn principal(&self, parts: &Parts) -> Result<Principal, Refusal> {
        if self.is_open() {
            return Ok(Principal::anonymous());
        }
        if let Some(principal) = bearer(parts).and_then(|token| self.owner(token)) {
            return Ok(principal);
        }
        self.hook.as_ref().map_or(Err(Refusal::Unauthorized), |hook| hook(parts))
    }

    /// Compares with every token, each in constant time: the time tells nothing of a token but its
    /// length.
    fn owner(&self, token: &[u8]) -> Option<Principal> {
        let mut owner = None;
        for (known, principal) in &self.tokens {
            let is_same: Choice = known.ct_eq(token);
            if bool::from(is_same) {
                owner = Some(principal.clone());
            }
        }
        owner
    }
}

impl fmt::Debug for Authenticator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Authenticator");
        shown.field("tokens", &self.tokens.len()).field("hook", &self.hook.is_some()).finish()
    }
}

fn bearer(parts: &Parts) -> Option<&[u8]> {
    let mut values = parts.headers.get_all(AUTHORIZATION).iter();
    let value = values.next()?.as_bytes();
    // Two of them are two stories.
    if values.next().is_some() {
        return None;
    }
    let (scheme, token) = value.split_at_checked(b"bearer ".len())?;
    scheme.eq_ignore_ascii_case(b"bearer ").then_some(token.trim_ascii())
}
