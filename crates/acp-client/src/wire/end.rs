//! The end of a turn.

use acp_rpc::CallError;
use acp_types::v1::PromptResponse;

use crate::event::BackgroundWork;
use crate::wire::moment::Read;

/// The end of a turn, with its position among the updates.
pub(crate) type Ended = Result<Read<End>, CallError>;

/// The agent's report at the end of a turn.
#[derive(Debug)]
pub(crate) struct End {
    /// The response in the form of version 1.
    pub(crate) response: PromptResponse,
    /// True if the agent has reported why it ended.
    pub(crate) has_reason: bool,
    pub(crate) background: Option<Vec<BackgroundWork>>,
    /// True if the agent never reported that it works: the end may be that of earlier work.
    pub(crate) is_doubtful: bool,
}

impl End {
    pub(crate) const fn of(response: PromptResponse) -> Self {
        Self { response, has_reason: true, background: None, is_doubtful: false }
    }
}
