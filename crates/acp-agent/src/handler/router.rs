//! Agents that are put together from functions, without a macro.

use std::fmt;
use std::sync::Arc;

use acp_handlers::{Handler, Listener, ServeNotification, ServeRequest};
use acp_types::Meta;
use acp_types::v1::AvailableCommand;

use crate::facts::profile::{McpTransports, Profile, PromptContent};
use crate::handler::agent::Agent;
use crate::handler::scope::{Handlers, Scope};
use crate::op::{self, Op};
use crate::open::opened::Opened;
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
    profile: Profile,
    capability_meta: Meta,
    store: Option<Arc<dyn SessionStore>>,
    #[cfg(feature = "mcp")]
    servers: Option<crate::mcp::Options>,
    functions: acp_handlers::Router<S, Scope<T>>,
    /// Registers the handler of `new_session`, if none of the functions is one.
    new_session: Option<fn(&mut Handlers<T>)>,
}

impl<S: Send + Sync + 'static> Router<S> {
    /// Creates an agent whose sessions hold nothing.
    pub fn new(name: &'static str, version: &'static str, state: S) -> Self {
        Router { new_session: Some(empty_sessions), ..Router::empty(name, version, state) }
    }
}

fn empty_sessions(handlers: &mut Handlers<()>) {
    if !handlers.serves(op::NewSession::METHOD) {
        handlers.serve::<op::NewSession, _, _>(&Arc::new(()), |_, _| async { Ok(Opened::new(())) });
    }
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
        H: Handler<op::NewSession, S, Scope<T>, Arguments, Value = Opened<T>>,
    {
        Router::empty(name, version, state).on::<op::NewSession, _>(new_session)
    }

    fn empty(name: &'static str, version: &'static str, state: S) -> Self {
        Router {
            profile: Profile::new(name, version),
            capability_meta: Meta::new(),
            store: None,
            #[cfg(feature = "mcp")]
            servers: None,
            functions: acp_handlers::Router::new(state),
            new_session: None,
        }
    }

    /// Returns the state that every handler gets.
    pub fn state(&self) -> &S {
        self.functions.state()
    }

    /// Sets the name for people.
    #[must_use]
    pub fn title(mut self, title: &'static str) -> Self {
        self.profile.title = Some(title);
        self
    }

    /// Sets the content that prompts may have beyond text and links.
    #[must_use]
    pub fn prompt_content(mut self, prompt: PromptContent) -> Self {
        self.profile.prompt = prompt;
        self
    }

    /// Sets the transports of MCP servers beyond stdio, for an agent that connects them itself.
    #[must_use]
    pub fn mcp_transports(mut self, mcp: McpTransports) -> Self {
        self.profile.mcp = mcp;
        self
    }

    /// Lets sessions have directories besides their working directory.
    #[must_use]
    pub fn additional_directories(mut self) -> Self {
        self.profile.additional_directories = true;
        self
    }

    /// Lets prompts wait for the session's turn to end. Otherwise they are refused.
    #[must_use]
    pub fn queue_prompts(mut self) -> Self {
        self.profile.queue_prompts = true;
        self
    }

    /// Lets the client send messages into a turn that runs: [`Turn::steered`](crate::Turn::steered)
    /// takes them.
    #[must_use]
    pub fn steering(mut self) -> Self {
        self.profile.steering = true;
        self
    }

    /// Makes the client log in first. This takes handlers of `op::Initialize` and
    /// `op::Authenticate`.
    #[must_use]
    pub fn login_required(mut self) -> Self {
        self.profile.login_required = true;
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
    /// If one capability stands for several operations, all of them need handlers. Otherwise
    /// serving fails, as it does if an operation has two.
    #[must_use]
    pub fn on<O: Op, Arguments>(mut self, handler: impl Handler<O, S, Scope<T>, Arguments>) -> Self
    where
        Scope<T>: ServeRequest<O>,
    {
        self.functions = self.functions.on::<O, _>(handler);
        self
    }

    /// Sets the handler of a slash command. It takes what a handler of `op::Prompt` takes, and the
    /// text after the name as a `String`: see [`SlashCommand`](crate::SlashCommand).
    ///
    /// Every session advertises the command. Prompts that call it go to this handler. An agent that
    /// has commands and no handler of `op::Prompt` refuses other prompts with `-32602`.
    ///
    /// ```
    /// use acp_agent::types::AvailableCommand;
    /// use acp_agent::{Result, Router, StopReason, Turn, op};
    ///
    /// struct Editor;
    ///
    /// impl Editor {
    ///     async fn edit(&self, turn: Turn, input: String) -> Result<StopReason> {
    ///         turn.say(format!("Appending `{input}`.")).await?;
    ///         Ok(StopReason::EndTurn)
    ///     }
    /// }
    ///
    /// let edit = AvailableCommand::new("edit", "Appends to a file").hint("FILE: TEXT");
    /// let agent = Router::new("editor", "1.0.0", Editor).command(edit, Editor::edit);
    /// # let _ = acp_agent::serve_stdio(agent);
    /// ```
    ///
    /// # Panics
    /// The name is empty, begins with a slash or has white space.
    #[must_use]
    #[track_caller]
    pub fn command<Arguments>(
        mut self,
        command: AvailableCommand,
        handler: impl Handler<op::Command, S, Scope<T>, Arguments>,
    ) -> Self {
        if let Err(error) = AvailableCommand::check_name(&command.name) {
            panic!("the name `{}` of a slash command {error}", command.name);
        }
        self.functions = self.functions.keyed::<op::Command, _>(command, handler);
        self
    }

    /// Sets the handler of a notification of the protocol, or of an own one that has a marker,
    /// [`op::Notification`].
    #[must_use]
    pub fn on_notification<O: Op, Arguments>(
        mut self,
        listener: impl Listener<O, S, Scope<T>, Arguments>,
    ) -> Self
    where
        Scope<T>: ServeNotification<O>,
    {
        self.functions = self.functions.on_notification::<O, _>(listener);
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
        handler: impl Handler<op::Extension, S, Scope<T>, Arguments>,
    ) -> Self {
        self.functions = self.functions.ext(method, handler);
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
        listener: impl Listener<op::Extension, S, Scope<T>, Arguments>,
    ) -> Self {
        self.functions = self.functions.ext_notification(method, listener);
        self
    }
}

impl<S: Send + Sync + 'static, T: Send + Sync + 'static> Agent for Router<S, T> {
    type Session = T;

    fn profile(&self) -> Profile {
        self.profile
    }

    fn register(self: Arc<Self>, handlers: &mut Handlers<T>) {
        self.functions.register(handlers);
        if let Some(new_session) = self.new_session {
            new_session(handlers);
        }
    }

    fn capability_meta(&self) -> Meta {
        self.capability_meta.clone()
    }

    fn store(&self) -> Option<Arc<dyn SessionStore>> {
        self.store.clone()
    }

    #[cfg(feature = "mcp")]
    fn mcp(&self) -> Option<crate::mcp::Options> {
        self.servers.clone()
    }
}

impl<S: Send + Sync + 'static, T: Send + Sync + 'static> fmt::Debug for Router<S, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Router").field("name", &self.profile.name).finish_non_exhaustive()
    }
}
