//! Forms for the user, and the values in them.

use acp_types::Map;
use acp_types::v1::{
    CreateElicitationRequest, ElicitationContentValue, ElicitationFormMode, ElicitationPropertySchema,
    ElicitationSchema, ElicitationScope, EnumOption, MultiSelectItems, MultiSelectPropertySchema,
    StringPropertySchema, ToolCallId,
};

use crate::error::{Error, Result};

/// A form for the user to fill in, for [`Turn::elicit`](crate::Turn::elicit).
///
/// A field is a `StringPropertySchema` (text, or one choice out of several),
/// `NumberPropertySchema`, `IntegerPropertySchema`, `BooleanPropertySchema` or
/// `MultiSelectPropertySchema` of [`types`](crate::types).
#[derive(Clone, Debug)]
pub struct Form {
    message: String,
    schema: ElicitationSchema,
    tool_call: Option<ToolCallId>,
}

impl Form {
    /// Creates a form without fields. `message` tells the user what is asked, and why.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Form { message: message.into(), schema: ElicitationSchema::new(), tool_call: None }
    }

    /// Gives the form a heading.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.schema.title = Some(title.into());
        self
    }

    /// Adds a text to show with the form.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.schema.description = Some(description.into());
        self
    }

    /// Adds a field that has to be filled in.
    #[must_use]
    pub fn required(self, name: impl Into<String>, field: impl Into<ElicitationPropertySchema>) -> Self {
        let name = name.into();
        let mut form = self.optional(name.as_str(), field);
        form.schema.required.get_or_insert_default().push(name);
        form
    }

    /// Adds a field that may be left out.
    #[must_use]
    pub fn optional(mut self, name: impl Into<String>, field: impl Into<ElicitationPropertySchema>) -> Self {
        self.schema.properties.insert(name.into(), field.into());
        self
    }

    /// Names the tool call that the question is about.
    #[must_use]
    pub fn tool_call(mut self, id: impl Into<ToolCallId>) -> Self {
        self.tool_call = Some(id.into());
        self
    }

    /// Returns the request, and the schema that its answer is checked against.
    pub(crate) fn into_request(
        self,
        mut scope: ElicitationScope,
    ) -> (ElicitationSchema, CreateElicitationRequest) {
        // There are no tool calls outside of a session.
        if let ElicitationScope::Session(session) = &mut scope {
            session.tool_call_id = self.tool_call;
        }
        let mode = ElicitationFormMode::new(self.schema.clone(), scope);
        (self.schema, CreateElicitationRequest::new(self.message, mode))
    }
}

/// The values that the user has filled in. Every value is of the kind of its field, and within the
/// bounds of the form. The client checks `pattern` and `format`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FormValues {
    values: Map<ElicitationContentValue>,
}

impl FormValues {
    /// Returns the value of a field, if it was filled in.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&ElicitationContentValue> {
        self.values.get(name)
    }

    /// Returns the value of a text or single choice.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.get(name)? {
            ElicitationContentValue::String(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the value of an integer field.
    #[must_use]
    pub fn integer(&self, name: &str) -> Option<i64> {
        match self.get(name)? {
            ElicitationContentValue::Integer(number) => Some(*number),
            _ => None,
        }
    }

    /// Returns the value of a number field.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<f64> {
        as_number(self.get(name)?)
    }

    /// Returns the value of a field that is on or off.
    #[must_use]
    pub fn boolean(&self, name: &str) -> Option<bool> {
        match self.get(name)? {
            ElicitationContentValue::Boolean(on) => Some(*on),
            _ => None,
        }
    }

    /// Returns the values of a multiple choice.
    #[must_use]
    pub fn strings(&self, name: &str) -> Option<&[String]> {
        match self.get(name)? {
            ElicitationContentValue::Strings(values) => Some(values),
            _ => None,
        }
    }

    /// Returns every value by the name of its field.
    #[must_use]
    pub fn into_map(self) -> Map<ElicitationContentValue> {
        self.values
    }

    /// Checks the client's answer (rule `v1-eli-07`). Values without a field in the form are left
    /// out.
    pub(crate) fn check(
        mut answer: Map<ElicitationContentValue>,
        schema: &ElicitationSchema,
    ) -> Result<FormValues> {
        let required = schema.required.iter().flatten();
        for name in required {
            if !answer.contains(name) {
                return Err(wrong(name, "has to be filled in"));
            }
        }
        let mut values = Map::default();
        for (name, field) in schema.properties.iter() {
            let Some(value) = answer.remove(name) else { continue };
            values.insert(name, check_value(value, field).map_err(|problem| wrong(name, problem))?);
        }
        Ok(FormValues { values })
    }
}

