//! Folders and commands that remote clients may choose.

mod folder;
mod pick;
mod wishes;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use acp_rpc::{Error, Id};
use memchr::memmem::Finder;

use self::wishes::{Unclear, Wishes};

/// The folders and commands that a remote client may choose for an agent. By default these are
/// none.
///
/// A client names the folders in which an agent works, and the MCP servers of a session, which may
/// be commands. A policy looks at the params of each message for `cwd`, `additionalDirectories` and
/// `mcpServers`, whatever its method and the version of the protocol, before the agent gets it.
/// The agent can be any program. A request that wants more than is allowed gets an error with code
/// -32602 that names the member. A notification is dropped.
///
/// * A folder must lie in one of the [roots](Self::root), also after links are resolved. It need
///   not be there.
/// * An MCP server must be reached over `http`, `sse` or `acp`. Others are commands, and need
///   [`allow_commands`](Self::allow_commands).
///
/// It does not cover:
///
/// * paths and commands elsewhere, such as in the text of prompts, in the links of prompts, in
///   `_meta`, and in the members of extension methods that have other names;
/// * the addresses of MCP servers, which may lie in a network that only the agent reaches;
/// * folders that a client does not name: those of stored sessions, and the one that the agent
///   takes by itself;
/// * a folder that is replaced by a link after it was looked at, so no client may be able to do
///   that but through the agent;
/// * the things that an agent does at the order of its model.
///
/// So an agent that others can reach still belongs into a container or under a user of its own.
///
/// ```
/// use acp_http::server::{Options, Policy};
///
/// # fn run() -> std::io::Result<()> {
/// let options = Options::new().policy(Policy::new().root("/work")?);
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Policy {
    roots: Vec<PathBuf>,
    allows_commands: bool,
    signs: Arc<[Finder<'static>]>,
}

/// The bytes that a message has if one of its members is meant here. An escape could hide a name.
const SIGNS: [&str; 4] = ["\"cwd\"", "\"additionalDirectories\"", "\"mcpServers\"", "\\u00"];

/// A message that does not get to the agent.
#[derive(Debug)]
pub(crate) struct Rejected {
    /// The id of a request. A notification has none.
    id: Option<Id>,
    error: Error,
}

impl Policy {
    /// Creates a policy that allows no folder and no command.
    #[must_use]
    pub fn new() -> Self {
        let signs = SIGNS.iter().map(Finder::new).collect();
        Self { roots: Vec::new(), allows_commands: false, signs }
    }

    /// Allows a folder and all folders in it.
    ///
    /// # Errors
    ///
    /// Fails if the folder is not there.
    pub fn root(mut self, path: impl AsRef<Path>) -> io::Result<Self> {
        self.roots.push(path.as_ref().canonicalize()?);
        Ok(self)
    }

    /// Lets clients name MCP servers that the agent starts as commands. Such a client can do
    /// anything that the agent can do.
    #[must_use]
    pub const fn allow_commands(mut self) -> Self {
        self.allows_commands = true;
        self
    }

    /// Returns true if a message must be looked at. Most are not, however long they are.
    pub(crate) fn concerns(&self, message: &[u8]) -> bool {
        self.signs.iter().any(|sign| sign.find(message).is_some())
    }

    /// Judges a message that [`concerns`](Self::concerns) the policy. It needs a tokio runtime, as
    /// the file system may be slow.
    pub(crate) async fn judge(&self, message: &[u8]) -> Result<(), Rejected> {
        let wishes = Wishes::read(message).map_err(Rejected::from)?;
        let Wishes { id, folders, commands } = wishes;
        let reject = |text: String| Rejected { id: id.clone(), error: Error::invalid_params(text) };
        if let Some(server) = commands.first().filter(|_| !self.allows_commands) {
            return Err(reject(format!("{server}: this server starts no MCP servers as commands")));
        }
        if folders.is_empty() {
            return Ok(());
        }
        let roots = self.roots.clone();
        let judging = tokio::task::spawn_blocking(move || {
            folders.into_iter().find_map(|(member, path)| {
                folder::check(&path, &roots).err().map(|problem| format!("{member}: {problem}"))
            })
        });
        match judging.await {
            Ok(None) => Ok(()),
            Ok(Some(problem)) => Err(reject(problem)),
            Err(_) => Err(reject("the folders could not be looked at".to_owned())),
        }
    }
}

impl Default for Policy {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Policy");
        shown.field("roots", &self.roots).field("allows_commands", &self.allows_commands);
        shown.finish_non_exhaustive()
    }
}

impl Rejected {
    /// Lets the answer have the id that another reader has found.
    pub(crate) fn with_id(mut self, id: Option<Id>) -> Self {
        self.id = id;
        self
    }

    /// Returns the answer to the client, if it asked.
    pub(crate) fn answer(&self) -> Option<Vec<u8>> {
        let Self { id, error } = self;
        tracing::debug!(error = %error.message, "a message is rejected by the policy");
        let answer = serde_json::json!({
            "jsonrpc": "2.0",
            "id": id.as_ref()?,
            "error": { "code": error.code, "message": error.message },
        });
        serde_json::to_vec(&answer).ok()
    }
}

impl From<Unclear> for Rejected {
    /// Nobody knows what an agent would make of it.
    fn from(Unclear { id, member }: Unclear) -> Self {
        let text = format!("{member}: this cannot be read, or a member is there twice");
        Self { id: Some(id.unwrap_or(Id::Null)), error: Error::invalid_params(text) }
    }
}
