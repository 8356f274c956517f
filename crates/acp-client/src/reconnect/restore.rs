//! Takes sessions up again at an agent that has been restarted.

use std::sync::Arc;
use std::time::Duration;

use acp_types::method::Method;
use acp_types::v1::methods::SessionLoad;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::entries::Entry;
use crate::agent::session::open::{LoadSession, ResumeSession};
use crate::{Agent, Error, Reason, Session};

/// Takes up all of them at once, as far as the agent can and its time lasts.
pub(super) async fn all(agent: &Agent, entries: Vec<Arc<Entry>>, limit: Duration) {
    for entry in &entries {
        entry.set(Err(format!("the agent has not taken it up within {limit:?}").into()));
    }
    let mut restoring = JoinSet::new();
    for entry in entries {
        let agent = agent.clone();
        restoring.spawn(async move {
            let restored = one(agent, &entry).await;
            entry.set(restored.map_err(|error| Reason::from(&error)));
        });
    }
    // Those that are not done in time are dropped, which takes their requests back.
    let _ = timeout(limit, async { while restoring.join_next().await.is_some() {} }).await;
}

/// Without its conversation if the agent can do that, else with it: it has been shown before, so
/// nobody reads it.
async fn one(agent: Agent, entry: &Entry) -> Result<Session, Error> {
    let capabilities = agent.capabilities();
    let resumes = capabilities.session_capabilities.resume.is_some();
    let loads = capabilities.load_session;
    if resumes {
        let resumed = ResumeSession::at(agent.clone(), entry.id.clone(), entry.place.clone()).await;
        match resumed {
            // Some agents announce it and do not know the method.
            Err(Error::Agent { .. }) if loads => {}
            resumed => {
                // Some repeat the conversation here, too.
                return resumed.inspect(|session| session.state().inbox.drop_aside());
            }
        }
    }
    if loads {
        return LoadSession::at(agent, entry.id.clone(), entry.place.clone()).replay().await?.finish().await;
    }
    let capability = "sessionCapabilities.resume` or `loadSession";
    Err(Error::NotOffered { method: SessionLoad::NAME, capability })
}
