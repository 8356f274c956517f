//! The part of a session's settings that concerns HTTP.

#[cfg(feature = "__tls")]
use super::tls::TlsOptions;
use crate::values::timeouts::Timeouts;

/// The settings of a session that its servers over HTTP need.
pub(crate) struct HttpSettings<'a> {
    /// The name of the client, for authorization servers.
    #[cfg(feature = "oauth")]
    pub(crate) client_name: &'a str,
    /// True when the session authorizes servers by OAuth.
    #[cfg(feature = "oauth")]
    pub(crate) may_authorize: bool,
    #[cfg(feature = "__tls")]
    pub(crate) tls: &'a TlsOptions,
    pub(crate) timeouts: &'a Timeouts,
}
