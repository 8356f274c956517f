//! Authentication: who sends a request.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use http::HeaderMap;
use http::header::AUTHORIZATION;
use http::request::Parts;
use subtle::{Choice, ConstantTimeEq};

use super::grant::Grant;
use super::principal::{Principal, Refusal};

/// The answer of a hook.
type Answer = Result<Grant, Refusal>;

/// An answer that takes its time.
type Answering = Pin<Box<dyn Future<Output = Answer> + Send>>;

/// A function of the user that tells who sends a request.
#[derive(Clone)]
enum Hook {
    Now(Arc<dyn Fn(&Parts) -> Answer + Send + Sync>),
    Later(Arc<dyn Fn(&Parts) -> Answering + Send + Sync>),
}

/// Ways to find out who sends a request.
#[derive(Clone, Default)]
pub(crate) struct Authenticator {
    tokens: Vec<(Arc<[u8]>, Principal)>,
    hook: Option<Hook>,
}

impl Authenticator {
    pub(crate) fn add_token(&mut self, token: &str, principal: Principal) {
        self.tokens.push((token.as_bytes().into(), principal));
    }

    pub(crate) fn set_hook<G: Into<Grant>>(
        &mut self,
        hook: impl Fn(&Parts) -> Result<G, Refusal> + Send + Sync + 'static,
    ) {
        self.hook = Some(Hook::Now(Arc::new(move |parts| hook(parts).map(Into::into))));
    }

    pub(crate) fn set_async_hook<G, F>(&mut self, hook: impl Fn(&Parts) -> F + Send + Sync + 'static)
    where
        G: Into<Grant>,
        F: Future<Output = Result<G, Refusal>> + Send + 'static,
    {
        self.hook = Some(Hook::Later(Arc::new(move |parts| {
            let answer = hook(parts);
            Box::pin(async move { answer.await.map(Into::into) })
        })));
    }

    /// Returns true if everybody may come.
    pub(crate) const fn is_open(&self) -> bool {
        self.tokens.is_empty() && self.hook.is_none()
    }

    /// Tells who sends this request. The hook is asked for requests without a known token.
    pub(crate) async fn grant(&self, parts: &Parts) -> Answer {
        if self.is_open() {
            return Ok(Principal::anonymous().into());
        }
        if let Some(principal) = bearer(&parts.headers).and_then(|token| self.owner(token)) {
            return Ok(principal.into());
        }
        let answer = match &self.hook {
            None => return Err(Refusal::Unauthorized),
            Some(Hook::Now(hook)) => hook(parts),
            Some(Hook::Later(hook)) => {
                let answer = hook(parts);
                answer.await
            }
        };
        answer.and_then(|grant| if grant.has_ended() { Err(Refusal::Unauthorized) } else { Ok(grant) })
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

fn bearer(headers: &HeaderMap) -> Option<&[u8]> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let value = values.next()?.as_bytes();
    // Two of them are two stories.
    if values.next().is_some() {
        return None;
    }
    let (scheme, token) = value.split_at_checked(b"bearer ".len())?;
    scheme.eq_ignore_ascii_case(b"bearer ").then_some(token.trim_ascii())
}
