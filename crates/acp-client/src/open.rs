use std::future::IntoFuture;
use std::path::Path;
use std::pin::Pin;

use acp_types::method::Method;
use acp_types::v1::methods::{SessionLoad, SessionNew};
use acp_types::v1::{LoadSessionRequest, McpServer, NewSessionRequest, SessionId};

use crate::sessions::Attached;
use crate::{Agent, Error, Session};

type Opening = Pin<Box<dyn Future<Output = Result<Session, Error>> + Send>>;

/// A session about to be opened with `session/new`: await it.
///
/// ```no_run
/// # async fn open(agent: acp_client::Agent) -> Result<(), acp_client::Error> {
/// let session = agent.new_session("/home/me/project").directory("/home/me/notes").await?;
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
#[must_use = "a session is opened by awaiting this"]
pub struct NewSession {
    agent: Agent,
    place: Place,
}

/// A session about to be opened again with `session/load`: await it.
///
/// The conversation so far arrives as [`Event`](crate::Event)s before the agent answers. It is there to read with
/// [`Session::updates`] afterwards; of a conversation of more than 4 MiB the oldest part is replaced by an
/// [`Event::Missed`](crate::Event::Missed). To see all of a longer one, use
/// [`Connect::on_update`](crate::Connect::on_update).
#[derive(Clone, Debug)]
#[must_use = "a session is opened by awaiting this"]
pub struct LoadSession {
    agent: Agent,
    id: SessionId,
    place: Place,
}

/// Where a session works, and with which servers.
#[derive(Clone, Debug)]
struct Place {
    cwd: Result<String, &'static str>,
    directories: Vec<Result<String, &'static str>>,
    mcp_servers: Vec<McpServer>,
}

impl NewSession {
    pub(crate) fn new(agent: Agent, cwd: &Path) -> Self {
        Self { agent, place: Place::new(cwd) }
    }

    /// Lets the session work in another directory too, an absolute path. Needs
    /// `sessionCapabilities.additionalDirectories`.
    pub fn directory(mut self, directory: impl AsRef<Path>) -> Self {
        self.place.directories.push(absolute(directory.as_ref()));
        self
    }

    /// Gives the session an MCP server. Servers over HTTP and SSE need `mcpCapabilities.http` and `.sse`.
    pub fn mcp_server(mut self, server: impl Into<McpServer>) -> Self {
        self.place.mcp_servers.push(server.into());
        self
    }

    async fn open(self) -> Result<Session, Error> {
        let (cwd, directories) = self.place.check(&self.agent, SessionNew::NAME)?;
        let request = NewSessionRequest::new(cwd, self.place.mcp_servers).additional_directories(directories);
        let opened = self.agent.call::<SessionNew>(None, &request).await?;
        let state = Attached::new(self.agent.shared().sessions.name(&opened.session_id));
        Ok(Session::new(self.agent, state, opened.modes, opened.config_options))
    }
}

impl LoadSession {
    pub(crate) fn new(agent: Agent, id: SessionId, cwd: &Path) -> Self {
        Self { agent, id, place: Place::new(cwd) }
    }

    /// Lets the session work in another directory too, an absolute path. Directories of the earlier time are not
    /// remembered. Needs `sessionCapabilities.additionalDirectories`.
    pub fn directory(mut self, directory: impl AsRef<Path>) -> Self {
        self.place.directories.push(absolute(directory.as_ref()));
        self
    }

    /// Gives the session an MCP server. Servers over HTTP and SSE need `mcpCapabilities.http` and `.sse`.
    pub fn mcp_server(mut self, server: impl Into<McpServer>) -> Self {
        self.place.mcp_servers.push(server.into());
        self
    }

    async fn open(self) -> Result<Session, Error> {
        if !self.agent.capabilities().load_session {
            return Err(Error::NotOffered { method: SessionLoad::NAME, capability: "loadSession" });
        }
        let (cwd, directories) = self.place.check(&self.agent, SessionLoad::NAME)?;
        // Its updates come before the answer (rule v1-load-09).
        let state = Attached::new(self.agent.shared().sessions.name(&self.id));
        let request = LoadSessionRequest::new(self.place.mcp_servers, cwd, self.id.clone())
            .additional_directories(directories);
        let opened = self.agent.call_in_lane::<SessionLoad>(&state, &request).await?;
        Ok(Session::new(self.agent, state, opened.modes, opened.config_options))
    }
}

impl Place {
    fn new(cwd: &Path) -> Self {
        Self { cwd: absolute(cwd), directories: Vec::new(), mcp_servers: Vec::new() }
    }

    /// The paths, when the protocol allows them and the agent offers what they and the servers need.
    fn check(&self, agent: &Agent, method: &'static str) -> Result<(String, Vec<String>), Error> {
        let argument = |field, problem: &str| Error::Argument { method, field, problem: problem.to_owned() };
        let offered = agent.capabilities();
        if !self.directories.is_empty() && offered.session_capabilities.additional_directories.is_none() {
            return Err(Error::NotOffered {
                method,
                capability: "sessionCapabilities.additionalDirectories",
            });
        }
        for server in &self.mcp_servers {
            let missing = match server {
                McpServer::Http(_) if !offered.mcp_capabilities.http => "mcpCapabilities.http",
                McpServer::Sse(_) if !offered.mcp_capabilities.sse => "mcpCapabilities.sse",
                _ => continue,
            };
            return Err(Error::NotOffered { method, capability: missing });
        }
        let cwd = self.cwd.clone().map_err(|problem| argument("cwd", problem))?;
        let directories = self.directories.iter().cloned().collect::<Result<_, _>>();
        Ok((cwd, directories.map_err(|problem| argument("additionalDirectories", problem))?))
    }
}

fn absolute(path: &Path) -> Result<String, &'static str> {
    match path.to_str() {
        Some(text) if path.is_absolute() => Ok(text.to_owned()),
        Some(_) => Err("must be an absolute path"),
        None => Err("must be UTF-8 text"),
    }
}

impl IntoFuture for NewSession {
    type Output = Result<Session, Error>;
    type IntoFuture = Opening;

    fn into_future(self) -> Opening {
        Box::pin(self.open())
    }
}

impl IntoFuture for LoadSession {
    type Output = Result<Session, Error>;
    type IntoFuture = Opening;

    fn into_future(self) -> Opening {
        Box::pin(self.open())
    }
}
