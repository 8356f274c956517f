//! The builder of a proxy.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use acp_json::FromNode;
use acp_rpc::{Encode, Error};

use super::handler::{self, Observer, OnNotification, OnRequest};
use super::mcp::{self, McpCall, OnMcp};
use super::next::{Next, Pass};
use super::observed::Observed;
use crate::flow::json::Json;
use crate::flow::reply::Reply;
use crate::flow::route::Toward;
#[cfg(feature = "v2")]
use crate::wire::member::member;
use crate::wire::message::Call;
use crate::wire::methods::PROMPT;
#[cfg(feature = "v2")]
use crate::wire::view::{SET_MODE, name_in_vocabulary, view};

/// A proxy: handlers for the messages that it looks at or changes. All other messages pass it as
/// the bytes that came, unknown methods, kinds and members included.
///
/// One proxy runs in three ways: within a [`Conductor`](crate::Conductor), as a process of a
/// conductor, and alone in front of an agent: see [`Proxy::run`].
///
/// ```
/// use acp_proxy::types::PromptRequest;
/// use acp_proxy::{Proxy, Toward};
///
/// let proxy = Proxy::new("context").prompt(async |mut request: PromptRequest, next| {
///     request.prompt.insert(0, "Answer in one sentence.".into());
///     next.run_with(&request).await
/// });
/// # let _ = proxy;
/// ```
#[derive(Clone)]
pub struct Proxy {
    pub(super) handlers: Arc<Handlers>,
}

#[derive(Clone, Default)]
pub(super) struct Handlers {
    name: Box<str>,
    requests: HashMap<(Toward, Box<str>), OnRequest>,
    notifications: HashMap<(Toward, Box<str>), OnNotification>,
    refused: HashSet<(Toward, Box<str>)>,
    served: Vec<(Toward, Box<str>)>,
    /// The handlers that take a view of version 1.
    #[cfg(feature = "v2")]
    vocabulary: HashSet<(Toward, Box<str>)>,
    pub(super) servers: Vec<OnMcp>,
    pub(super) server_names: Vec<Box<str>>,
    pub(super) observer: Option<Observer>,
    pub(super) only_v1: bool,
    takes_older: bool,
}

impl Proxy {
    /// Makes a proxy that lets everything pass. The name stands in errors and faults.
    pub fn new(name: impl Into<Box<str>>) -> Self {
        Self { handlers: Arc::new(Handlers { name: name.into(), ..Handlers::default() }) }
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.handlers.name
    }

    /// Handles a request that goes in this direction, with its params as a type. Params that are
    /// not of that type are answered with `-32602`. A later handler of the same method replaces an
    /// earlier one.
    ///
    /// The types of `acp_types::v1` are those of version 1, so say [`only_v1`](Self::only_v1) too,
    /// or use the [methods of the vocabulary](#impl-Proxy-1), which take part in both versions.
    #[must_use]
    pub fn request<P, F, Fut>(self, toward: Toward, method: &str, handler: F) -> Self
    where
        P: FromNode,
        F: Fn(P, Next) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: Into<Reply>> + Send + 'static,
    {
        self.with(|handlers| {
            handlers.insert(toward, method, handler::request(handler));
        })
    }

    /// Handles a request of the vocabulary: in version 2, too, as a view of version 1.
    #[doc(hidden)]
    #[must_use]
    pub fn __vocabulary_request<P, F, Fut>(self, toward: Toward, method: &str, handler: F) -> Self
    where
        P: FromNode + Encode,
        F: Fn(P, Next) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: Into<Reply>> + Send + 'static,
    {
        #[cfg(feature = "v2")]
        return self.with(|handlers| {
            handlers.insert(toward, method, handler::request_in_view(view(method), handler));
            handlers.vocabulary.insert((toward, method.into()));
        });
        #[cfg(not(feature = "v2"))]
        {
            let alike = ["session/prompt", "session/list", "session/close", "session/delete"];
            let proxy = if alike.contains(&method) { self } else { self.only_v1() };
            proxy.request(toward, method, handler)
        }
    }

    /// Answers a request of the vocabulary instead of the rest of the chain.
    #[doc(hidden)]
    #[must_use]
    pub fn __vocabulary_serve<P, F, Fut>(self, toward: Toward, method: &str, handler: F) -> Self
    where
        P: FromNode + Encode,
        F: Fn(P, Next) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: Into<Reply>> + Send + 'static,
    {
        // Without version 2 their answers are those of version 1, which mean something else there.
        #[cfg(not(feature = "v2"))]
        let proxy = if method == PROMPT { self.only_v1() } else { self };
        #[cfg(feature = "v2")]
        let proxy = self;
        let proxy = proxy.__vocabulary_request(toward, method, handler);
        proxy.with(|handlers| handlers.served.push((toward, method.into())))
    }

