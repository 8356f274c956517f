//! Plans beside the first one of a session.

use acp_types::UnknownVariant;
use acp_types::v1::Plan;

/// The content of a plan: see [`Event::NamedPlan`](crate::Event::NamedPlan).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PlanContent {
    /// Steps.
    Items(Plan),
    /// Content of a kind that is not known here, with all its members but the id.
    Unknown(UnknownVariant),
}
