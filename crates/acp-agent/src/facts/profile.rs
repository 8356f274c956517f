//! Facts about an agent.

use crate::facts::operations::Operations;
use crate::op::{Operation, assert_own};

/// The name of an agent and the operations that it has handlers for. `#[agent]` writes it from the
/// impl block.
///
/// Capabilities are made from it alone, so an agent advertises what it implements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Profile<'a> {
    /// The program's name.
    pub name: &'a str,
    /// The program's name for people.
    pub title: Option<&'a str>,
    /// The program's version.
    pub version: &'a str,
    /// The operations that have a handler.
    pub operations: Operations,
    /// Set if a handler lists the ways to log in.
    pub auth_methods: bool,
    /// The agent's own methods.
    pub extensions: &'a [Extension<'a>],
    /// The content that prompts may have beyond text and links.
    pub prompt: PromptContent,
    /// The transports of MCP servers beyond stdio.
    pub mcp: McpTransports,
    /// Set if sessions may have directories besides their working directory.
    pub additional_directories: bool,
    /// Set if a prompt waits for the session's turn to end, where it is refused otherwise. Up to
    /// [`PROMPT_QUEUE`](crate::PROMPT_QUEUE) prompts of each session wait.
    pub queue_prompts: bool,
    /// Set if the client has to log in first. Until `authenticate` has succeeded, or
    /// [`Client::set_logged_in`](crate::Client::set_logged_in) says so, operations are answered
    /// with `-32000`. Exempt are `authenticate`, `logout` and `close_session`, of the unstable ones
    /// `auth_status` and those for providers, and the agent's own methods.
    pub login_required: bool,
}

impl<'a> Profile<'a> {
    /// Returns the facts about an agent without handlers.
    #[must_use]
    pub const fn new(name: &'a str, version: &'a str) -> Self {
        Profile {
            name,
            title: None,
            version,
            operations: Operations::NONE,
            auth_methods: false,
            extensions: &[],
            prompt: PromptContent { image: false, audio: false, embedded_context: false },
            mcp: McpTransports { http: false, sse: false },
            additional_directories: false,
            queue_prompts: false,
            login_required: false,
        }
    }

    /// Sets [`title`](Self::title).
    #[must_use]
    pub const fn title(mut self, title: &'a str) -> Self {
        self.title = Some(title);
        self
    }

    /// Sets [`operations`](Self::operations).
    #[must_use]
    pub const fn operations(mut self, operations: &[Operation]) -> Self {
        self.operations = Operations::of(operations);
        self
    }

    /// Sets [`auth_methods`](Self::auth_methods).
    #[must_use]
    pub const fn auth_methods(mut self, auth_methods: bool) -> Self {
        self.auth_methods = auth_methods;
        self
    }

    /// Sets [`extensions`](Self::extensions).
    #[must_use]
    pub const fn extensions(mut self, extensions: &'a [Extension<'a>]) -> Self {
        self.extensions = extensions;
        self
    }

    /// Sets [`prompt`](Self::prompt).
    #[must_use]
    pub const fn prompt(mut self, prompt: PromptContent) -> Self {
        self.prompt = prompt;
        self
    }

    /// Sets [`mcp`](Self::mcp).
    #[must_use]
    pub const fn mcp(mut self, mcp: McpTransports) -> Self {
        self.mcp = mcp;
        self
    }

    /// Sets [`additional_directories`](Self::additional_directories).
    #[must_use]
    pub const fn additional_directories(mut self, additional_directories: bool) -> Self {
        self.additional_directories = additional_directories;
        self
    }

    /// Sets [`queue_prompts`](Self::queue_prompts).
    #[must_use]
    pub const fn queue_prompts(mut self, queue_prompts: bool) -> Self {
        self.queue_prompts = queue_prompts;
        self
    }

    /// Sets [`login_required`](Self::login_required).
    #[must_use]
    pub const fn login_required(mut self, login_required: bool) -> Self {
        self.login_required = login_required;
        self
    }

    /// Returns whether the agent has an own method of this name and kind.
    pub(crate) fn has_extension(&self, method: &str, kind: ExtensionKind) -> bool {
        self.extensions.iter().any(|extension| extension.method == method && extension.kind == kind)
    }
}

/// One of the agent's own methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extension<'a> {
    pub(crate) method: &'a str,
    pub(crate) kind: ExtensionKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExtensionKind {
    Request,
    Notification,
}

impl<'a> Extension<'a> {
    /// Declares a method that is answered.
    ///
    /// # Panics
    /// The name does not start with `_`.
    #[must_use]
    #[track_caller]
    pub const fn request(method: &'a str) -> Self {
        assert_own(method);
        Extension { method, kind: ExtensionKind::Request }
    }

    /// Declares a method that is not answered.
    ///
    /// # Panics
    /// The name does not start with `_`.
    #[must_use]
    #[track_caller]
    pub const fn notification(method: &'a str) -> Self {
        assert_own(method);
        Extension { method, kind: ExtensionKind::Notification }
    }
}

/// The kinds of content that prompts may have. Text and resource links are always allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PromptContent {
    /// Images.
    pub image: bool,
    /// Audio.
    pub audio: bool,
    /// Resources whose contents are embedded.
    pub embedded_context: bool,
}

/// The transports of MCP servers that sessions may use. Stdio is always allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct McpTransports {
    /// Streamable HTTP.
    pub http: bool,
    /// HTTP with server-sent events.
    pub sse: bool,
}
