//! The settings of a session, as the builder collects them.

use std::fmt;
use std::sync::Arc;

use rmcp::model::{ClientCapabilities, ClientConfig, Implementation, JsonObject};

#[cfg(feature = "http")]
use crate::http::HttpSettings;
#[cfg(feature = "__tls")]
use crate::http::TlsOptions;
#[cfg(feature = "oauth")]
use crate::http::oauth::OAuth;
use crate::negotiate::era_cache::EraCache;
#[cfg(feature = "over-acp")]
use crate::over_acp::AcpLink;
#[cfg(feature = "stdio")]
use crate::stdio::StdioOptions;
use crate::values::elicitation::Elicitation;
use crate::values::extension::{ExtensionId, OnMissing};
use crate::values::timeouts::Timeouts;
use crate::values::version::VersionPolicy;

/// The settings of a session.
pub(in crate::session) struct Options {
    pub(in crate::session) client: Implementation,
    pub(in crate::session) versions: VersionPolicy,
    pub(in crate::session) extensions: Vec<(ExtensionId, JsonObject, OnMissing)>,
    pub(in crate::session) elicitation: Option<Arc<dyn Elicitation>>,
    pub(in crate::session) timeouts: Timeouts,
    #[cfg(feature = "stdio")]
    pub(in crate::session) stdio: StdioOptions,
    #[cfg(feature = "__tls")]
    pub(in crate::session) tls: TlsOptions,
    pub(in crate::session) eras: EraCache,
    pub(in crate::session) restarts: u32,
    #[cfg(feature = "oauth")]
    pub(in crate::session) oauth: Option<OAuth>,
    pub(in crate::session) at_once: usize,
    pub(in crate::session) most_servers: usize,
    #[cfg(feature = "over-acp")]
    pub(in crate::session) over_acp: Option<AcpLink>,
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("versions", &self.versions)
            .field("timeouts", &self.timeouts)
            .finish_non_exhaustive()
    }
}

impl Options {
    pub(in crate::session) fn new(client: Implementation) -> Self {
        Self {
            client,
            versions: VersionPolicy::default(),
            extensions: Vec::new(),
            elicitation: None,
            timeouts: Timeouts::default(),
            #[cfg(feature = "stdio")]
            stdio: StdioOptions::default(),
            #[cfg(feature = "__tls")]
            tls: TlsOptions::default(),
            eras: EraCache::default(),
            restarts: 3,
            #[cfg(feature = "oauth")]
            oauth: None,
            at_once: 16,
            most_servers: 256,
            #[cfg(feature = "over-acp")]
            over_acp: None,
        }
    }

    /// Returns the client info for servers. The capabilities follow from the handlers of the
    /// session.
    pub(in crate::session) fn client_config(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        capabilities.elicitation =
            self.elicitation.as_ref().and_then(|elicitation| elicitation.modes().capability());
        if !self.extensions.is_empty() {
            let settings =
                self.extensions.iter().map(|(id, settings, _)| (id.as_str().to_owned(), settings.clone()));
            capabilities.extensions = Some(settings.collect());
        }
        ClientConfig::new(capabilities, self.client.clone())
    }

    /// Returns the part that concerns HTTP.
    #[cfg(feature = "http")]
    pub(in crate::session) fn http(&self) -> HttpSettings<'_> {
        HttpSettings {
            #[cfg(feature = "oauth")]
            client_name: &self.client.name,
            #[cfg(feature = "oauth")]
            may_authorize: self.oauth.is_some(),
            #[cfg(feature = "__tls")]
            tls: &self.tls,
            timeouts: &self.timeouts,
        }
    }
}
