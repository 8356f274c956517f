//! Forms for the user, and the values in them.

use acp_types::Map;
use acp_types::v1::{
    CreateElicitationRequest, ElicitationContentValue, ElicitationFormMode, ElicitationPropertySchema,
    ElicitationSchema, ElicitationScope, ToolCallId,
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

/// The values that the user has filled in. Every value is of the kind of its field, within the
/// bounds of the form, among the choices and of the `format`. `pattern` is not checked.
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

    /// Checks the client's answer. Values without a field in the form are left out.
    pub(crate) fn check(
        mut answer: Map<ElicitationContentValue>,
        schema: &ElicitationSchema,
    ) -> Result<FormValues> {
        schema.retain_fields(&mut answer);
        Ok(FormValues { values: schema.check(answer).map_err(Error::Form)? })
    }
}

fn as_number(value: &ElicitationContentValue) -> Option<f64> {
    match value {
        #[allow(clippy::cast_precision_loss, reason = "a JSON number has no more precision to give")]
        ElicitationContentValue::Integer(number) => Some(*number as f64),
        ElicitationContentValue::Number(number) => Some(*number),
        _ => None,
    }
}
