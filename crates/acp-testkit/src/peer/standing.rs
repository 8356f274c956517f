//! Answers that are given to requests of the other side without a step of the script.

use std::collections::BTreeMap;

use serde_json::Value;

/// Makes the result for the params of a request, or an error object.
type Answer = Box<dyn FnMut(&Value) -> Result<Value, Value> + Send>;

/// Answers by method.
#[derive(Default)]
pub(super) struct Standing(BTreeMap<String, Answer>);

impl Standing {
    pub(super) fn set(&mut self, method: &str, answer: Answer) {
        self.0.insert(method.to_owned(), answer);
    }

    /// Returns the answer to a request, if one stands for its method.
    pub(super) fn answer(&mut self, method: &str, params: &Value) -> Option<Result<Value, Value>> {
        self.0.get_mut(method).map(|answer| answer(params))
    }
}
