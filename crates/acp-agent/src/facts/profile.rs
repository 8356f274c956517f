//! Facts about an agent.

/// The facts about an agent that are no handlers: its name, and what else it wants. `#[agent]`
/// takes them from its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Profile {
    /// The program's name.
    pub name: &'static str,
    /// The program's name for people.
    pub title: Option<&'static str>,
    /// The program's version.
    pub version: &'static str,
    /// The content that prompts may have beyond text and links.
    pub prompt: PromptContent,
    /// The transports of MCP servers beyond stdio.
    pub mcp: McpTransports,
    /// Set if sessions may have directories besides their working directory.
    pub additional_directories: bool,
    /// Set if a prompt waits for the session's turn to end, where it is refused otherwise. Up to
    /// [`PROMPT_QUEUE`](crate::PROMPT_QUEUE) prompts of each session wait.
    pub queue_prompts: bool,
    /// Set if the client can send messages into a turn that runs:
    /// [`Turn::steered`](crate::Turn::steered) takes them. They come by the extension
    /// `_session/steering`, and in version 2 of the protocol as further prompts, of which up to
    /// [`PROMPT_QUEUE`](crate::PROMPT_QUEUE) wait.
    pub steering: bool,
    /// Set if the client has to log in first. Until `authenticate` has succeeded, or
    /// [`Client::set_logged_in`](crate::Client::set_logged_in) says so, operations are answered
    /// with `-32000`. Exempt are `authenticate`, `logout` and `close_session`, of the unstable ones
    /// `auth_status` and those for providers, and the agent's own methods.
    pub login_required: bool,
}

impl Profile {
    /// Returns the facts about an agent that wants nothing else.
    #[must_use]
    pub const fn new(name: &'static str, version: &'static str) -> Self {
        Profile {
            name,
            title: None,
            version,
            prompt: PromptContent { image: false, audio: false, embedded_context: false },
            mcp: McpTransports { http: false, sse: false },
            additional_directories: false,
            queue_prompts: false,
            steering: false,
            login_required: false,
        }
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
