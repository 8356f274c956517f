//! The settings of a connection, in one place.

use std::sync::Arc;
use std::time::Duration;

use http::HeaderMap;
use tokio::time::Instant;

use super::authorization::Authorization;
use super::cookies::Cookies;
#[cfg(feature = "__tls")]
use super::tls::TlsOptions;

/// The settings of a connection.
#[derive(Clone)]
pub(super) struct Settings {
    pub(super) headers: HeaderMap,
    pub(super) authorization: Option<Arc<dyn Authorization>>,
    pub(super) cookies: Option<Cookies>,
    pub(super) connect_timeout: Duration,
    #[cfg(feature = "ws")]
    pub(super) answer_timeout: Duration,
    #[cfg(feature = "sse")]
    pub(super) post_timeout: Duration,
    pub(super) close_timeout: Duration,
    pub(super) ping: Option<Duration>,
    pub(super) message_limit: usize,
    /// HTTP/2 without TLS is spoken.
    #[cfg(feature = "sse")]
    pub(super) prior_knowledge: bool,
    #[cfg(feature = "__tls")]
    pub(super) tls: TlsOptions,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            headers: HeaderMap::new(),
            authorization: None,
            cookies: None,
            connect_timeout: Duration::from_secs(10),
            #[cfg(feature = "ws")]
            answer_timeout: Duration::from_secs(10),
            #[cfg(feature = "sse")]
            post_timeout: Duration::from_secs(90),
            close_timeout: Duration::from_secs(5),
            ping: Some(Duration::from_secs(20)),
            message_limit: 32 * 1024 * 1024,
            #[cfg(feature = "sse")]
            prior_knowledge: false,
            #[cfg(feature = "__tls")]
            tls: TlsOptions::new(),
        }
    }
}

/// Returns the time after `wait`. One that is too far away to be written is a month away.
pub(super) fn after(wait: Duration) -> Instant {
    const FAR: Duration = Duration::from_secs(30 * 24 * 60 * 60);
    Instant::now() + wait.min(FAR)
}
