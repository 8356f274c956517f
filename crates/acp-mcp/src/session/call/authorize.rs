//! Requests and connections that are tried again after an authorization.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;

use crate::error::McpError;
use crate::http::oauth::{Authorization, Renewal, Wanted};
use crate::session::state::entry::Entry;
use crate::values::timeouts::Timeouts;

/// The number of times that credentials are renewed for one request.
const MOST_RENEWALS: usize = 3;

/// The attempts at one request, or at one connection.
pub(in crate::session) struct Attempts<'a> {
    entry: &'a Entry,
    authorization: Option<&'a Arc<Authorization>>,
    /// The number of the credentials that the current attempt began with.
    seen: u64,
    renewals: usize,
    /// True when the user has granted an authorization.
    is_granted: bool,
    /// The time that others wait for authorization servers.
    patience: Duration,
}

impl<'a> Attempts<'a> {
    pub(in crate::session) fn new(entry: &'a Entry, timeouts: &Timeouts) -> Self {
        let authorization = entry.authorization.get();
        let seen = authorization.map(|authorization| authorization.number()).unwrap_or_default();
        Self { entry, authorization, seen, renewals: 0, is_granted: false, patience: timeouts.connect }
    }

    /// Tells whether there can be more than one attempt.
    pub(in crate::session) const fn may_be_more(&self) -> bool {
        self.authorization.is_some()
    }

    /// Fetches the token in advance, so that this does not count as time of the server.
    pub(in crate::session) async fn get_ready(&self) {
        if let Some(authorization) = self.authorization {
            authorization.token().await;
        }
    }

    /// Renews the credentials. Others stop waiting for this server once the user is asked, or once
    /// the authorization servers take longer than a server may.
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

    /// Handles a failed attempt: `Ok` when another one makes sense. Waits for the user if
    /// necessary.
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
