//! Sessions that are taken up again after a restart.

use std::sync::Arc;
use std::time::Duration;

use acp_types::v1::LoadSessionRequest;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::entries::Entry;
use crate::agent::session::open::{LoadSession, ResumeSession};
use crate::{Agent, Error, Reason, Session};

/// Takes up all sessions at once, within the time limit and as far as the agent can.
pub(super) async fn all(agent: &Agent, entries: Vec<Arc<Entry>>, limit: Duration) {
    for entry in &entries {
        entry.set(Err(format!("the agent has not opened it again within {limit:?}").into()));
    }
    let mut restoring = JoinSet::new();
    for entry in entries {
        let agent = agent.clone();
        restoring.spawn(async move {
            let restored = one(agent, &entry).await;
            entry.set(restored.map_err(|error| Reason::from(&error)));
        });
    }
    // Requests that are not done in time are dropped, which withdraws them.
    let _ = timeout(limit, async { while restoring.join_next().await.is_some() {} }).await;
}

/// Takes up a session without its conversation if the agent can do that, and with it otherwise. The
/// conversation was shown before, so nobody reads it.
async fn one(agent: Agent, entry: &Entry) -> Result<Session, Error> {
    let capabilities = agent.capabilities();
    let resumes = capabilities.session_capabilities.resume.is_some();
    let loads = capabilities.load_session;
    if resumes {
        let resumed = ResumeSession::at(agent.clone(), entry.id.clone(), entry.place.clone()).await;
        match resumed {
            // Some agents advertise it and do not know the method.
            Err(Error::Agent { .. }) if loads => {}
            resumed => {
                // Some agents repeat the conversation here, too.
                return resumed.inspect(|session| session.state().inbox.drop_aside());
            }
        }
    }
    if loads {
        return LoadSession::at(agent, entry.id.clone(), entry.place.clone()).replay().await?.finish().await;
    }
    let capability = "sessionCapabilities.resume` or `loadSession";
    Err(Error::NotOffered { method: agent.method::<LoadSessionRequest>(), capability })
}
