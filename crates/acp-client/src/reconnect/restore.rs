//! Sessions that are taken up again after a restart.

use std::sync::Arc;
use std::time::Duration;

use acp_types::v1::LoadSessionRequest;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::entries::{Entry, Missing};
use crate::agent::session::open::{LoadSession, ResumeSession};
use crate::{Agent, Error, Session};

/// The wait between two attempts to take up a session that is open elsewhere. It doubles each time.
const FIRST_WAIT: Duration = Duration::from_millis(100);
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// Takes up all sessions at once, within the time limit and as far as the agent can.
pub(super) async fn all(agent: &Agent, entries: Vec<Arc<Entry>>, limit: Duration) {
    for entry in &entries {
        entry.set(Err(Missing::late(limit)));
    }
    let mut restoring = JoinSet::new();
    for entry in entries {
        let agent = agent.clone();
        restoring.spawn(async move {
            let _restoring = entry.restoring.lock().await;
            entry.set(one(agent, &entry).await.map_err(Missing::from));
        });
    }
    // Requests that are not done in time are dropped, which withdraws them.
    let _ = timeout(limit, async { while restoring.join_next().await.is_some() {} }).await;
}

/// Takes up a session that was open elsewhere, in several attempts within the time limit. A server
/// needs some time to notice that a connection is lost.
pub(super) async fn again(agent: &Agent, entry: &Entry, limit: Duration) {
    let attempts = async {
        let mut wait = FIRST_WAIT;
        loop {
            let restoring = entry.restoring.lock().await;
            if !entry.may_come() || agent.peer().is_closed() {
                return;
            }
            let restored = one(agent.clone(), entry).await;
            // If it has ended, the next one takes the session up.
            if !agent.peer().is_closed() {
                entry.set(restored.map_err(Missing::from));
            }
            if !entry.may_come() {
                return;
            }
            drop(restoring);
            sleep(wait).await;
            wait = wait.saturating_mul(2).min(LONGEST_WAIT);
        }
    };
    let _ = timeout(limit, attempts).await;
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
            // Some agents advertise it and do not know the method. A session that is open elsewhere
            // cannot be loaded either.
            Err(error @ Error::Agent { .. }) if loads && error.store_problem().is_none() => {}
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
