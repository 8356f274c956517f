//! The builder of a session.

use std::collections::HashMap;
use std::sync::Arc;

use acp_types::v1::McpServer;
use rmcp::model::{Implementation, JsonObject};
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::keep::start;
use super::state::entry::Entry;
use super::state::event::EventSender;
use super::state::options::Options;
use super::state::shared::Shared;
use super::{Inner, McpSession};
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

/// Builds an [`McpSession`].
#[derive(Debug)]
pub struct Builder {
    options: Options,
}

impl McpSession {
    /// Returns a builder. `client` is the name and version of the agent, which servers are told.
    pub fn builder(client: Implementation) -> Builder {
        Builder::new(client)
    }
}

impl Builder {
    fn new(client: Implementation) -> Self {
        Self { options: Options::new(client) }
    }

    /// Sets the versions of MCP that may be agreed on. Default [`VersionPolicy::Auto`].
    #[must_use]
    pub fn versions(mut self, policy: VersionPolicy) -> Self {
        self.options.versions = policy;
        self
    }

    /// Declares an extension to servers, with its settings. A value that is not an object counts as
    /// an empty object. `on_missing` decides about servers that do not have the extension. Default:
    /// no extensions.
    #[must_use]
    pub fn extension(mut self, id: ExtensionId, settings: impl Into<Value>, on_missing: OnMissing) -> Self {
        let settings = match settings.into() {
            Value::Object(settings) => settings,
            _ => JsonObject::new(),
        };
        self.options.extensions.push((id, settings, on_missing));
        self
    }

    /// Sets the [`Elicitation`] that asks the user the questions of servers. Declares the
    /// capability `elicitation`.
    #[must_use]
    pub fn elicitation(mut self, elicitation: impl Elicitation) -> Self {
        self.options.elicitation = Some(Arc::new(elicitation));
        self
    }

    /// Sets the time limits for servers.
    #[must_use]
    pub fn timeouts(mut self, timeouts: Timeouts) -> Self {
        self.options.timeouts = timeouts;
        self
    }

    /// Sets the options for starting servers on stdio.
    #[cfg(feature = "stdio")]
    #[must_use]
    pub fn stdio(mut self, options: StdioOptions) -> Self {
        self.options.stdio = options;
        self
    }

    /// Sets the certificates that are trusted over https.
    #[cfg(feature = "__tls")]
    #[must_use]
    pub fn tls(mut self, options: TlsOptions) -> Self {
        self.options.tls = options;
        self
    }

    /// Sets the cache for the eras of servers. The sessions of an agent should share one. Default:
    /// a cache for this session alone.
    #[must_use]
    pub fn era_cache(mut self, eras: EraCache) -> Self {
        self.options.eras = eras;
        self
    }

    /// Sets how often in a row a server is started again after it, or its connection, has ended by
    /// itself. A server that has run for a minute starts with a fresh count. Default 3; with 0 it
    /// is not started again.
    ///
    /// A start that fails counts, too. The very first start is not repeated, and neither is a
    /// start after a failure that would only repeat itself, such as a user who declines.
    #[must_use]
    pub const fn restarts(mut self, times: u32) -> Self {
        self.options.restarts = times;
        self
    }

    /// Sets how servers over HTTP are authorized. Without this, servers that want an authorization
    /// fail with [`McpError::AuthRequired`](crate::McpError::AuthRequired). A server whose
    /// configuration has a header `Authorization` gets only that header.
    #[cfg(feature = "oauth")]
    #[must_use]
    pub fn authorization(mut self, oauth: OAuth) -> Self {
        self.options.oauth = Some(oauth);
        self
    }

    /// Sets how many servers are being connected at the same time. The others wait. Default 16, at
    /// least 1.
    #[must_use]
    pub const fn at_once(mut self, servers: usize) -> Self {
        self.options.at_once = servers;
        self
    }

    /// Sets the number of servers that a session may have. Further servers fail with
    /// [`McpError::TooMany`]. Default 256.
    #[must_use]
    pub const fn most_servers(mut self, servers: usize) -> Self {
        self.options.most_servers = servers;
        self
    }

    /// Sets the ACP connection that reaches servers of `type: "acp"`. Without it they are not
    /// supported.
    #[cfg(feature = "over-acp")]
    #[must_use]
    pub fn over_acp(mut self, link: AcpLink) -> Self {
        self.options.over_acp = Some(link);
        self
    }

    /// Connects all servers and waits for them. This never fails as a whole: each server has a
    /// [status](super::Server::status).
    pub async fn connect_all(self, servers: &[McpServer]) -> McpSession {
        let session = self.start(servers);
        session.connected().await;
        session
    }

    /// Starts to connect all servers and returns at once. Needs a tokio runtime with time enabled,
    /// and with I/O enabled for servers that are processes or are reached over a network.
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
            let name = start::name(server);
            let ordinal = ordinals.entry(name.clone()).or_default();
            let entry = Arc::new(Entry::new(name, index, *ordinal, start::transport(server).to_owned()));
            *ordinal += 1;
            if index < shared.options.most_servers {
                start::start(server, &entry, &shared);
            } else {
                start::refuse(&entry, &shared);
            }
            entry
        });
        McpSession {
            inner: Arc::new(Inner { entries: entries.collect(), shared, _end: closing.drop_guard() }),
        }
    }
}
