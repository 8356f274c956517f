//! The values of a form: those that it starts with, and the check of those that are sent.

use acp_types::Map;
use acp_types::v1::ext::FormError;
use acp_types::v1::{ElicitationContentValue, ElicitationPropertySchema};

use crate::serve::elicitation::question::FormElicitation;

impl FormElicitation {
    /// Returns the values that [the form starts
    /// with](https://github.com/acp-rs/acp/blob/main/docs/rules/v1.md#v1-eli-08).
    #[must_use]
    pub fn defaults(&self) -> Map<ElicitationContentValue> {
        let mut values = Map::default();
        for (name, field) in self.schema.properties.iter() {
            if let Some(value) = default_of(field) {
                values.insert(name, value);
            }
        }
        values
    }

    /// Checks values [against the
    /// form](https://github.com/acp-rs/acp/blob/main/docs/rules/v1.md#v1-eli-07). Required fields
    /// must have values. Each value must be of the kind of its field, within its bounds, of its
    /// `format` and among its choices, and fields that are not in the form must not have values.
    /// `pattern` is not checked.
    ///
    /// # Errors
    /// The first value that the form does not allow.
    pub fn check(&self, values: &Map<ElicitationContentValue>) -> Result<(), FormError> {
        self.schema.check(values.clone()).map(drop)
    }
}

fn default_of(field: &ElicitationPropertySchema) -> Option<ElicitationContentValue> {
    use {ElicitationContentValue as Value, ElicitationPropertySchema as Field};
    match field {
        Field::String(field) => field.default_value.clone().map(Value::String),
        Field::Number(field) => field.default_value.map(Value::Number),
        Field::Integer(field) => field.default_value.map(Value::Integer),
        Field::Boolean(field) => field.default_value.map(Value::Boolean),
        Field::Array(field) => field.default_value.clone().map(Value::Strings),
        _ => None,
    }
}
