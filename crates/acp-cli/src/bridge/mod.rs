//! A bridge between the versions of the protocol: an agent for one client, made of another agent.
//!
//! It is the client of the agent behind it and the agent of the client before it, in one process.
//! Both sides speak the version that they like: the client asks for one, and [`Bridge::new`] takes
//! a connection that is about to be made, which names the versions for the agent.
//!
//! ```no_run
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! use acp_cli::bridge::Bridge;
//! use acp_client::{Command, ProtocolVersion, Transport};
//!
//! // A client of version 1 or 2 uses an agent that speaks version 2 only.
//! let agent = acp_client::spawn(Command::new("my-agent")).versions([ProtocolVersion::V2]);
//! Bridge::new(agent).serve(Transport::stdio()?).await?;
//! # Ok(()) }
//! ```
//!
//! | | |
//! |---|---|
//! | prompts, updates, permissions, forms and pages, modes, config options, commands, plans, usage, titles, login | go through with their data |
//! | both sides speak the same version | all messages behind `initialize` pass as they are, unless the bridge serves files or terminals itself |
//! | extension methods and notifications | pass as they are, in both directions. They keep their order, but may overtake updates |
//! | files and terminals | a client of version 1 serves them to an agent of version 1. A client of version 2 has none: the bridge serves them itself if it is told to, see [`Bridge::serve_files`] and [`Bridge::serve_terminals`] |
//! | sessions of earlier times | if the agent lists, loads and resumes them. Otherwise a client of version 2 gets those of this connection, from the bridge's memory |
//! | a prompt while a turn runs | waits in the bridge. One of version 2 joins the turn if an agent of version 1 takes messages for turns that run |
//! | messages for a turn that runs, of version 1 | a second prompt for an agent of version 2, which may take it into the turn or begin another one with it |
//! | commands that an agent of version 2 shows in terminals of its own | text in their tool calls |
//! | changes of files for which an agent of version 2 sends a patch | the patch, as text |
//! | cancelling a single tool call | only between a client and an agent of version 2. Others do not know it |
//! | the list of background work | only between a client and an agent of version 2. A client of version 1 gets the updates of the work, also between turns |
//! | a value of an agent of version 2 that version 1 does not have | [`Bridge::on_fault`] is told of it, once for each kind and session |
//! | login in a terminal | if the program of the bridge can run it: see [`Login`] |

mod asking;
mod error;
mod folded;
mod inner;
mod login;
mod loss;
mod opening;
mod outer;
mod passing;
mod session;
mod settings;
mod shared;
mod steering;
mod terminal;
mod turn;
mod update;

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use acp_agent::{Fault, Options, Serve, peek_initialize};
use acp_client::{Agent, Connect, LocalFs, LocalTerminals, Transport};

pub use self::error::BridgeError;
pub use self::login::{Login, LoginError};
use self::loss::OnFault;
use self::passing::Passing;
use self::shared::Shared;

/// A bridge to an agent. See the [module](self).
#[must_use = "nothing is started before it is served"]
pub struct Bridge {
    connect: Connect,
    files: Option<LocalFs>,
    terminals: Option<LocalTerminals>,
    has_logins: bool,
    on_fault: Option<OnFault>,
    stop: Pin<Box<dyn Future<Output = ()> + Send>>,
}

impl Bridge {
    /// Creates a bridge to the agent of this connection. The bridge adds the name and the
    /// capabilities of its client.
    pub fn new(connect: Connect) -> Self {
        let stop = Box::pin(std::future::pending());
        Self { connect, files: None, terminals: None, has_logins: false, on_fault: None, stop }
    }

    /// Serves the agent files of this machine, if the client has none to offer.
    pub fn serve_files(mut self, files: LocalFs) -> Self {
        self.files = Some(files);
        self
    }

    /// Runs the agent's commands on this machine, if the client has no terminals to offer.
    pub fn serve_terminals(mut self, terminals: LocalTerminals) -> Self {
        self.terminals = Some(terminals);
        self
    }

    /// Lists the agent's logins that run in a terminal, for clients that can run them. The program
    /// of the bridge must begin with [`Login::asked`].
    pub const fn terminal_logins(mut self) -> Self {
        self.has_logins = true;
        self
    }

    /// Sets the receiver of faults: of everything that goes wrong without ending the connection to
    /// the client, and of values of the agent that have no form in the client's version
    /// ([`Fault::Degraded`], once for each kind and session). It must not block.
    pub fn on_fault(mut self, on_fault: impl Fn(&Fault<'_>) + Send + Sync + 'static) -> Self {
        self.on_fault = Some(Arc::new(on_fault));
        self
    }

    /// Ends the bridge in good order when `stop` is done.
    pub fn until(mut self, stop: impl Future<Output = ()> + Send + 'static) -> Self {
        self.stop = Box::pin(stop);
        self
    }

    /// Serves the client until it goes, or the agent ends. The agent is started when the client has
    /// sent `initialize`, so that the agent learns what the client offers.
    ///
    /// # Errors
    /// The agent does not start, or does not speak the version: the client is told so in the answer
    /// to `initialize`. The agent ends before the client. The transport fails.
    pub async fn serve(self, client: Transport) -> Result<(), BridgeError> {
        let (asked, client) = peek_initialize(client).await.map_err(BridgeError::Io)?;
        let Some(asked) = asked else {
            // The library refuses whatever the client wants without an `initialize`.
            return served(Serve::new(outer::nobody()).over(client).await);
        };
        let shared = Arc::new(Shared::new(Passing::new(), self.on_fault));
        let passing = &shared.passing;
        let stop = self.stop;
        let connect = self.connect.layer_in(passing.of_agent());
        let has_logins = self.has_logins && login::is_offered(&asked);
        let connect = if has_logins { connect.terminal_logins() } else { connect };
        let served = inner::Served::new(&asked, self.files, self.terminals);
        let is_served = served.is_any();
        let agent = match inner::connect(connect, &shared, &asked, served).await {
            Ok(agent) => agent,
            Err(error) => {
                let _ = Serve::new(outer::refusing(&error)).until(stop).over(client).await;
                return Err(BridgeError::Connect(error));
            }
        };
        passing.begin(&agent, &asked, is_served);
        let on_fault = shared.on_fault.clone();
        let outer = outer::agent(&agent, &asked, Arc::clone(&shared), has_logins);
        let options = Options::default().layer_in(passing.of_client());
        let ended = agent.clone();
        let stop = async move {
            tokio::select! {
                () = stop => {}
                _ = ended.wait() => {}
            }
        };
        let serve = Serve::new(outer).options(options).until(stop);
        let serve = match on_fault {
            Some(on_fault) => serve.on_fault(move |fault| on_fault(fault)),
            None => serve,
        };
        let result = serve.over(client).await;
        finish(&agent, result).await
    }
}

/// Ends the agent, unless it has ended by itself, which is then the reason for the end of the
/// bridge.
async fn finish(agent: &Agent, result: acp_agent::Result<()>) -> Result<(), BridgeError> {
    if agent.peer().is_closed() {
        let reason = agent.wait().await;
        return Err(BridgeError::Ended { reason, stderr: agent.stderr_tail() });
    }
    agent.close().await;
    served(result)
}

fn served(result: acp_agent::Result<()>) -> Result<(), BridgeError> {
    result.map_err(BridgeError::Serve)
}

impl fmt::Debug for Bridge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bridge").field("connect", &self.connect).finish_non_exhaustive()
    }
}
