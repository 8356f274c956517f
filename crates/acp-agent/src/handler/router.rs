//! Agents that are put together from functions, without a macro.

use std::collections::HashMap;
use std::fmt;
use std::future::{Ready, ready};
use std::sync::Arc;

use acp_rpc::Delivery;
use acp_types::Meta;

use crate::error::Result;
use crate::facts::operations::Operations;
use crate::facts::profile::{Extension, McpTransports, Profile, PromptContent};
use crate::handler::agent::Agent;
use crate::handler::functions::{Handler, Listener};
use crate::handler::incoming::{Called, Incoming, IncomingNotification};
use crate::handler::operation::{Notified, ServeOperation};
use crate::op::{self, Op as _, Operation};
use crate::open::opened::Opened;
#[cfg(feature = "store")]
use crate::store::SessionStore;

/// An agent made of functions. It is `#[agent]`, spelled out.
///
/// `S` is the agent's state, which every handler gets by reference, and `T` is the state of a
/// session. Handlers take the arguments and return the results that they may have in an `#[agent]`
/// block.
///
/// ```
/// use acp_agent::{Result, Router, StopReason, Turn, op};
///
/// struct Echo;
///
/// impl Echo {
///     async fn prompt(&self, turn: Turn) -> Result<StopReason> {
///         turn.say(turn.text()).await?;
///         Ok(StopReason::EndTurn)
///     }
/// }
///
/// let agent = Router::new("echo", "1.0.0", Echo).on::<op::Prompt, _>(Echo::prompt);
/// # let _ = acp_agent::serve_stdio(agent);
/// ```
///
/// An agent without `op::Prompt` answers prompts with `-32601`.
pub struct Router<S: Send + Sync + 'static, T: Send + Sync + 'static = ()> {
    name: &'static str,
    version: &'static str,
    title: Option<&'static str>,
    state: S,
    operations: Operations,
    auth_methods: bool,
    extensions: Vec<Extension<'static>>,
    prompt: PromptContent,
    mcp: McpTransports,
    additional_directories: bool,
    queue_prompts: bool,
    login_required: bool,
    capability_meta: Meta,
    #[cfg(feature = "store")]
    store: Option<Arc<dyn SessionStore>>,
    #[cfg(feature = "mcp")]
    servers: Option<crate::mcp::Options>,
    calls: HashMap<&'static str, Answer<S, T>>,
    notifications: HashMap<&'static str, Notify<S, T>>,
}

