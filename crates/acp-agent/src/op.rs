//! Operations: one marker type for each.

use acp_types::Meta;
use acp_types::v1::{InitializeRequest, InitializeResponse};

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

/// The operation `initialize`, which the library answers. Its handler is the hook `auth_methods`.
#[derive(Debug)]
pub enum Initialize {}

impl Op for Initialize {
    const NAME: &'static str = "auth_methods";
    const METHOD: &'static str = "initialize";
    type Params = InitializeRequest;
    type Response = InitializeResponse;

    fn meta(params: &Self::Params) -> Option<&Meta> {
        params.meta.as_ref()
    }
}
