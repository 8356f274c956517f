//! Forms and web pages.

use acp_types::Map;
use acp_types::v1::{
    ElicitationMode, ElicitationPropertySchema, ElicitationSchema, ElicitationScope, MultiSelectItems,
    MultiSelectPropertySchema, RequestId, StringPropertySchema,
};
use acp_types::v2::WritesV2;
use serde_core::ser::{Error as _, Serialize, SerializeMap, Serializer};

use super::as_is::{member, members, meta, optional};

/// Writes the members of a form or of a web page.
pub(super) fn write_mode<M: SerializeMap>(mode: &ElicitationMode, map: &mut M) -> Result<(), M::Error> {
    match mode {
        ElicitationMode::Form(form) => {
            member(map, "mode", "form")?;
            write_scope(&form.scope, map)?;
            member(map, "requestedSchema", &Form(&form.requested_schema))
        }
        ElicitationMode::Url(page) => {
            member(map, "mode", "url")?;
            write_scope(&page.scope, map)?;
            member(map, "elicitationId", &page.elicitation_id)?;
            member(map, "url", &page.url)
        }
        ElicitationMode::Unknown { scope, other } => {
            write_scope(scope, map)?;
            other.write("mode", map)
        }
        _ => Err(M::Error::custom("this kind of question has no form in version 2")),
    }
}

fn write_scope<M: SerializeMap>(scope: &ElicitationScope, map: &mut M) -> Result<(), M::Error> {
    match scope {
        ElicitationScope::Session(session) => members(map, session),
        ElicitationScope::Request(request) => match &request.request_id {
            RequestId::Integer(id) => member(map, "requestId", id),
            RequestId::String(id) => member(map, "requestId", id),
            _ => Err(M::Error::custom("`requestId`: version 2 has no requests with this id")),
        },
        _ => Err(M::Error::custom("this kind of question has no form in version 2")),
    }
}

/// A form. Its type and its fields must be there, also if they are those of the default.
struct Form<'a>(&'a ElicitationSchema);

impl WritesV2 for Form<'_> {}

impl Serialize for Form<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        member(&mut map, "type", &self.0.schema_type)?;
        optional(&mut map, "title", self.0.title.as_ref())?;
        member(&mut map, "properties", &Fields(&self.0.properties))?;
        optional(&mut map, "required", self.0.required.as_ref())?;
        optional(&mut map, "description", self.0.description.as_ref())?;
        meta(&mut map, self.0.meta.as_ref())?;
        map.end()
    }
}

struct Fields<'a>(&'a Map<ElicitationPropertySchema>);

impl WritesV2 for Fields<'_> {}

impl Serialize for Fields<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, field)| (name, Field { name, field })))
    }
}

struct Field<'a> {
    name: &'a str,
    field: &'a ElicitationPropertySchema,
}

impl Serialize for Field<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self.field {
            ElicitationPropertySchema::String(text) => {
                member(&mut map, "type", "string")?;
                write_text(text, &mut map)?;
            }
            ElicitationPropertySchema::Number(number) => {
                member(&mut map, "type", "number")?;
                members(&mut map, &**number)?;
            }
            ElicitationPropertySchema::Integer(number) => {
                member(&mut map, "type", "integer")?;
                members(&mut map, &**number)?;
            }
            ElicitationPropertySchema::Boolean(choice) => {
                member(&mut map, "type", "boolean")?;
                members(&mut map, &**choice)?;
            }
            ElicitationPropertySchema::Array(choices) => {
                member(&mut map, "type", "array")?;
                write_choices(self.name, choices, &mut map)?;
            }
            ElicitationPropertySchema::Unknown(field) => field.write("type", &mut map)?,
            _ => return Err(S::Error::custom("this kind of field has no form in version 2")),
        }
        map.end()
    }
}

/// Writes the members of a field for text. A list of allowed values that is empty is not one here.
fn write_text<M: SerializeMap>(text: &StringPropertySchema, map: &mut M) -> Result<(), M::Error> {
    optional(map, "title", text.title.as_ref())?;
    optional(map, "description", text.description.as_ref())?;
    optional(map, "minLength", text.min_length.as_ref())?;
    optional(map, "maxLength", text.max_length.as_ref())?;
    optional(map, "pattern", text.pattern.as_ref())?;
    optional(map, "format", text.format.as_ref())?;
    optional(map, "default", text.default_value.as_ref())?;
    optional(map, "enum", text.values.as_ref().filter(|values| !values.is_empty()))?;
    optional(map, "oneOf", text.one_of.as_ref().filter(|values| !values.is_empty()))?;
    meta(map, text.meta.as_ref())
}

fn write_choices<M: SerializeMap>(
    name: &str,
    choices: &MultiSelectPropertySchema,
    map: &mut M,
) -> Result<(), M::Error> {
    optional(map, "title", choices.title.as_ref())?;
    optional(map, "description", choices.description.as_ref())?;
    optional(map, "minItems", choices.min_items.as_ref())?;
    optional(map, "maxItems", choices.max_items.as_ref())?;
    member(map, "items", &Choices { name, choices: &choices.items })?;
    optional(map, "default", choices.default_value.as_ref())?;
    meta(map, choices.meta.as_ref())
}

/// The values to choose from, of which there has to be one.
struct Choices<'a> {
    name: &'a str,
    choices: &'a MultiSelectItems,
}

impl WritesV2 for Choices<'_> {}

impl Serialize for Choices<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let none = || S::Error::custom(format!("`{}`: version 2 has no choice without options", self.name));
        let mut map = serializer.serialize_map(None)?;
        match self.choices {
            MultiSelectItems::String(choices) if choices.values.is_empty() => return Err(none()),
            MultiSelectItems::String(choices) => {
                member(&mut map, "type", "string")?;
                member(&mut map, "enum", &choices.values)?;
                meta(&mut map, choices.meta.as_ref())?;
            }
            MultiSelectItems::Titled(choices) if choices.any_of.is_empty() => return Err(none()),
            MultiSelectItems::Titled(choices) => {
                member(&mut map, "anyOf", &choices.any_of)?;
                meta(&mut map, choices.meta.as_ref())?;
            }
            MultiSelectItems::Unknown(choices) => choices.write("type", &mut map)?,
            _ => return Err(S::Error::custom("this kind of choice has no form in version 2")),
        }
        map.end()
    }
}
