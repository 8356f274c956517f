//! One HTTP request whose answer arrives in pieces.

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use hyper::{Method, Request, Response, StatusCode, Uri};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

use acp_agent::{Error, Result};

/// A client that posts JSON to one address, over HTTP or HTTPS.
#[derive(Clone, Debug)]
pub(super) struct Endpoint {
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    uri: Uri,
    authorization: Option<HeaderValue>,
}

impl Endpoint {
    /// Makes the client for `url`. With a `key`, requests carry it as a bearer token.
    ///
    /// # Errors
    /// Fails if the URL cannot be read, or if a header cannot hold the key.
    pub(super) fn new(url: &str, key: Option<&str>) -> Result<Self> {
        let uri: Uri = url.parse().map_err(|error| Error::from(format!("`{url}` is not a URL: {error}")))?;
        if !matches!(uri.scheme_str(), Some("http" | "https")) {
            return Err(Error::from(format!(
                "`{url}` is not the URL of a server: it has to start with `https://`"
            )));
        }
        let authorization = key.map(bearer).transpose()?;
        let connector =
            HttpsConnectorBuilder::new().with_webpki_roots().https_or_http().enable_http1().build();
        let client = Client::builder(TokioExecutor::new()).build(connector);
        Ok(Endpoint { client, uri, authorization })
    }

    /// Returns the address, for messages.
    pub(super) const fn uri(&self) -> &Uri {
        &self.uri
    }

    /// Posts `body`. Dropping this future, or the answer, closes the connection.
    ///
    /// # Errors
    /// Fails if the server cannot be reached, or closes the connection before it answers.
    pub(super) async fn post(&self, body: Vec<u8>) -> Result<Answer> {
        let mut request = Request::new(Full::from(body));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = self.uri.clone();
        let headers = request.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        if let Some(authorization) = &self.authorization {
            headers.insert(AUTHORIZATION, authorization.clone());
        }
        let response = self.client.request(request).await.map_err(|error| self.failed(&error))?;
        Ok(Answer { response })
    }

    fn failed(&self, error: &dyn std::error::Error) -> Error {
        Error::from(format!("the model server at {} cannot be reached: {}", self.uri, chain(error)))
    }
}

/// An answer whose body is still coming.
#[derive(Debug)]
pub(super) struct Answer {
    response: Response<Incoming>,
}

impl Answer {
    pub(super) fn status(&self) -> StatusCode {
        self.response.status()
    }

    /// Returns the next piece of the body, or `None` at its end.
    ///
    /// # Errors
    /// Fails if the connection broke in the middle of the body.
    pub(super) async fn chunk(&mut self) -> Result<Option<Bytes>> {
        while let Some(frame) = self.response.body_mut().frame().await {
            let frame = frame.map_err(|error| {
                Error::from(format!("the connection to the model server broke: {}", chain(&error)))
            })?;
            // The other frames are trailers, which are not used.
            if let Ok(data) = frame.into_data() {
                return Ok(Some(data));
            }
        }
        Ok(None)
    }
}

fn bearer(key: &str) -> Result<HeaderValue> {
    let mut value = HeaderValue::try_from(format!("Bearer {key}")).map_err(|_| {
        Error::from("the key has characters that a header cannot carry, such as a line break")
    })?;
    // Keeps the key out of debug output.
    value.set_sensitive(true);
    Ok(value)
}

/// Returns an error with its causes: the outermost one alone says only that the request failed.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
