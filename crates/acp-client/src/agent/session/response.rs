//! The response at the end of a turn.

use std::ops::Deref;

use acp_types::v1::{PromptResponse, StopReason};

use crate::event::BackgroundWork;
use crate::wire::end::End;

/// The agent's response at the end of a turn. It gives all of a
/// [`PromptResponse`](crate::v1::PromptResponse).
///
/// In version 2 of the protocol it is the state in which the turn has left the session.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnResponse {
    response: PromptResponse,
    has_reason: bool,
    background: Option<Vec<BackgroundWork>>,
}

impl TurnResponse {
    pub(crate) fn new(end: End) -> Self {
        let End { response, has_reason, background, .. } = end;
        Self { response, has_reason, background }
    }

    /// Returns the reason why the turn has ended. An agent of version 2 need not report one: then
    /// it is `None`, and the member `stop_reason` is [`Unknown`](StopReason::Unknown).
    #[must_use]
    pub fn stop_reason(&self) -> Option<&StopReason> {
        self.has_reason.then_some(&self.response.stop_reason)
    }

    /// Returns the work that goes on although the turn is over. `None` if the agent does not report
    /// it; agents of version 1 cannot.
    #[must_use]
    pub fn background(&self) -> Option<&[BackgroundWork]> {
        self.background.as_deref()
    }

    /// Converts to the response as version 1 of the protocol has it.
    #[must_use]
    pub fn into_response(self) -> PromptResponse {
        self.response
    }
}

impl Deref for TurnResponse {
    type Target = PromptResponse;

    fn deref(&self) -> &PromptResponse {
        &self.response
    }
}