fn wrong(field: &str, problem: &'static str) -> Error {
    Error::FormField { field: field.to_owned(), problem }
}

type Checked = Result<ElicitationContentValue, &'static str>;

fn check_value(value: ElicitationContentValue, field: &ElicitationPropertySchema) -> Checked {
    use {ElicitationContentValue as Value, ElicitationPropertySchema as Field};
    match field {
        Field::String(bounds) => match &value {
            Value::String(text) => check_text(text, bounds)?,
            _ => return Err("has to be a text"),
        },
        Field::Integer(bounds) => {
            let number = as_integer(&value).ok_or("has to be a whole number")?;
            within(number, bounds.minimum, bounds.maximum)?;
            return Ok(Value::Integer(number));
        }
        Field::Number(bounds) => {
            within(as_number(&value).ok_or("has to be a number")?, bounds.minimum, bounds.maximum)?;
        }
        Field::Boolean(_) => match value {
            Value::Boolean(_) => {}
            _ => return Err("has to be on or off"),
        },
        Field::Array(bounds) => match &value {
            Value::Strings(choices) => check_choices(choices, bounds)?,
            _ => return Err("has to be a list of choices"),
        },
        // A field of another kind may allow anything.
        _ => {}
    }
    Ok(value)
}

fn check_text(text: &str, bounds: &StringPropertySchema) -> Result<(), &'static str> {
    let length = text.chars().count() as u64;
    within(length, bounds.min_length.map(u64::from), bounds.max_length.map(u64::from))
        .map_err(|_| "is longer or shorter than the form allows")?;
    let listed = bounds.values.as_ref().is_none_or(|values| values.iter().any(|value| value == text));
    let titled = bounds.one_of.as_ref().is_none_or(|options| is_option(options, text));
    if listed && titled { Ok(()) } else { Err("is not one of the choices") }
}

fn check_choices(choices: &[String], bounds: &MultiSelectPropertySchema) -> Result<(), &'static str> {
    within(choices.len() as u64, bounds.min_items, bounds.max_items)
        .map_err(|_| "has more or fewer choices than the form allows")?;
    let offered = |choice: &String| match &bounds.items {
        MultiSelectItems::String(items) => items.values.contains(choice),
        MultiSelectItems::Titled(items) => is_option(&items.any_of, choice),
        _ => true,
    };
    if choices.iter().all(offered) { Ok(()) } else { Err("has a choice that was not offered") }
}

fn is_option(options: &[EnumOption], value: &str) -> bool {
    options.iter().any(|option| option.value == value)
}

fn within<T: Copy + PartialOrd>(value: T, least: Option<T>, most: Option<T>) -> Result<(), &'static str> {
    if least.is_some_and(|least| value < least) || most.is_some_and(|most| value > most) {
        return Err("is outside of the form's bounds");
    }
    Ok(())
}

fn as_number(value: &ElicitationContentValue) -> Option<f64> {
    match value {
        #[allow(clippy::cast_precision_loss, reason = "a JSON number has no more precision to give")]
        ElicitationContentValue::Integer(number) => Some(*number as f64),
        ElicitationContentValue::Number(number) => Some(*number),
        _ => None,
    }
}

/// Converts a value to an integer, also a number that is written with a fraction of zero.
fn as_integer(value: &ElicitationContentValue) -> Option<i64> {
    /// The largest bound below which every whole number has its own `f64`.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match value {
        ElicitationContentValue::Integer(number) => Some(*number),
        #[allow(clippy::cast_possible_truncation, reason = "it is whole, and in range")]
        ElicitationContentValue::Number(number) if number.fract() == 0.0 && number.abs() <= EXACT => {
            Some(*number as i64)
        }
        _ => None,
    }
}