    /// Handles a notification of the vocabulary: in version 2, too, as a view of version 1.
    #[doc(hidden)]
    #[must_use]
    pub fn __vocabulary_notification<P, F, Fut>(self, toward: Toward, method: &str, handler: F) -> Self
    where
        P: FromNode + Encode,
        F: Fn(P, Pass) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = ()> + Send + 'static,
    {
        #[cfg(feature = "v2")]
        return self.with(|handlers| {
            let handler = handler::notification_in_view(view(method), handler);
            handlers.notifications.insert((toward, method.into()), handler);
            handlers.vocabulary.insert((toward, method.into()));
        });
        #[cfg(not(feature = "v2"))]
        self.only_v1().notification(toward, method, handler)
    }

    /// Handles a request that goes in this direction, with its params as the text that came.
    #[must_use]
    pub fn raw_request<F, Fut>(self, toward: Toward, method: &str, handler: F) -> Self
    where
        F: Fn(Json, Next) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: Into<Reply>> + Send + 'static,
    {
        self.with(|handlers| {
            handlers.insert(toward, method, handler::raw_request(handler));
        })
    }

    /// Handles a notification that goes in this direction, with its params as a type.
    /// Notifications whose params are not of that type are reported, and go no further.
    #[must_use]
    pub fn notification<P, F, Fut>(self, toward: Toward, method: &str, handler: F) -> Self
    where
        P: FromNode,
        F: Fn(P, Pass) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = ()> + Send + 'static,
    {
        self.with(|handlers| {
            handlers.notifications.insert((toward, method.into()), handler::notification(handler));
        })
    }

    /// Handles a notification that goes in this direction, with its params as the text that came.
    #[must_use]
    pub fn raw_notification<F, Fut>(self, toward: Toward, method: &str, handler: F) -> Self
    where
        F: Fn(Json, Pass) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = ()> + Send + 'static,
    {
        self.with(|handlers| {
            handlers.notifications.insert((toward, method.into()), handler::raw_notification(handler));
        })
    }

    /// Answers a request of the protocol instead of the rest of the chain. The capability that
    /// belongs to the method is added to `initialize`.
    #[must_use]
    pub fn serve<P, F, Fut>(self, toward: Toward, method: &str, handler: F) -> Self
    where
        P: FromNode,
        F: Fn(P, Next) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: Into<Reply>> + Send + 'static,
    {
        let proxy = self.request(toward, method, handler);
        proxy.with(|handlers| handlers.served.push((toward, method.into())))
    }

    /// Refuses a request with `-32601`. The capability that belongs to the method is taken out of
    /// `initialize`.
    #[must_use]
    pub fn refuse(self, toward: Toward, method: &str) -> Self {
        self.with(|handlers| {
            handlers.refused.insert((toward, method.into()));
        })
    }

    /// Sees every message in both directions, before the handlers of this proxy do. The function
    /// runs on the reader of a connection, so it must not block. Messages do not wait for it.
    #[must_use]
    pub fn observe(self, observer: impl Fn(Observed<'_>) + Send + Sync + 'static) -> Self {
        self.guard(move |message| {
            observer(message);
            Ok(())
        })
    }

    /// Sees every message like [`observe`](Self::observe), and lets it pass or not. For an error a
    /// request is answered with it, an answer is replaced by it, and a notification goes no
    /// further. A cancellation has no effect then. There is one such function: a later one replaces
    /// an earlier one. A panic counts as an error.
    #[must_use]
    pub fn guard(self, guard: impl Fn(Observed<'_>) -> Result<(), Error> + Send + Sync + 'static) -> Self {
        let guard = move |message: Observed<'_>| {
            let outcome = catch_unwind(AssertUnwindSafe(|| guard(message)));
            outcome.unwrap_or_else(|_| Err(Error::internal("the proxy's observer panicked")))
        };
        self.with(|handlers| handlers.observer = Some(Arc::new(guard)))
    }

    /// Offers an MCP server to the agent. Each session gets the server under an id of its own. An
    /// agent that takes no servers over its connection gets it in another way, by the
    /// [bridge](crate::McpBridge) of the conductor.
    ///
    /// The function answers the requests of MCP, such as `server/discover` and `tools/list`, in
    /// version 2026-07-28 of MCP. Agents of earlier versions are served by the bridge. A request
    /// that opens a session with a server of the same name is refused with `-32602`.
    #[must_use]
    pub fn mcp_server<F, Fut, R>(self, name: &str, server: F) -> Self
    where
        F: Fn(McpCall) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, Error>> + Send + 'static,
        R: Encode,
    {
        self.with(|handlers| {
            handlers.servers.push(mcp::handler(server));
            handlers.server_names.push(name.into());
        })
    }

    /// Asks for version 1 of the protocol, whatever the client asks for. The whole chain speaks
    /// version 1 then.
    #[must_use]
    pub fn only_v1(self) -> Self {
        self.with(|handlers| handlers.only_v1 = true)
    }

    /// Runs below older conductors, too: see
    /// [`Conductor::older_spellings`](crate::Conductor::older_spellings).
    #[must_use]
    pub fn older_spellings(self) -> Self {
        self.with(|handlers| handlers.takes_older = true)
    }

    pub(crate) fn takes_older_spellings(&self) -> bool {
        self.handlers.takes_older
    }

    fn with(mut self, change: impl FnOnce(&mut Handlers)) -> Self {
        change(Arc::make_mut(&mut self.handlers));
        self
    }
}

impl Handlers {
    /// Adds the handler of a request, which takes the params as they came.
    fn insert(&mut self, toward: Toward, method: &str, handler: OnRequest) {
        self.requests.insert((toward, method.into()), handler);
        #[cfg(feature = "v2")]
        self.vocabulary.remove(&(toward, method.into()));
    }

