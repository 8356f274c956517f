//! The errors of exchanges over HTTP.

use std::fmt;

use http::header::WWW_AUTHENTICATE;

use crate::negotiate::Fault;

/// The reason why an exchange failed.
#[derive(Debug)]
pub(in crate::http) enum Refusal {
    /// A failure status, in answer to a message that settles the era.
    Status { status: u16, challenge: Option<String>, fault: Option<Fault> },
    /// The time limit passed without an answer.
    Timeout,
    /// The server's certificate was not accepted.
    #[cfg_attr(not(feature = "__tls"), allow(dead_code, reason = "without TLS nobody has one"))]
    Certificate(String),
    /// Any other reason.
    Unreachable(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status { status, .. } => write!(f, "HTTP {status}"),
            Self::Timeout => f.write_str("no answer in time"),
            Self::Certificate(problem) | Self::Unreachable(problem) => f.write_str(problem),
        }
    }
}

impl std::error::Error for Refusal {}

impl From<reqwest::Error> for Refusal {
    fn from(error: reqwest::Error) -> Self {
        #[cfg(feature = "__tls")]
        if let Some(problem) = super::tls::rejection(&error) {
            return Self::Certificate(problem);
        }
        // The address may contain credentials. People need the causes of the error instead.
        let error = error.without_url();
        let mut text = error.to_string();
        let mut cause = std::error::Error::source(&error);
        while let Some(error) = cause {
            text = format!("{text}: {error}");
            cause = error.source();
        }
        Self::Unreachable(text)
    }
}

/// Returns the challenges of a refusal, from all headers `WWW-Authenticate`.
pub(in crate::http) fn challenge(response: &reqwest::Response) -> Option<String> {
    let headers = response.headers().get_all(WWW_AUTHENTICATE).iter();
    let challenges: Vec<&str> = headers.filter_map(|header| header.to_str().ok()).collect();
    (!challenges.is_empty()).then(|| challenges.join(", "))
}
