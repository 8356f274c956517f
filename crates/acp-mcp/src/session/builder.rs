//! Settings of a session.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use acp_types::v1::McpServer;
use rmcp::model::{ClientCapabilities, ClientConfig, Implementation, JsonObject};
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::keep::connect;
use super::state::entry::Entry;
use super::state::event::EventSender;
use super::{Inner, McpSession, Shared};
#[cfg(doc)]
use crate::error::McpError;
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

/// Settings of an [`McpSession`].
#[derive(Debug)]
pub struct Builder {
    options: Options,
}

pub(crate) struct Options {
    pub(crate) client: Implementation,
    pub(crate) versions: VersionPolicy,
    pub(crate) extensions: Vec<(ExtensionId, JsonObject, OnMissing)>,
    pub(crate) elicitation: Option<Arc<dyn Elicitation>>,
    pub(crate) timeouts: Timeouts,
    #[cfg(feature = "stdio")]
    pub(crate) stdio: StdioOptions,
    #[cfg(feature = "__tls")]
    pub(crate) tls: TlsOptions,
    pub(crate) eras: EraCache,
    pub(crate) restarts: u32,
    #[cfg(feature = "oauth")]
    pub(crate) oauth: Option<OAuth>,
    at_once: usize,
    pub(crate) most_servers: usize,
    #[cfg(feature = "over-acp")]
    pub(crate) over_acp: Option<AcpLink>,
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
    /// What servers are told of the client: the capabilities follow from the handlers that there are.
    pub(crate) fn client_config(&self) -> ClientConfig {
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
}

impl Builder {
    pub(super) fn new(client: Implementation) -> Self {
        Self {
            options: Options {
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
            },
        }
    }

    /// Which versions of MCP may be agreed on. Default [`VersionPolicy::Auto`].
    #[must_use]
    pub fn versions(mut self, policy: VersionPolicy) -> Self {
        self.options.versions = policy;
        self
    }

    /// Declares an extension to servers, with its settings; anything but an object stands for an empty one. Without
    /// this there are none (rule `mcp-neg-20`). `on_missing` says what becomes of servers that do not have it.
    #[must_use]
    pub fn extension(mut self, id: ExtensionId, settings: impl Into<Value>, on_missing: OnMissing) -> Self {
        let settings = match settings.into() {
            Value::Object(settings) => settings,
            _ => JsonObject::new(),
        };
        self.options.extensions.push((id, settings, on_missing));
        self
    }

    /// Who asks the user when servers have questions. Declares the capability `elicitation`.
    #[must_use]
    pub fn elicitation(mut self, elicitation: impl Elicitation) -> Self {
        self.options.elicitation = Some(Arc::new(elicitation));
        self
    }

    /// How long is waited for servers.
    #[must_use]
    pub fn timeouts(mut self, timeouts: Timeouts) -> Self {
        self.options.timeouts = timeouts;
        self
    }

    /// How servers on stdio are started.
    #[cfg(feature = "stdio")]
    #[must_use]
    pub fn stdio(mut self, options: StdioOptions) -> Self {
        self.options.stdio = options;
        self
    }

    /// Whom servers over https are trusted to be.
    #[cfg(feature = "__tls")]
    #[must_use]
    pub fn tls(mut self, options: TlsOptions) -> Self {
        self.options.tls = options;
        self
    }

    /// Where the eras of servers are remembered; share one among the sessions of an agent. Default: one of its own.
    #[must_use]
    pub fn era_cache(mut self, eras: EraCache) -> Self {
        self.options.eras = eras;
        self
    }

    /// How often in a row a server that ends by itself, or whose connection does, is started again; one that has run
    /// for a minute counts as new. A start that fails is one of these, unless it is the first of all, which is not
    /// repeated, or the failure is one that does not pass, such as a user who declines. 0: never. Default 3.
    #[must_use]
    pub const fn restarts(mut self, times: u32) -> Self {
        self.options.restarts = times;
        self
    }

    /// How authorizations are had that servers over HTTP want. Without this, they fail with
    /// [`McpError::AuthRequired`](crate::McpError::AuthRequired); a server whose configuration has a header
    /// `Authorization` has no other.
    #[cfg(feature = "oauth")]
    #[must_use]
    pub fn authorization(mut self, oauth: OAuth) -> Self {
        self.options.oauth = Some(oauth);
        self
    }

    /// How many servers are being connected at the same time; the others wait for their turn. Default 16, at least 1.
    #[must_use]
    pub const fn at_once(mut self, servers: usize) -> Self {
        self.options.at_once = servers;
        self
    }

    /// How many servers a session may have; those that come after are not connected ([`McpError::TooMany`]). Default 256.
    #[must_use]
    pub const fn most_servers(mut self, servers: usize) -> Self {
        self.options.most_servers = servers;
        self
    }

    /// The ACP connection over which servers of `type: "acp"` are reached. Without one they are not supported.
    #[cfg(feature = "over-acp")]
    #[must_use]
    pub fn over_acp(mut self, link: AcpLink) -> Self {
        self.options.over_acp = Some(link);
        self
    }

    /// Connects all servers at once, and waits for them. This never fails as a whole: each server has its
    /// [status](super::Server::status).
    pub async fn connect_all(self, servers: &[McpServer]) -> McpSession {
        let session = self.start(servers);
        session.connected().await;
        session
    }

    /// Begins to connect all servers, and returns at once. Needs a tokio runtime, with time enabled, and I/O for
    /// servers that are processes or reached over a network.
    #[must_use]
    pub fn start(self, servers: &[McpServer]) -> McpSession {
        let closing = CancellationToken::new();
        let shared = Arc::new(Shared {
            connecting: Semaphore::new(self.options.at_once.clamp(1, Semaphore::MAX_PERMITS)),
            options: self.options,
            events: EventSender::new(),
            closing: closing.child_token(),
        });
        let mut ordinals: HashMap<String, usize> = HashMap::new();
        let entries = servers.iter().enumerate().map(|(index, server)| {
            let name = connect::name(server);
            let ordinal = ordinals.entry(name.clone()).or_default();
            let entry = Arc::new(Entry::new(name, index, *ordinal, connect::transport(server).to_owned()));
            *ordinal += 1;
            if index < shared.options.most_servers {
                connect::start(server, &entry, &shared);
            } else {
                connect::refuse(&entry, &shared);
            }
            entry
        });
        McpSession {
            inner: Arc::new(Inner { entries: entries.collect(), shared, _end: closing.drop_guard() }),
        }
    }
}
