//! Sessions that the client opens: new ones, and those of an earlier time.

use std::path::Path;
use std::sync::{Arc, PoisonError};

use acp_agent::types::McpServer;
use acp_agent::{Elicitation, LoadSession, NewSession, Opened, Opening, OpensSession, Result, ResumeSession};
use acp_client::{Agent, Session};

use super::error::of_agent;
use super::folded::{Folded, Versions};
use super::loss;
use super::session::{Bridged, State};
use super::shared::Shared;
use super::update;

/// The parts of a bridge that open sessions.
#[derive(Debug)]
pub(super) struct Door {
    pub(super) agent: Agent,
    pub(super) shared: Arc<Shared>,
    /// Set if the client gets the logins that run in a terminal.
    pub(super) has_logins: bool,
}

/// Adds the directories and MCP servers of the client's request to that of the agent.
macro_rules! place {
    ($request:expr, $open:expr) => {{
        let request = directories($open).iter().fold($request, |request, folder| request.directory(folder));
        $open
            .mcp_servers()
            .iter()
            .cloned()
            .fold(request, |request, server: McpServer| request.mcp_server(server))
    }};
}

fn directories<O: OpensSession>(open: &Opening<O>) -> Vec<&Path> {
    open.roots().skip(1).collect()
}

impl Door {
    /// Opens a new session. If the session is one that the library keeps for the client, the agent
    /// has it open already.
    pub(super) async fn new_session(&self, open: NewSession, user: Elicitation) -> Result<Opened<State>> {
        if !open.is_new() {
            let known = self.shared.session(open.session_id());
            let known =
                known.ok_or_else(|| acp_agent::Error::not_found("the agent has ended this session"))?;
            return Ok(self.opened(&open, known.inner.clone(), Folded::default()));
        }
        let _asks = self.shared.asks_with(user);
        let inner = place!(self.agent.new_session(open.cwd()), &open).await.map_err(of_agent)?;
        let id = inner.id().clone();
        Ok(self.opened(&open, inner, Folded::default()).session_id(id))
    }

    /// Opens a session again, and passes its conversation on.
    pub(super) async fn load_session(&self, open: LoadSession, user: Elicitation) -> Result<Opened<State>> {
        let _asks = self.shared.asks_with(user);
        let load = place!(self.agent.load_session(open.session_id().clone(), open.cwd()), &open);
        let mut replay = load.replay().await.map_err(of_agent)?;
        let client = open.client().protocol_version();
        let versions = Versions { agent: self.agent.protocol_version(), client };
        let mut folded = Folded::default();
        while let Some(event) = replay.next().await {
            // The settings come with the answer.
            for update in folded.updates(event, versions) {
                update::sent(open.update(update).await)?;
            }
        }
        let inner = replay.finish().await.map_err(of_agent)?;
        loss::report(folded.new_losses(), inner.id(), self.shared.on_fault.as_ref());
        Ok(self.opened(&open, inner, folded))
    }

    pub(super) async fn resume_session(
        &self,
        open: ResumeSession,
        user: Elicitation,
    ) -> Result<Opened<State>> {
        let _asks = self.shared.asks_with(user);
        let resume = place!(self.agent.resume_session(open.session_id().clone(), open.cwd()), &open);
        let inner = resume.await.map_err(of_agent)?;
        Ok(self.opened(&open, inner, Folded::default()))
    }

    /// Enters a session. From here on its events go to the client, also between turns.
    fn opened<O: OpensSession>(&self, open: &Opening<O>, inner: Session, folded: Folded) -> Opened<State> {
        let session = Arc::new(Bridged::new(inner, folded, self.shared.on_fault.clone()));
        self.shared.add(&session);
        let passing = Arc::clone(&session);
        open.after_response(async move |open: Opening<O>| pass_on(&passing, &open).await);
        let (modes, options) = {
            let settings = session.settings.lock().unwrap_or_else(PoisonError::into_inner);
            (settings.modes.clone(), settings.options.clone())
        };
        let mut opened = Opened::new(session);
        if let Some(modes) = modes {
            opened = opened.modes(modes);
        }
        if options.is_empty() { opened } else { opened.config_options(options) }
    }
}

/// Passes the events on that belong to no turn, until the session is closed.
async fn pass_on<O: OpensSession>(session: &Bridged, open: &Opening<O>) {
    let mut updates = session.inner.updates();
    while let Some(event) = updates.next().await {
        if update::send(session, event, open).await.is_err() {
            return;
        }
    }
}
