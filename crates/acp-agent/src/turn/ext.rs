//! Extension methods of the client, called in a turn.

use serde_core::Serialize;
use serde_core::de::DeserializeOwned;

use crate::error::Result;
use crate::turn::Turn;

/// Extension methods of the client.
impl Turn {
    /// Calls an extension method of the client, whose name starts with `_`. The turn's cancellation
    /// cancels the call.
    ///
    /// ```
    /// # use acp_agent::{Result, Turn};
    /// # async fn selection(turn: Turn) -> Result<()> {
    /// let selected: String = turn.ext_request("_editor/selection", &()).await?;
    /// # turn.say(selected).await }
    /// ```
    ///
    /// # Errors
    /// The errors of [`Client::ext_request`](crate::Client::ext_request);
    /// [`Error::Cancelled`](crate::Error::Cancelled) and
    /// [`Error::TurnOver`](crate::Error::TurnOver) with the turn.
    pub async fn ext_request<R: DeserializeOwned>(
        &self,
        method: &str,
        params: &(impl Serialize + Sync + ?Sized),
    ) -> Result<R> {
        let answer = self.heeding(self.client().ext_request(method, params)).await;
        answer.map_err(|error| self.failed(error))
    }

    /// Sends an extension notification, whose name starts with `_`, among the turn's updates.
    ///
    /// # Errors
    /// The errors of [`Client::ext_notify`](crate::Client::ext_notify);
    /// [`Error::Cancelled`](crate::Error::Cancelled) and
    /// [`Error::TurnOver`](crate::Error::TurnOver) with the turn.
    pub async fn ext_notify(&self, method: &str, params: &(impl Serialize + Sync + ?Sized)) -> Result<()> {
        let sent = self.heeding(self.client().ext_notify(method, params)).await;
        sent.map_err(|error| self.failed(error))
    }
}
