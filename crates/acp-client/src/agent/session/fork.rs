//! Sessions that begin with the conversation of another one.

use std::path::Path;
use std::sync::Arc;

use acp_types::v1::{ForkSessionRequest, SessionId};

use crate::agent::session::open::opens_a_session;
use crate::agent::session::place::Place;
use crate::{Agent, Error, Session};

/// A session about to be made out of another one with `session/fork`. Await it.
///
/// ```no_run
/// # async fn fork(session: acp_client::Session) -> Result<(), acp_client::Error> {
/// let other = session.fork("/home/me/project").await?;
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
#[must_use = "nothing is sent until this is awaited"]
pub struct ForkSession {
    agent: Agent,
    id: SessionId,
    place: Place,
}

opens_a_session!(ForkSession);

impl ForkSession {
    async fn open(self) -> Result<Session, Error> {
        let method = self.agent.method::<ForkSessionRequest>();
        let offered = self.agent.capabilities().session_capabilities.fork.is_some();
        self.agent.check_offered(offered, method, "sessionCapabilities.fork")?;
        let place = self.place.check(&self.agent, method)?;
        let request = ForkSessionRequest::new(self.id.clone(), place.cwd)
            .mcp_servers(place.mcp_servers)
            .additional_directories(place.directories);
        let request = match place.system_prompt {
            Some(prompt) => request.system_prompt(prompt),
            None => request,
        };
        let shared = self.agent.shared();
        let roots = shared.roots(&request.cwd, &request.additional_directories).await;
        let opening = shared.sessions.opening(Arc::clone(&roots));
        let (id, opened) = self.agent.wire().open_new(self.agent.peer(), Some(&self.id), &request).await?;
        let state = shared.sessions.take_up(&id, roots);
        drop(opening);
        Ok(Session::new(self.agent, state, opened))
    }
}

impl Session {
    /// Makes another session that starts with this one's conversation (`session/fork`) and works in
    /// `cwd`, an absolute path. Needs `sessionCapabilities.fork`.
    pub fn fork(&self, cwd: impl AsRef<Path>) -> ForkSession {
        self.agent().fork_session(self.id().clone(), cwd)
    }
}

impl Agent {
    /// Makes a session that starts with the conversation of another one (`session/fork`) and works
    /// in `cwd`, an absolute path. Needs `sessionCapabilities.fork`.
    pub fn fork_session(&self, id: impl Into<SessionId>, cwd: impl AsRef<Path>) -> ForkSession {
        ForkSession { agent: self.clone(), id: id.into(), place: Place::new(cwd.as_ref()) }
    }
}