type Answer<S, T> = Box<dyn Fn(Incoming<'_, Router<S, T>>) -> Called + Send + Sync>;
type Notify<S, T> = Box<dyn Fn(IncomingNotification<'_, Router<S, T>>) -> Delivery + Send + Sync>;

impl<S: Send + Sync + 'static> Router<S> {
    /// Creates an agent whose sessions hold nothing.
    pub fn new(name: &'static str, version: &'static str, state: S) -> Self {
        Router::empty(name, version, state).on::<op::NewSession, _>(empty_session)
    }
}

fn empty_session<S>(_: &S) -> Ready<Result<()>> {
    ready(Ok(()))
}

impl<S: Send + Sync + 'static, T: Send + Sync + 'static> Router<S, T> {
    /// Creates an agent whose sessions hold the state in the [`Opened`] of `new_session`.
    pub fn with_sessions<Arguments, H>(
        name: &'static str,
        version: &'static str,
        state: S,
        new_session: H,
    ) -> Self
    where
        H: Handler<op::NewSession, S, T, Arguments, Value = Opened<T>>,
    {
        Router::empty(name, version, state).on::<op::NewSession, _>(new_session)
    }

    fn empty(name: &'static str, version: &'static str, state: S) -> Self {
        let Profile { title, operations, auth_methods, prompt, mcp, .. } = Profile::new("", "");
        Router {
            name,
            version,
            title,
            state,
            operations,
            auth_methods,
            extensions: Vec::new(),
            prompt,
            mcp,
            additional_directories: false,
            queue_prompts: false,
            login_required: false,
            capability_meta: Meta::new(),
            #[cfg(feature = "store")]
            store: None,
            #[cfg(feature = "mcp")]
            servers: None,
            calls: HashMap::new(),
            notifications: HashMap::new(),
        }
    }

    /// Returns the state that every handler gets.
    pub fn state(&self) -> &S {
        &self.state
    }

    /// Sets the name for people.
    #[must_use]
    pub fn title(mut self, title: &'static str) -> Self {
        self.title = Some(title);
        self
    }

    /// Sets the content that prompts may have beyond text and links.
    #[must_use]
    pub fn prompt_content(mut self, prompt: PromptContent) -> Self {
        self.prompt = prompt;
        self
    }

    /// Sets the transports of MCP servers beyond stdio, for an agent that connects them itself.
    #[must_use]
    pub fn mcp_transports(mut self, mcp: McpTransports) -> Self {
        self.mcp = mcp;
        self
    }

    /// Lets sessions have directories besides their working directory.
    #[must_use]
    pub fn additional_directories(mut self) -> Self {
        self.additional_directories = true;
        self
    }

    /// Lets prompts wait for the session's turn to end. Otherwise they are refused.
    #[must_use]
    pub fn queue_prompts(mut self) -> Self {
        self.queue_prompts = true;
        self
    }

    /// Makes the client log in first. This takes handlers of `op::Initialize` and
    /// `op::Authenticate`.
    #[must_use]
    pub fn login_required(mut self) -> Self {
        self.login_required = true;
        self
    }

    /// Sets capabilities that the protocol does not know, by name: see [`Agent::capability_meta`].
    #[must_use]
    pub fn capability_meta(mut self, meta: impl Into<Meta>) -> Self {
        self.capability_meta = meta.into();
        self
    }

    /// Keeps the sessions, so that they survive the process: see [`store`](crate::store).
    #[cfg(feature = "store")]
    #[must_use]
    pub fn store(mut self, store: impl SessionStore) -> Self {
        self.store = Some(Arc::new(store));
        self
    }

    /// Connects the MCP servers of sessions: see [`mcp`](crate::mcp).
    #[cfg(feature = "mcp")]
    #[must_use]
    pub fn mcp(mut self, options: crate::mcp::Options) -> Self {
        self.servers = Some(options);
        self
    }

    /// Sets the handler of an operation, or of an own request that has a marker, [`op::Request`].
    /// With `op::Initialize` it is the hook that lists the ways to log in.
    ///
    /// If one capability stands for several operations, they are served once all of them have
    /// handlers.
    ///
    /// # Panics
    /// The method of an `op::Request` does not start with `_`. All those names belong to the
    /// protocol.
    #[must_use]
    #[track_caller]
    pub fn on<O: ServeOperation, Arguments>(mut self, handler: impl Handler<O, S, T, Arguments>) -> Self {
        if O::IS_OWN {
            self.extensions.push(Extension::request(O::METHOD));
        } else if let Some(operation) = Operation::from_method(O::METHOD) {
            self.operations = self.operations.with(operation);
        } else {
            self.auth_methods |= O::METHOD == op::Initialize::METHOD;
        }
        self.answer(O::METHOD, handler);
        self
    }

    /// Sets the handler of a notification of the protocol, or of an own one that has a marker,
    /// [`op::Notification`].
    ///
    /// # Panics
    /// The method of an `op::Notification` does not start with `_`. All those names belong to the
    /// protocol.
    #[must_use]
    #[track_caller]
    pub fn on_notification<O, Arguments>(mut self, listener: impl Listener<O, S, T, Arguments>) -> Self
    where
        O: Notified,
    {
        if O::IS_OWN {
            self.extensions.push(Extension::notification(O::METHOD));
        } else if let Some(operation) = Operation::from_notification(O::METHOD) {
            self.operations = self.operations.with(operation);
        }
        self.listen(O::METHOD, listener);
        self
    }

    /// Sets the handler of one of the agent's own requests, whose method starts with `_`.
    ///
    /// # Panics
    /// The method starts with another letter. All those names belong to the protocol.
    #[must_use]
    #[track_caller]
    pub fn ext<Arguments>(
        mut self,
        method: &'static str,
        handler: impl Handler<op::Extension, S, T, Arguments>,
    ) -> Self {
        self.extensions.push(Extension::request(method));
        self.answer(method, handler);
        self
    }

    /// Sets the handler of one of the agent's own notifications, whose method starts with `_`.
    ///
    /// # Panics
    /// The method starts with another letter. All those names belong to the protocol.
    #[must_use]
    #[track_caller]
    pub fn ext_notification<Arguments>(
        mut self,
        method: &'static str,
        listener: impl Listener<op::Extension, S, T, Arguments>,
    ) -> Self {
        self.extensions.push(Extension::notification(method));
        self.listen(method, listener);
        self
    }

    fn listen<O: Notified, Arguments>(
        &mut self,
        method: &'static str,
        listener: impl Listener<O, S, T, Arguments>,
    ) {
        let notify: Notify<S, T> = Box::new(move |incoming| {
            let listener = listener.clone();
            incoming.run::<O, _, _>(move |agent, call| listener.call(agent, call))
        });
        self.notifications.insert(method, notify);
    }

    fn answer<O: ServeOperation, Arguments>(
        &mut self,
        method: &'static str,
        handler: impl Handler<O, S, T, Arguments>,
    ) {
        let answer: Answer<S, T> = Box::new(move |incoming| {
            let handler = handler.clone();
            incoming.run::<O, _, _>(move |agent, call| handler.call(agent, call))
        });
        self.calls.insert(method, answer);
    }
}

impl<S: Send + Sync + 'static, T: Send + Sync + 'static> Agent for Router<S, T> {
    type Session = T;

    /// The facts about no agent in particular: every router has its own in
    /// [`profile`](Agent::profile).
    const PROFILE: Profile<'static> = Profile::new("", "");

    fn profile(&self) -> Profile<'_> {
        let mut profile = Profile::new(self.name, self.version)
            .auth_methods(self.auth_methods)
            .extensions(&self.extensions)
            .prompt(self.prompt)
            .mcp(self.mcp)
            .additional_directories(self.additional_directories)
            .queue_prompts(self.queue_prompts)
            .login_required(self.login_required);
        profile.title = self.title;
        profile.operations = self.operations.complete();
        profile
    }

    fn capability_meta(&self) -> Meta {
        self.capability_meta.clone()
    }

    #[cfg(feature = "store")]
    fn store(&self) -> Option<Arc<dyn SessionStore>> {
        self.store.clone()
    }

    #[cfg(feature = "mcp")]
    fn mcp(&self) -> Option<crate::mcp::Options> {
        self.servers.clone()
    }

    fn call(incoming: Incoming<'_, Self>) -> Called {
        let router = Arc::clone(incoming.agent());
        match router.calls.get(incoming.method()) {
            Some(answer) => answer(incoming),
            None => incoming.refuse(),
        }
    }

    fn notify(incoming: IncomingNotification<'_, Self>) -> Delivery {
        let router = Arc::clone(incoming.agent());
        match router.notifications.get(incoming.method()) {
            Some(notify) => notify(incoming),
            None => incoming.ignore(),
        }
    }
}

impl<S: Send + Sync + 'static, T: Send + Sync + 'static> fmt::Debug for Router<S, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Router").field("name", &self.name).finish_non_exhaustive()
    }
}
