//! What is done when a server wants an authorization.

use std::sync::Arc;

use super::entry::Entry;
use crate::error::McpError;
use crate::http::oauth::{Authorization, Renewal, Wanted};

/// How often credentials are renewed for one request, at most.
const MOST_RENEWALS: usize = 3;

/// The attempts at one request, or at one connection.
pub(super) struct Attempts<'a> {
    entry: &'a Entry,
    authorization: Option<&'a Arc<Authorization>>,
    /// The number of the credentials that the present attempt began with.
    seen: u64,
    renewals: usize,
    /// The user was asked.
    is_granted: bool,
}

impl<'a> Attempts<'a> {
    pub(super) fn new(entry: &'a Entry) -> Self {
        let authorization = entry.authorization.get();
        let seen = authorization.map(|authorization| authorization.number()).unwrap_or_default();
        Self { entry, authorization, seen, renewals: 0, is_granted: false }
    }

    /// Whether there can be more than one.
    pub(super) const fn may_be_more(&self) -> bool {
        self.authorization.is_some()
    }

    /// Has the token ready, which may have to be fetched: that is not to count as the time of a server.
    pub(super) async fn get_ready(&self) {
        if let Some(authorization) = self.authorization {
            authorization.token().await;
        }
    }

    /// After an attempt has failed: `Ok` when another one makes sense. Waits for the user if it must.
    pub(super) async fn after(&mut self, error: McpError) -> Result<(), McpError> {
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
        let waiting = self.entry.waits_for_user();
        let renewal = authorization.renew(wanted).await?;
        drop(waiting);
        self.renewals += 1;
        self.is_granted |= renewal == Renewal::Granted;
        self.seen = authorization.number();
        Ok(())
    }
}
