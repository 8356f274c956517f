//! Credentials that were accepted, and their end.

use std::time::Duration;

use acp_rpc::CancellationToken;
use tokio::time::Instant;

use super::principal::Principal;
use crate::server::clock::sleep_until;

/// Credentials that were accepted: who it is, and for how long that holds.
///
/// At the end of the credentials the streams that were opened with them end, and a WebSocket is
/// closed with code 1008. A connection over HTTP goes on with new credentials of its principal.
#[derive(Clone, Debug)]
pub struct Grant {
    pub(crate) principal: Principal,
    until: Option<Instant>,
    revoked: Option<CancellationToken>,
}

impl Grant {
    /// Creates a grant without an end.
    #[must_use]
    pub const fn new(principal: Principal) -> Self {
        Self { principal, until: None, revoked: None }
    }

    /// Lets the credentials end after this time, from now on. One that is too long for the clock
    /// has no end.
    #[must_use]
    pub fn valid_for(mut self, time: Duration) -> Self {
        self.until = Instant::now().checked_add(time);
        self
    }

    /// Lets the credentials end when the token is cancelled, such as at a logout.
    #[must_use]
    pub fn revoked_by(mut self, token: CancellationToken) -> Self {
        self.revoked = Some(token);
        self
    }

    /// Returns true if the credentials have ended.
    pub(crate) fn has_ended(&self) -> bool {
        self.until.is_some_and(|until| until <= Instant::now())
            || self.revoked.as_ref().is_some_and(CancellationToken::is_cancelled)
    }

    /// Returns the future of the end of the credentials, if there is one.
    pub(crate) fn end(&self) -> Option<impl Future<Output = ()> + Send + 'static> {
        if self.until.is_none() && self.revoked.is_none() {
            return None;
        }
        let Self { until, revoked, .. } = self.clone();
        Some(async move {
            tokio::select! {
                () = sleep_until(until) => {}
                () = async {
                    match revoked {
                        Some(token) => token.cancelled().await,
                        None => std::future::pending().await,
                    }
                } => {}
            }
        })
    }
}

impl From<Principal> for Grant {
    fn from(principal: Principal) -> Self {
        Self::new(principal)
    }
}
