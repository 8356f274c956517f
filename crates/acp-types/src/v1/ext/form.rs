//! The checks of a form's values, for the client that sends them and the agent that gets them.

use std::fmt;

use acp_json::Map;

use crate::v1::{
    ElicitationContentValue, ElicitationPropertySchema, ElicitationSchema, EnumOption, MultiSelectItems,
    MultiSelectPropertySchema, StringFormat, StringPropertySchema,
};

/// A value that a form does not allow. Both sides check values [before they are sent and after they
/// arrive](https://github.com/acp-rs/acp/blob/main/docs/rules/v1.md#v1-eli-07).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FormError {
    /// The name of the field.
    pub field: String,
    /// The problem with its value. As text it is for the user.
    pub problem: FormProblem,
}

/// A problem with the value of a field. `Display` continues a sentence that begins with the field.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FormProblem {
    /// A required field has no value.
    Missing,
    /// The form has no such field.
    NotAField,
    /// The value is not a text.
    NotText,
    /// The value is not a number.
    NotNumber,
    /// The value is not a whole number that fits 64 bits.
    NotInteger,
    /// The value is not a boolean.
    NotBoolean,
    /// The value is not a list of texts.
    NotChoices,
    /// The number is below the minimum or above the maximum.
    OutOfBounds,
    /// The text has too few or too many characters.
    Length,
    /// The text does not have the form that the field asks for.
    Format(StringFormat),
    /// The text is not one of the choices.
    NotAChoice,
    /// The list has too few or too many choices.
    ChoiceCount,
    /// The list has a choice that is not offered.
    NotOffered,
}

impl fmt::Display for FormProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Missing => "has to be filled in",
            Self::NotAField => "is not a field of the form",
            Self::NotText => "has to be a text",
            Self::NotNumber => "has to be a number",
            Self::NotInteger => "has to be a whole number",
            Self::NotBoolean => "has to be on or off",
            Self::NotChoices => "has to be a list of choices",
            Self::OutOfBounds => "is outside of the form's bounds",
            Self::Length => "is shorter or longer than the form allows",
            Self::Format(StringFormat::Email) => "has to be a mail address",
            Self::Format(StringFormat::Uri) => "has to be an address with a scheme, such as `https://…`",
            Self::Format(StringFormat::Date) => "has to be a date such as 2026-03-31",
            Self::Format(StringFormat::DateTime) => "has to be a time such as 2026-03-31T12:00:00Z",
            Self::Format(_) => "does not have the form that is asked for",
            Self::NotAChoice => "is not one of the choices",
            Self::ChoiceCount => "has fewer or more choices than the form allows",
            Self::NotOffered => "has a choice that is not offered",
        })
    }
}

impl fmt::Display for FormError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}", self.field, self.problem)
    }
}

impl std::error::Error for FormError {}

impl ElicitationSchema {
    /// Checks the values of a form, and returns them in the form that their fields ask for: the
    /// value of an integer field is an integer, even where `3.0` was written. JSON Schema counts
    /// every number without a fraction as an integer.
    ///
    /// Required fields must have values. Each value must be of the kind of its field, within its
    /// bounds, of its `format` and among its choices. Fields that are not in the form must not have
    /// values. Not checked are `pattern`, and fields of kinds that this version of the protocol
    /// does not know.
    ///
    /// # Errors
    /// The first value that the form does not allow.
    pub fn check(
        &self,
        values: Map<ElicitationContentValue>,
    ) -> Result<Map<ElicitationContentValue>, FormError> {
        let wrong = |field: &str, problem| FormError { field: field.to_owned(), problem };
        if let Some(name) = self.required.iter().flatten().find(|name| !values.contains(name)) {
            return Err(wrong(name, FormProblem::Missing));
        }
        let mut checked = Map::default();
        for (name, value) in values {
            let field = self.properties.get(&name).ok_or_else(|| wrong(&name, FormProblem::NotAField))?;
            let value = check_value(value, field).map_err(|problem| wrong(&name, problem))?;
            checked.insert(name, value);
        }
        Ok(checked)
    }

