//! Operations: one marker type for each.

use acp_types::Meta;
use acp_types::v1::{PromptRequest, PromptResponse};

#[doc(inline)]
pub use acp_types::op::{Extension, Notification, Op, assert_own};

/// A request of the agent's own, by its marker. `#[on]` takes it:
///
/// ```
/// use acp_agent::types::{PlanEntry, UsageUpdate};
/// use acp_agent::{Result, StopReason, agent};
///
/// enum CountEntries {}
///
/// impl acp_agent::method::Method for CountEntries {
///     const NAME: &'static str = "_acme.dev/count";
///     const HANDLER: acp_agent::method::Side = acp_agent::method::Side::Agent;
///     type Params = PlanEntry;
/// }
///
/// impl acp_agent::method::Request for CountEntries {
///     type Response = UsageUpdate;
/// }
///
/// struct Counter;
///
/// #[agent]
/// impl Counter {
///     async fn prompt(&self) -> Result<StopReason> {
///         Ok(StopReason::EndTurn)
///     }
///
///     #[on(CountEntries)]
///     async fn count(&self, entry: PlanEntry) -> Result<UsageUpdate> {
///         Ok(UsageUpdate::new(entry.content.len() as u64, 100_u64))
///     }
/// }
/// ```
#[doc(inline)]
pub use acp_types::op::Request;

pub use crate::generated::op::*;

/// A prompt that calls a slash command which has a handler.
///
/// `#[command]` and [`Router::command`](crate::Router::command) register its handlers, one for each
/// name. It is a part of [`Prompt`]: a command is called by a prompt whose text begins with `/` and
/// the name, and has the same params and answers.
#[derive(Debug)]
pub enum Command {}

impl Op for Command {
    const NAME: &'static str = "command";
    const METHOD: &'static str = Prompt::METHOD;
    type Params = PromptRequest;
    type Response = PromptResponse;

    fn meta(params: &PromptRequest) -> Option<&Meta> {
        Prompt::meta(params)
    }
}
