//! The checks before anything else: for whom the request was meant, from whom it is.

use std::sync::Arc;

use hyper::StatusCode;
use hyper::header::{AUTHORIZATION, HOST, HeaderMap, HeaderName, ORIGIN};
use hyper::http::request::Parts;

use crate::bridge::offers::{Offer, Offers};

/// The names of this machine.
const NAMES: [&str; 2] = ["127.0.0.1", "localhost"];

pub(super) struct Gate {
    pub(super) port: u16,
}

impl Gate {
    /// Returns the server that a request may use, or the status that refuses it. A refusal does not
    /// tell if the server exists.
    pub(super) fn admitted(&self, parts: &Parts, offers: &Offers) -> Result<Arc<Offer>, StatusCode> {
        let host = only(&parts.headers, &HOST);
        if !host.is_some_and(|host| self.is_here(host)) {
            return Err(StatusCode::FORBIDDEN);
        }
        // A web page is a stranger, wherever its browser runs.
        if parts.headers.contains_key(ORIGIN) {
            let origin = only(&parts.headers, &ORIGIN).and_then(|origin| origin.strip_prefix("http://"));
            if !origin.is_some_and(|origin| self.is_here(origin)) {
                return Err(StatusCode::FORBIDDEN);
            }
        }
        let key = parts.uri.path().strip_prefix("/mcp/");
        let bearer = only(&parts.headers, &AUTHORIZATION);
        let token = bearer.and_then(|bearer| bearer.split_once(' '));
        let token = token.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
        let offer = token.and_then(|(_, token)| offers.admitted(token.trim()));
        offer.filter(|offer| key == Some(&*offer.key)).ok_or(StatusCode::UNAUTHORIZED)
    }

    fn is_here(&self, authority: &str) -> bool {
        let (name, port) = authority.split_once(':').unwrap_or((authority, "80"));
        NAMES.iter().any(|known| name.eq_ignore_ascii_case(known)) && port.parse() == Ok(self.port)
    }
}

/// Returns the value of a header that is there once.
pub(super) fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    values.next().is_none().then(|| value.to_str().ok()).flatten()
}