    /// Removes the values that the form did not ask for. Readers tolerate [members that they do not
    /// know](https://github.com/acp-rs/acp/blob/main/docs/rules/v1.md#v1-rpc-20).
    pub fn retain_fields(&self, values: &mut Map<ElicitationContentValue>) {
        let known = |(name, value)| Some((name, value)).filter(|(name, _): &(Box<str>, _)| self.has(name));
        *values = std::mem::take(values).into_iter().filter_map(known).collect();
    }

    fn has(&self, name: &str) -> bool {
        self.properties.contains(name)
    }
}

type Checked<T> = Result<T, FormProblem>;

fn check_value(
    value: ElicitationContentValue,
    field: &ElicitationPropertySchema,
) -> Checked<ElicitationContentValue> {
    use {ElicitationContentValue as Value, ElicitationPropertySchema as Field};
    match field {
        Field::String(field) => {
            let Value::String(text) = &value else { return Err(FormProblem::NotText) };
            check_text(text, field)?;
        }
        Field::Integer(field) => {
            let number = as_integer(&value).ok_or(FormProblem::NotInteger)?;
            within(number, field.minimum, field.maximum).ok_or(FormProblem::OutOfBounds)?;
            return Ok(Value::Integer(number));
        }
        Field::Number(field) => {
            let number = as_number(&value).ok_or(FormProblem::NotNumber)?;
            within(number, field.minimum, field.maximum).ok_or(FormProblem::OutOfBounds)?;
        }
        Field::Boolean(_) => {
            let Value::Boolean(_) = value else { return Err(FormProblem::NotBoolean) };
        }
        Field::Array(field) => {
            let Value::Strings(choices) = &value else { return Err(FormProblem::NotChoices) };
            check_choices(choices, field)?;
        }
        // The rules of other kinds of fields are not known here.
        _ => {}
    }
    Ok(value)
}

fn check_text(text: &str, field: &StringPropertySchema) -> Checked<()> {
    let length = text.chars().count() as u64;
    within(length, field.min_length.map(u64::from), field.max_length.map(u64::from))
        .ok_or(FormProblem::Length)?;
    let listed = field.values.as_ref().is_none_or(|values| values.iter().any(|value| value == text));
    let titled = field.one_of.as_ref().is_none_or(|options| has_option(options, text));
    if !listed || !titled {
        return Err(FormProblem::NotAChoice);
    }
    match &field.format {
        Some(format) if !format.matches(text) => Err(FormProblem::Format(format.clone())),
        _ => Ok(()),
    }
}

fn check_choices(choices: &[String], field: &MultiSelectPropertySchema) -> Checked<()> {
    within(choices.len() as u64, field.min_items, field.max_items).ok_or(FormProblem::ChoiceCount)?;
    let is_offered = |choice: &String| match &field.items {
        MultiSelectItems::String(items) => items.values.contains(choice),
        MultiSelectItems::Titled(items) => has_option(&items.any_of, choice),
        MultiSelectItems::Unknown(_) => true,
    };
    if choices.iter().all(is_offered) { Ok(()) } else { Err(FormProblem::NotOffered) }
}

fn has_option(options: &[EnumOption], value: &str) -> bool {
    options.iter().any(|option| option.value == value)
}

fn within<T: Copy + PartialOrd>(value: T, least: Option<T>, most: Option<T>) -> Option<()> {
    let is_within = least.is_none_or(|least| value >= least) && most.is_none_or(|most| value <= most);
    is_within.then_some(())
}

/// Converts to a number. JSON has neither infinities nor NaN.
fn as_number(value: &ElicitationContentValue) -> Option<f64> {
    match value {
        #[allow(clippy::cast_precision_loss, reason = "a JSON number has no more precision to give")]
        ElicitationContentValue::Integer(number) => Some(*number as f64),
        ElicitationContentValue::Number(number) => Some(*number).filter(|number| number.is_finite()),
        _ => None,
    }
}

/// Converts to an integer, also a number that is written with a fraction of zero.
fn as_integer(value: &ElicitationContentValue) -> Option<i64> {
    /// 2^63, the first number above those of 64 bits with sign.
    const END: f64 = 9_223_372_036_854_775_808.0;
    match value {
        ElicitationContentValue::Integer(number) => Some(*number),
        #[allow(clippy::cast_possible_truncation, reason = "it is whole, and in range")]
        ElicitationContentValue::Number(number) if number.fract() == 0.0 && (-END..END).contains(number) => {
            Some(*number as i64)
        }
        _ => None,
    }
}
