//! The operations: one marker type for each.

#[doc(inline)]
pub use acp_types::op::{Extension, Notification, Op, assert_own};

/// A request of the client's own, named by a marker. `#[on]` takes it:
///
/// ```
/// use acp_client::types::{PlanEntry, UsageUpdate};
/// use acp_client::{Result, client};
///
/// enum CountEntries {}
///
/// impl acp_client::method::Method for CountEntries {
///     const NAME: &'static str = "_acme.dev/count";
///     const HANDLER: acp_client::method::Side = acp_client::method::Side::Client;
///     type Params = PlanEntry;
/// }
///
/// impl acp_client::method::Request for CountEntries {
///     type Response = UsageUpdate;
/// }
///
/// struct Counter;
///
/// #[client]
/// impl Counter {
///     #[on(CountEntries)]
///     async fn count(&self, entry: PlanEntry) -> Result<UsageUpdate> {
///         Ok(UsageUpdate::new(entry.content.len() as u64, 100_u64))
///     }
/// }
/// ```
#[doc(inline)]
pub use acp_types::op::Request;

pub use crate::generated::op::*;
