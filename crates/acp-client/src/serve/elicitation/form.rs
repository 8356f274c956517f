//! The checks of a form's values.

use std::fmt;

use acp_types::Map;
use acp_types::v1::{
    ElicitationContentValue, ElicitationPropertySchema, EnumOption, MultiSelectItems,
    MultiSelectPropertySchema, StringPropertySchema,
};

use crate::serve::elicitation::question::FormElicitation;

/// A value that a form does not allow.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FormError {
    /// The name of the field.
    pub field: String,
    /// The problem with its value, in words for the user.
    pub problem: &'static str,
}

impl fmt::Display for FormError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}", self.field, self.problem)
    }
}

impl std::error::Error for FormError {}

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
    /// must have values. Each value must be of the kind of its field, within its bounds and among
    /// its choices, and fields that are not in the form must not have values. `pattern` and
    /// `format` are not checked.
    ///
    /// # Errors
    /// The first value that the form does not allow.
    pub fn check(&self, values: &Map<ElicitationContentValue>) -> Result<(), FormError> {
        let wrong = |field: &str, problem| FormError { field: field.to_owned(), problem };
        for name in self.schema.required.iter().flatten() {
            if !values.contains(name) {
                return Err(wrong(name, "has to be filled in"));
            }
        }
        for (name, value) in values.iter() {
            let field = self.schema.properties.get(name);
            let field = field.ok_or_else(|| wrong(name, "is not a field of the form"))?;
            if let Some(problem) = problem_of(value, field) {
                return Err(wrong(name, problem));
            }
        }
        Ok(())
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

fn problem_of(value: &ElicitationContentValue, field: &ElicitationPropertySchema) -> Option<&'static str> {
    use {ElicitationContentValue as Value, ElicitationPropertySchema as Field};
    match (field, value) {
        (Field::String(field), Value::String(text)) => problem_of_text(text, field),
        (Field::Number(field), Value::Number(number)) => outside(*number, field.minimum, field.maximum),
        #[allow(clippy::cast_precision_loss, reason = "a JSON number has no more precision to give")]
        (Field::Number(field), Value::Integer(number)) => {
            outside(*number as f64, field.minimum, field.maximum)
        }
        (Field::Integer(field), Value::Integer(number)) => outside(*number, field.minimum, field.maximum),
        (Field::Array(field), Value::Strings(choices)) => problem_of_choices(choices, field),
        (Field::Boolean(_), Value::Boolean(_)) => None,
        (Field::String(_), _) => Some("has to be a text"),
        (Field::Number(_), _) => Some("has to be a number"),
        (Field::Integer(_), _) => Some("has to be a whole number"),
        (Field::Boolean(_), _) => Some("has to be on or off"),
        (Field::Array(_), _) => Some("has to be a list of choices"),
        // The rules of other kinds of fields are not known here.
        _ => None,
    }
}

fn problem_of_text(text: &str, field: &StringPropertySchema) -> Option<&'static str> {
    let length = text.chars().count() as u64;
    if outside(length, field.min_length.map(u64::from), field.max_length.map(u64::from)).is_some() {
        return Some("is shorter or longer than the form allows");
    }
    let is_listed = field.values.as_ref().is_none_or(|values| values.iter().any(|value| value == text));
    let is_titled = field.one_of.as_ref().is_none_or(|options| has_option(options, text));
    (!is_listed || !is_titled).then_some("is not one of the choices")
}

fn problem_of_choices(choices: &[String], field: &MultiSelectPropertySchema) -> Option<&'static str> {
    if outside(choices.len() as u64, field.min_items, field.max_items).is_some() {
        return Some("has fewer or more choices than the form allows");
    }
    let is_offered = |choice: &String| match &field.items {
        MultiSelectItems::String(items) => items.values.contains(choice),
        MultiSelectItems::Titled(items) => has_option(&items.any_of, choice),
        _ => true,
    };
    (!choices.iter().all(is_offered)).then_some("has a choice that is not offered")
}

fn has_option(options: &[EnumOption], value: &str) -> bool {
    options.iter().any(|option| option.value == value)
}

fn outside<T: Copy + PartialOrd>(value: T, least: Option<T>, most: Option<T>) -> Option<&'static str> {
    let is_outside = least.is_some_and(|least| value < least) || most.is_some_and(|most| value > most);
    is_outside.then_some("is outside of the form's bounds")
}
