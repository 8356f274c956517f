//! Answers questions with what they suggest.

use acp_mcp::{ElicitMode, ElicitRequest, Elicitation, ElicitationModes};
use acp_types::v1::{ElicitationAcceptAction, ElicitationAction, ElicitationContentValue};
use futures_util::future::{BoxFuture, FutureExt as _, ready};
use serde_json::Value;

/// A user who changes nothing in a form and sends it off; without a default, "yes".
pub struct Defaults;

impl Elicitation for Defaults {
    fn modes(&self) -> ElicitationModes {
        ElicitationModes::new(true, true)
    }

    fn elicit(&self, request: ElicitRequest) -> BoxFuture<'_, ElicitationAction> {
        ready(answer(&request.mode).unwrap_or(ElicitationAction::Cancel)).boxed()
    }
}

fn answer(mode: &ElicitMode) -> Option<ElicitationAction> {
    let accepted = ElicitationAcceptAction::new();
    let ElicitMode::Form(schema) = mode else { return Some(ElicitationAction::Accept(accepted)) };
    let schema = serde_json::to_value(schema).ok()?;
    let fields = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    let values = fields.filter_map(|(name, field)| {
        let value = field.get("default").cloned();
        let is_choice = field.get("type").and_then(Value::as_str) == Some("boolean");
        Some((name.clone(), value.or_else(|| is_choice.then_some(Value::Bool(true)))?))
    });
    let content = Value::Object(values.collect());
    let content: acp_json::Map<ElicitationContentValue> = acp_json::from_str(&content.to_string()).ok()?;
    Some(ElicitationAction::Accept(accepted.content(content)))
}
