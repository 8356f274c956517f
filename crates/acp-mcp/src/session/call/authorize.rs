//! What is done when a server wants an authorization.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;

use crate::error::McpError;
use crate::http::oauth::{Authorization, Renewal, Wanted};
use crate::session::state::entry::Entry;
use crate::values::timeouts::Timeouts;

/// How often credentials are renewed for one request, at most.
const MOST_RENEWALS: usize = 3;

/// The attempts at one request, or at one connection.
pub(in crate::session) struct Attempts<'a> {
    entry: &'a Entry,
    authorization: Option<&'a Arc<Authorization>>,
    /// The number of the credentials that the present attempt began with.
    seen: u64,
    renewals: usize,
    /// The user was asked.
    is_granted: bool,
    /// How long others wait.
    patience: Duration,
}

impl<'a> Attempts<'a> {
    pub(in crate::session) fn new(entry: &'a Entry, timeouts: &Timeouts) -> Self {
        let authorization = entry.authorization.get();
        let seen = authorization.map(|authorization| authorization.number()).unwrap_or_default();
        Self { entry, authorization, seen, renewals: 0, is_granted: false, patience: timeouts.connect }
    }

    /// Whether there can be more than one.
    pub(in crate::session) const fn may_be_more(&self) -> bool {
        self.authorization.is_some()
    }

    /// Has the token ready, which may have to be fetched: that is not to count as the time of a server.
    pub(in crate::session) async fn get_ready(&self) {
        if let Some(authorization) = self.authorization {
            authorization.token().await;
        }
    }

    /// Nobody else waits for the user; nor for authorization servers, once that takes longer than a server may.
    async fn renewal(&self, authorization: &Arc<Authorization>, wanted: Wanted) -> Result<Renewal, McpError> {
        let mut renewal = pin!(authorization.renew(wanted));
        tokio::select! {
            renewal = &mut renewal => return Ok(renewal?),
            () = authorization.asks_user() => {}
            () = sleep(self.patience) => {}
        }
        let _waiting = self.entry.waits_for_user();
        Ok(renewal.await?)
    }

    /// After an attempt has failed: `Ok` when another one makes sense. Waits for the user if it must.
    pub(in crate::session) async fn after(&mut self, error: McpError) -> Result<(), McpError> {
        let (Some(authorization), McpError::AuthRequired { status, challenge }) =
            (self.authorization, &error)
        else {
            return Err(error);
        };
        if !authorization.helps(*status, challenge.as_deref()) {
            return Err(error);
        }
        if self.renewals == MOST_RENEWALS || (self.is_granted && *status == 401) {
            return Err(authorization.given_up(*status, challenge.as_deref()).into());
        }
        let wanted = Wanted {
            seen: self.seen,
            status: *status,
            challenge: challenge.clone(),
            is_first: self.renewals == 0,
        };
        let renewal = self.renewal(authorization, wanted).await?;
        self.renewals += 1;
        self.is_granted |= renewal == Renewal::Granted;
        self.seen = authorization.number();
        Ok(())
    }
}
