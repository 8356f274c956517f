//! Sessions on their way to being closed or deleted.

use std::fmt;
use std::sync::Arc;

use acp_rpc::Error as RpcError;
use acp_types::v1::SessionId;

use crate::error::{Error, Result};
use crate::session::Session;
use crate::session::table::{Claim, Sessions};
use crate::wire::Wire;

/// A session that is being closed or deleted.
pub struct ClosingSession<S> {
    pub(crate) id: SessionId,
    pub(crate) session: Option<Session<S>>,
    /// Set if the session is unknown, and this version accepts that.
    is_unknown: bool,
    _claim: Option<Claim<S>>,
}

impl<S> ClosingSession<S> {
    /// Cancels the session's turns. From here on only their ends leave.
    pub(crate) fn new(id: &SessionId, session: Option<Session<S>>, claim: Option<Claim<S>>) -> Self {
        if let Some(Session { entry }) = &session {
            entry.turns.cancel();
            entry.updates.close();
        }
        ClosingSession { id: id.clone(), session, is_unknown: false, _claim: claim }
    }

    /// Closes a session that is not open, if this version accepts that (rule `v2-close-05`).
    pub(crate) fn unknown(id: &SessionId, wire: &Wire) -> Option<Self> {
        let closing = ClosingSession { id: id.clone(), session: None, is_unknown: true, _claim: None };
        wire.closes_unknown_sessions().then_some(closing)
    }

    /// Refuses to call the handler for a session that does not exist.
    pub(crate) fn check_known(&self) -> Result<()> {
        if self.is_unknown { Err(Error::unknown_session(&self.id)) } else { Ok(()) }
    }

    /// Removes the session from the table, if it is open.
    pub(crate) fn take(sessions: &Arc<Sessions<S>>, id: &SessionId) -> Result<Self, RpcError> {
        let (session, claim) = sessions.take(id)?;
        Ok(ClosingSession::new(id, session, claim))
    }

    /// Waits until the turns have been answered.
    pub(crate) async fn turns_answered(&self) {
        let answered = self.session.as_ref().map(|session| session.entry.turns.answered());
        for turn in answered.unwrap_or_default() {
            turn.cancelled().await;
        }
    }

    /// Ends the session's MCP servers, and closes its recording. The session is then durable, and
    /// others can open it.
    pub(crate) async fn release(&self) -> Result<()> {
        let Some(Session { entry }) = &self.session else { return Ok(()) };
        let ending = async {
            if let Some(mcp) = &entry.mcp {
                mcp.end().await;
            }
        };
        let closing = async {
            match entry.updates.recorder() {
                Some(recorder) => recorder.close().await,
                None => Ok(()),
            }
        };
        tokio::join!(ending, closing).1
    }
}

/// Ends the session's MCP servers. After [`release`](Self::release) there are none.
impl<S> Drop for ClosingSession<S> {
    fn drop(&mut self) {
        if let Some(mcp) = self.session.as_ref().and_then(|session| session.entry.mcp.as_ref()) {
            mcp.end_soon();
        }
    }
}

impl<S> fmt::Debug for ClosingSession<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClosingSession").field("session", &self.session).finish_non_exhaustive()
    }
}
