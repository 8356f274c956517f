//! A `default` in the schema must be what the Rust type's `Default` gives, all the way down.

use serde_json::Value as Json;

use crate::codegen::defect::Defect;
use crate::codegen::ir::{Definition, Kind, Presence, Schema, Type};

/// Every member whose `default` is not the default of its type.
pub(super) fn disagreements(schema: &Schema) -> Vec<Defect> {
    let mut defects = Vec::new();
    for definition in &schema.definitions {
        let Kind::Object(object) = &definition.kind else { continue };
        for field in &object.fields {
            if let Presence::Default(Some(default)) = &field.presence
                && !is_default(schema, &field.ty, default)
            {
                let pointer = format!("#/$defs/{}/properties/{}/default", definition.name, field.wire);
                let message = format!(
                    "{default} is not what the absence of its parts means; the IR has no place for it"
                );
                let defect = Defect::at(&definition.name, pointer, message);
                defects.push(match (&field.ty, default.as_str()) {
                    (Type::Ref(name), Some(value)) if has_no_default(schema, name) => {
                        defect.mended_by(&["defaults", name], value)
                    }
                    _ => defect,
                });
            }
        }
    }
    defects
}

/// Tells whether the overlay may still say what the absence of this enum of strings means.
fn has_no_default(schema: &Schema, name: &str) -> bool {
    schema.definitions.iter().any(|definition| {
        definition.name == name
            && matches!(&definition.kind, Kind::StringEnum(values) if values.default.is_none())
    })
}

fn is_default(schema: &Schema, ty: &Type, value: &Json) -> bool {
    match ty {
        Type::Bool => value == &Json::Bool(false),
        Type::List(_) => value.as_array().is_some_and(Vec::is_empty),
        Type::Map(_) => value.as_object().is_some_and(serde_json::Map::is_empty),
        Type::Ref(name) => schema
            .definitions
            .iter()
            .find(|definition| definition.name == *name)
            .is_some_and(|definition| is_default_of(schema, definition, value)),
        _ => false,
    }
}

fn is_default_of(schema: &Schema, definition: &Definition, value: &Json) -> bool {
    match &definition.kind {
        Kind::Object(object) => value.as_object().is_some_and(|members| {
            members.iter().all(|(wire, value)| {
                let field = object.fields.iter().find(|field| field.wire == *wire);
                field.is_some_and(|field| match field.presence {
                    Presence::Default(_) => is_default(schema, &field.ty, value),
                    Presence::Optional => value.is_null(),
                    _ => false,
                })
            })
        }),
        Kind::StringEnum(values) => values.default.as_ref().is_some_and(|default| {
            let of_value = values.values.iter().find(|known| Some(known.wire.as_str()) == value.as_str());
            of_value.is_some_and(|known| known.rust == *default)
        }),
        _ => false,
    }
}
