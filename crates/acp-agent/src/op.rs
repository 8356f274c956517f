//! Operations: one marker type for each.

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
