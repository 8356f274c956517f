//! Cookies, which lead requests to the right replica of a server.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cookie_store::CookieStore;
use http::header::SET_COOKIE;
use http::{HeaderMap, HeaderValue};
use reqwest::Url;

/// Cookies of a server. Load balancers use them to lead all requests of a connection to one
/// replica.
///
/// Each connection begins without any, unless it is given those of another by
/// [`Remote::cookies`](super::Remote::cookies). Clones share them. They are sent to the server that
/// the connection is for, and nowhere else.
#[derive(Clone, Default)]
pub struct Cookies(Arc<Mutex<CookieStore>>);

impl Cookies {
    /// Creates an empty jar.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the value of the header `Cookie` for a request.
    pub(super) fn header(&self, url: &Url) -> Option<HeaderValue> {
        let jar = self.lock();
        let pairs: Vec<String> =
            jar.get_request_values(url).map(|(name, value)| format!("{name}={value}")).collect();
        drop(jar);
        let mut header = HeaderValue::from_str(&pairs.join("; ")).ok().filter(|_| !pairs.is_empty())?;
        header.set_sensitive(true);
        Some(header)
    }

    /// Keeps the cookies of an answer.
    pub(super) fn keep(&self, headers: &HeaderMap, url: &Url) {
        let cookies = headers.get_all(SET_COOKIE).iter().filter_map(|cookie| cookie.to_str().ok());
        let mut cookies = cookies.peekable();
        if cookies.peek().is_some() {
            let mut jar = self.lock();
            // A cookie that is not for this server is refused, and the answer counts all the same.
            cookies.for_each(|cookie| drop(jar.parse(cookie, url)));
        }
    }

    fn lock(&self) -> MutexGuard<'_, CookieStore> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Cookies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cookies").finish_non_exhaustive()
    }
}
