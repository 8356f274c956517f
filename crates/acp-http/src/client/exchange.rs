//! HTTP requests with the credentials, headers and cookies of a connection.

use std::error::Error as _;
use std::fmt;
use std::sync::Arc;

use http::header::{AUTHORIZATION, COOKIE, LOCATION};
use http::{HeaderMap, HeaderValue, Method};
use reqwest::{Body, ClientBuilder, Response, Url, redirect};

use super::authorization::Authorization;
use super::cookies::Cookies;
use super::error::{Error, Exchanged};
use super::settings::Settings;

/// The number of redirects that are followed at most.
const MOST_REDIRECTS: usize = 5;

/// Makes the HTTP requests of a connection.
pub(super) struct Exchange {
    client: reqwest::Client,
    url: Url,
    headers: HeaderMap,
    authorization: Option<Arc<dyn Authorization>>,
    cookies: Cookies,
}

impl Exchange {
    /// Sets up the client. `versions` chooses those of HTTP, and learns if there is TLS. Over TLS
    /// HTTP/2 has to be offered as well.
    pub(super) fn new(
        url: Url,
        settings: &Settings,
        offers_two: bool,
        versions: impl FnOnce(ClientBuilder, bool) -> ClientBuilder,
    ) -> Result<Self, Error> {
        let client = reqwest::Client::builder()
            .connect_timeout(settings.connect_timeout)
            .redirect(redirect::Policy::none())
            .referer(false)
            // An answer that grows when it is unpacked would escape the limits.
            .no_gzip()
            .no_brotli()
            .no_deflate()
            .no_zstd();
        let is_secure = url.scheme() == "https";
        let client = versions(client, is_secure);
        #[cfg(feature = "__tls")]
        let client =
            settings.tls.apply(client, is_secure, offers_two).map_err(|problem| Error::Setup { problem })?;
        #[cfg(not(feature = "__tls"))]
        let _ = offers_two;
        #[cfg(not(feature = "__tls"))]
        if is_secure {
            return Err(Error::Url {
                problem: "https and wss need one of the features `tls-…` of acp-http"
            });
        }
        let client = client.build().map_err(|error| Error::Setup { problem: causes(error) })?;
        Ok(Self {
            client,
            url,
            headers: settings.headers.clone(),
            authorization: settings.authorization.clone(),
            cookies: settings.cookies.clone().unwrap_or_default(),
        })
    }

    /// Makes a request. If the server refuses the credentials, they are refreshed once. A request
    /// that may have reached the server is never repeated otherwise.
    pub(super) async fn send(
        &self,
        verb: Method,
        headers: &HeaderMap,
        body: Vec<u8>,
        what: &Exchanged,
    ) -> Result<Response, Error> {
        let mut url = self.url.clone();
        let (mut refreshed, mut redirects) = (false, 0);
        let may_follow = verb == Method::GET;
        let first = self.request(verb, headers, body);
        loop {
            let mut request = first.try_clone().ok_or(Error::Setup { problem: "a body is lost".into() })?;
            *request.url_mut() = url.clone();
            self.sign(&mut request).await;
            let answer = self.client.execute(request).await;
            let answer = answer.map_err(|error| failed(error, what))?;
            self.cookies.keep(answer.headers(), &url);
            match answer.status().as_u16() {
                401 | 403 if !refreshed && self.refresh().await => refreshed = true,
                301 | 302 | 303 | 307 | 308 if may_follow && redirects < MOST_REDIRECTS => {
                    let Some(next) = near(&url, answer.headers()) else { return Ok(answer) };
                    (url, redirects) = (next, redirects + 1);
                }
                _ => return Ok(answer),
            }
        }
    }

    /// Returns the headers of a GET with credentials and cookies, for a socket that is not this
    /// client's.
    #[cfg(feature = "ws")]
    pub(super) async fn signed(&self, headers: &HeaderMap) -> HeaderMap {
        let mut request = self.request(Method::GET, headers, Vec::new());
        self.sign(&mut request).await;
        std::mem::take(request.headers_mut())
    }

    /// Keeps the cookies of an answer that came on such a socket.
    #[cfg(feature = "ws")]
    pub(super) fn keep_cookies(&self, headers: &HeaderMap) {
        self.cookies.keep(headers, &self.url);
    }

    fn request(&self, verb: Method, headers: &HeaderMap, body: Vec<u8>) -> reqwest::Request {
        let mut request = reqwest::Request::new(verb, self.url.clone());
        *request.headers_mut() = self.headers.clone();
        // The names of this connection win over those of the user.
        for (name, value) in headers {
            request.headers_mut().insert(name.clone(), value.clone());
        }
        if !body.is_empty() {
            *request.body_mut() = Some(Body::from(body));
        }
        request
    }

    async fn sign(&self, request: &mut reqwest::Request) {
        if let Some(authorization) = &self.authorization
            && let Some(mut value) = authorization.authorization().await
        {
            value.set_sensitive(true);
            request.headers_mut().insert(AUTHORIZATION, value);
        }
        if let Some(cookies) = self.cookies.header(request.url()) {
            let own = request.headers().get(COOKIE).map(HeaderValue::as_bytes);
            let both = own.map(|own| [own, b"; ", cookies.as_bytes()].concat());
            let both = both.and_then(|both| HeaderValue::from_bytes(&both).ok()).unwrap_or(cookies);
            request.headers_mut().insert(COOKIE, both);
        }
    }

    pub(super) async fn refresh(&self) -> bool {
        match &self.authorization {
            Some(authorization) => authorization.refresh().await,
            None => false,
        }
    }
}

impl fmt::Debug for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exchange").finish_non_exhaustive()
    }
}

/// Returns the target of a redirect, if it is of the same origin.
fn near(from: &Url, headers: &HeaderMap) -> Option<Url> {
    let target = from.join(headers.get(LOCATION)?.to_str().ok()?).ok()?;
    (target.origin() == from.origin()).then_some(target)
}

/// Returns the error of an exchange that broke off.
fn failed(error: reqwest::Error, what: &Exchanged) -> Error {
    let exchange = what.clone();
    if error.is_connect() {
        return Error::Unreachable { exchange, problem: causes(error) };
    }
    Error::Network { exchange, problem: causes(error) }
}

/// Returns an error with its causes, and without the address, which may contain credentials.
pub(super) fn causes(error: reqwest::Error) -> String {
    #[cfg(feature = "__tls")]
    if let Some(problem) = super::tls::rejection(&error) {
        return format!("the server's certificate was not accepted: {problem}");
    }
    let error = error.without_url();
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
