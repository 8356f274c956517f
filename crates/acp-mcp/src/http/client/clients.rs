//! The HTTP clients of a session.

use std::sync::Arc;
use std::time::Duration;

use reqwest::dns::Resolve;
use reqwest::{Url, redirect};

use super::settings::HttpSettings;
#[cfg(feature = "__tls")]
use super::tls::TlsOptions;
use crate::error::McpError;

/// The longest answer, or event of a stream, that is accepted from a server.
pub(in crate::http) const LONGEST: usize = 16 * 1024 * 1024;
/// The number of redirects that are followed at most.
const MOST_REDIRECTS: usize = 10;

/// Creates HTTP clients with the settings of a session.
#[derive(Clone)]
pub(in crate::http) struct Clients {
    #[cfg(feature = "__tls")]
    tls: TlsOptions,
    connect_time: Duration,
}

impl Clients {
    pub(in crate::http) fn of(settings: &HttpSettings<'_>) -> Self {
        Self {
            #[cfg(feature = "__tls")]
            tls: settings.tls.clone(),
            connect_time: settings.timeouts.initialize,
        }
    }

    #[cfg(all(test, feature = "oauth"))]
    pub(in crate::http) fn plain() -> Self {
        Self {
            #[cfg(feature = "__tls")]
            tls: TlsOptions::default(),
            connect_time: Duration::from_secs(60),
        }
    }

    /// Creates a client for a server. Names are resolved by `names`, or else by the operating
    /// system.
    ///
    /// Only redirects within the same origin that keep the message are followed, so that
    /// credentials are sent nowhere else.
    pub(in crate::http) fn for_server(
        &self,
        url: &Url,
        names: Option<Arc<dyn Resolve>>,
    ) -> Result<reqwest::Client, McpError> {
        let policy = redirect::Policy::custom(|attempt| {
            let keeps_message = matches!(attempt.status().as_u16(), 307 | 308);
            let is_near =
                attempt.previous().first().is_some_and(|first| first.origin() == attempt.url().origin());
            if keeps_message && is_near && attempt.previous().len() <= MOST_REDIRECTS {
                attempt.follow()
            } else {
                attempt.stop()
            }
        });
        self.built(url.scheme() == "https", policy, names)
    }

    /// Creates a client for authorization servers. It follows no redirects, because these servers
    /// have no reason to redirect credentials.
    #[cfg(feature = "oauth")]
    pub(in crate::http) fn for_authorization(
        &self,
        names: &Arc<dyn Resolve>,
    ) -> Result<reqwest::Client, McpError> {
        let with = |is_secure| self.built(is_secure, redirect::Policy::none(), Some(Arc::clone(names)));
        // A machine that trusts no authority may still run an authorization server of its own.
        with(true).or_else(|_| with(false))
    }

    #[cfg_attr(not(feature = "__tls"), allow(unused_variables, reason = "it decides on TLS"))]
    fn built(
        &self,
        is_secure: bool,
        policy: redirect::Policy,
        names: Option<Arc<dyn Resolve>>,
    ) -> Result<reqwest::Client, McpError> {
        let builder = reqwest::Client::builder().connect_timeout(self.connect_time).redirect(policy);
        let builder = match names {
            Some(names) => builder.dns_resolver(names),
            None => builder,
        };
        #[cfg(feature = "__tls")]
        let builder = self.tls.apply(builder, is_secure).map_err(McpError::unreachable)?;
        builder.build().map_err(|error| McpError::unreachable(error.without_url()))
    }
}
