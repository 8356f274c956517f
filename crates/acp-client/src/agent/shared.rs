//! The state that the handles of a connection share with its reader.

use std::sync::Arc;

use acp_rpc::CloseReason;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::agent::faults::Faults;
use crate::sessions::roots::Roots;
use crate::sessions::session_state::SessionState;
use crate::sessions::table::Sessions;
use crate::wire::Wire;
use crate::wire::choice::Choice;
use crate::wire::loss::{Losses, Reports};

/// The state that the handles of a connection share with its reader.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    wire: Choice,
    pub(crate) sessions: Arc<Sessions>,
    /// Whoever has work to finish before the connection is reported as over holds a receiver of
    /// this.
    pub(crate) guests: watch::Sender<()>,
    /// Fires when the connection is over. Handlers of notifications use it, because a notification
    /// cannot be withdrawn.
    pub(crate) over: CancellationToken,
    pub(crate) faults: Faults,
    /// The losses that were reported of no session.
    reports: Reports,
    /// True if a handler works in the directories of sessions.
    needs_roots: bool,
}

impl Shared {
    pub(crate) fn new(needs_roots: bool) -> Self {
        Self { needs_roots, ..Self::default() }
    }

    /// Returns the version that the connection speaks.
    pub(crate) fn wire(&self) -> Wire {
        self.wire.wire()
    }

    /// Returns true if the states of turns are events although the agent cannot report them.
    pub(crate) fn shows_states(&self) -> bool {
        self.wire.shows_states()
    }

    /// Adds the losses of a session to the faults, or those of the connection.
    pub(crate) fn report(&self, losses: Losses, session: Option<&SessionState>) {
        let reports = session.map_or(&self.reports, |session| &session.reports);
        let reports = reports.of(losses, session.map(SessionState::id));
        reports.into_iter().for_each(|report| self.faults.note(report));
    }

    /// Settles on a version, among those that are spoken, before
    /// anything of a session is sent.
    pub(crate) fn settle(&self, wire: Wire, spoken: &[Wire]) {
        self.wire.settle(wire, spoken);
    }

    /// Opens the directories of a session. Call it before the agent learns of the session.
    pub(crate) async fn roots(&self, cwd: &str, directories: &[String]) -> Arc<Roots> {
        Arc::new(if self.needs_roots { Roots::open(cwd, directories).await } else { Roots::unopened(cwd) })
    }

    /// Ends all sessions, because the connection is over.
    pub(crate) fn end(&self, reason: &CloseReason) {
        self.sessions.close(reason);
        self.over.cancel();
    }
}