    /// Returns the handler of a request. In version 2 the vocabulary has other names: `sets_mode`
    /// tells whether a config option is the mode of its session.
    pub(super) fn of_request(
        &self,
        toward: Toward,
        call: &Call<'_>,
        version: u64,
        sets_mode: impl FnOnce() -> bool,
    ) -> Option<&OnRequest> {
        // A proxy without handlers must cost nothing.
        if self.requests.is_empty() {
            return None;
        }
        #[cfg(feature = "v2")]
        if version == 2 {
            let name = self.name_of(toward, call, sets_mode)?;
            return self.requests.get(&(toward, name.into()));
        }
        let _ = (version, sets_mode);
        self.requests.get(&(toward, (&*call.method).into()))
    }

    /// Returns the name under which the handler of a request of version 2 stands.
    #[cfg(feature = "v2")]
    fn name_of<'c>(
        &self,
        toward: Toward,
        call: &'c Call<'_>,
        sets_mode: impl FnOnce() -> bool,
    ) -> Option<&'c str> {
        let replays =
            || call.params.and_then(|params| member(params, "replayFrom")).is_some_and(|from| from != "null");
        match name_in_vocabulary(&call.method, replays) {
            Some(other) if self.is_in_vocabulary(toward, other) => Some(other),
            // In the vocabulary it is another operation.
            Some(_) if self.is_in_vocabulary(toward, &call.method) => None,
            None if call.method == "session/set_config_option" && self.sets_modes() && sets_mode() => {
                Some(SET_MODE)
            }
            _ => Some(&call.method),
        }
    }

    #[cfg(feature = "v2")]
    fn is_in_vocabulary(&self, toward: Toward, method: &str) -> bool {
        self.vocabulary.contains(&(toward, method.into()))
    }

    /// Tells whether a handler of the vocabulary takes prompts.
    #[cfg(feature = "v2")]
    pub(super) fn takes_prompts(&self) -> bool {
        self.is_in_vocabulary(Toward::Agent, PROMPT)
    }

    /// Tells whether a handler of the vocabulary takes modes.
    #[cfg(feature = "v2")]
    pub(super) fn sets_modes(&self) -> bool {
        self.is_in_vocabulary(Toward::Agent, SET_MODE)
    }

    /// Tells whether the handlers have to know the version of the protocol.
    pub(super) fn asks_for_version(&self) -> bool {
        !self.requests.is_empty() || !self.notifications.is_empty()
    }

    pub(super) fn of_notification(&self, toward: Toward, method: &str) -> Option<&OnNotification> {
        (!self.notifications.is_empty()).then(|| self.notifications.get(&(toward, method.into()))).flatten()
    }

    pub(super) fn refuses(&self, toward: Toward, method: &str) -> bool {
        !self.refused.is_empty() && self.refused.contains(&(toward, method.into()))
    }

    /// Tells whether messages in this direction may wait for a handler.
    pub(super) fn has_any(&self, toward: Toward) -> bool {
        let is_it = |(of, _): &(Toward, Box<str>)| *of == toward;
        self.requests.keys().any(is_it) || self.notifications.keys().any(is_it)
    }

    /// Tells whether the proxy looks at the answer to `initialize`.
    pub(super) fn changes_capabilities(&self) -> bool {
        !self.served.is_empty() || !self.refused.is_empty() || !self.servers.is_empty()
    }

    /// Returns the methods that the proxy serves, with the direction of their requests.
    pub(super) fn served(&self) -> impl Iterator<Item = (Toward, &str)> {
        self.served.iter().map(|(toward, method)| (*toward, &**method))
    }

    /// Returns the methods that the proxy refuses, with the direction of their requests.
    pub(super) fn refused(&self) -> impl Iterator<Item = (Toward, &str)> {
        self.refused.iter().map(|(toward, method)| (*toward, &**method))
    }
}

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Proxy").field("name", &self.handlers.name).finish_non_exhaustive()
    }
}
