//! The IR in the dialect of JSON Schema that typify converts well. Nothing is taken from the raw
//! schema.
//!
//! | IR | restated as |
//! |---|---|
//! | object | object; a union that lies flat in it is a required property with the name of our field |
//! | enum of strings, closed or open | closed `enum`: a fallback arm would turn it into a struct of options |
//! | enum of integers | the integer |
//! | members without a name that are kept | `additionalProperties` of any JSON |
//! | tagged union | one object for each variant with the tag and the payload beside it |
//! | untagged union | one object for each arm, with the name of our variant as its only key |
//! | optional, three states | not required, `null` allowed |
//!
//! A union with one variant that holds nothing is restated with a second one, which is not read
//! back. An arm without a tag is restated under the name of our variant.

use anyhow::{Result, ensure};
use serde_json::{Map, Value as Json, json};

use super::reading::{self, OutOfScope, Renamed};
use crate::codegen::ir::{
    Definition, Field, Kind, Object, Payload, Presence, Schema, Tagged, Type, Untagged,
};
use crate::codegen::names;

#[derive(Debug)]
pub(super) struct Restated {
    pub document: Json,
    pub out_of_scope: Vec<OutOfScope>,
    pub renamed: Vec<Renamed>,
}

/// A type that is written by hand and referred to by name.
pub(super) const HAND_WRITTEN: &str = "Meta";

/// The key beside the tag.
const CONTENT: &str = "payload of the variant";

/// A tag that stands for no variant. Of one object with one member typify makes a union in which
/// the name of the member tells the variants apart; beside a second object it looks at the value.
pub(super) const NO_VARIANT: &str = "no variant";

const BY_OVERLAY: &str = "the overlay chose the name";
const CONSTANTS: &str = "typify has no constants of an integer";

pub(super) fn restate(schema: &Schema) -> Result<Restated> {
    let mut definitions = Map::new();
    definitions.insert(HAND_WRITTEN.to_owned(), json!({ "type": "object", "additionalProperties": true }));
    let mut restating = Restating { schema, out_of_scope: Vec::new(), renamed: Vec::new() };
    for definition in &schema.definitions {
        let restated = restating.definition(definition)?;
        let before = definitions.insert(definition.name.clone(), restated);
        ensure!(before.is_none(), "two types are called {}", definition.name);
    }
    let document =
        json!({ "$schema": "http://json-schema.org/draft-07/schema#", "definitions": definitions });
    Ok(Restated { document, out_of_scope: restating.out_of_scope, renamed: restating.renamed })
}

struct Restating<'s> {
    schema: &'s Schema,
    out_of_scope: Vec<OutOfScope>,
    renamed: Vec<Renamed>,
}

impl Restating<'_> {
    fn definition(&mut self, definition: &Definition) -> Result<Json> {
        let name = &definition.name;
        Ok(match &definition.kind {
            Kind::Object(object) => self.object(name, object)?,
            Kind::Newtype(ty) => plain(ty),
            Kind::StringEnum(values) => {
                let values = values.values.iter().map(|value| self.value(name, &value.wire, &value.rust));
                let values: Vec<String> = values.collect();
                json!({ "type": "string", "enum": values })
            }
            Kind::IntegerEnum { values, repr } => {
                for value in values {
                    self.skip(name, reading::constant(&value.wire.to_string()), CONSTANTS);
                }
                plain(repr)
            }
            Kind::Tagged(union) => self.tagged(name, union)?,
            Kind::Untagged(union) => untagged(union),
        })
    }

    fn object(&mut self, name: &str, object: &Object) -> Result<Json> {
        let mut restated = self.members(name, "", &object.fields)?;
        if object.others {
            // `true` says to typify that nobody cares about them.
            restated["additionalProperties"] = json!({});
        }
        if let Some(union) = &object.union {
            let properties = restated["properties"].as_object_mut().expect("members have properties");
            let before = properties.insert(union.field.clone(), reference(&union.type_name));
            ensure!(before.is_none(), "{name} has a member and a union called {}", union.field);
            restated["required"].as_array_mut().expect("and what is required").push(json!(union.field));
        }
        Ok(restated)
    }

    fn members(&mut self, owner: &str, within: &str, fields: &[Field]) -> Result<Json> {
        let mut properties = Map::new();
        let mut required = Vec::new();
        for field in fields {
            let Field { wire, rust, ty, presence, .. } = field;
            if *rust != names::snake(wire) {
                self.skip(owner, reading::field_name(within, wire), BY_OVERLAY);
            }
            if matches!(presence, Presence::Required | Presence::RequiredNullable) {
                required.push(wire.as_str());
            }
            let restated = match presence {
                Presence::Required => plain(ty),
                Presence::RequiredNullable | Presence::Optional | Presence::Patch => nullable(ty),
                Presence::Default(default) => self.defaulted(ty, default.as_ref()),
            };
            let before = properties.insert(wire.clone(), restated);
            ensure!(before.is_none(), "{owner} has two members called {wire}");
        }
        // Of an object that says nothing at all typify makes a map.
        let additional = !properties.is_empty();
        Ok(json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": additional,
        }))
    }

    /// typify checks that the default is a value of the type.
    fn defaulted(&self, ty: &Type, default: Option<&Json>) -> Json {
        let mut restated = plain(ty);
        if let Some(default) = default.cloned().or_else(|| self.implicit_default(ty)) {
            restated["default"] = default;
        }
        restated
    }

    fn implicit_default(&self, ty: &Type) -> Option<Json> {
        let Type::Ref(name) = ty else { return None };
        let definition = self.schema.definitions.iter().find(|definition| definition.name == *name)?;
        let Kind::StringEnum(values) = &definition.kind else { return None };
        let default = values.values.iter().find(|value| Some(&value.rust) == values.default.as_ref())?;
        Some(json!(default.wire))
    }

    fn tagged(&mut self, name: &str, union: &Tagged) -> Result<Json> {
        let default = union.default.iter().map(|variant| (variant.rust.as_str(), variant));
        let variants = union.variants.iter().map(|variant| (variant.wire.as_str(), variant)).chain(default);
        let mut arms = Vec::new();
        for (wire, variant) in variants {
            let is_tag = wire == variant.wire;
            let payload = match &variant.payload {
                Payload::None => None,
                Payload::Ref { name, .. } => Some(reference(name)),
                Payload::Inline(fields) => {
                    Some(self.members(name, &reading::within_variant(wire), fields)?)
                }
            };
            let value = if is_tag { self.value(name, wire, &variant.rust) } else { wire.to_owned() };
            let tag = json!({ "type": "string", "enum": [value] });
            arms.push(match payload {
                None => object_of(&[(union.tag.as_str(), tag)]),
                Some(payload) => object_of(&[(union.tag.as_str(), tag), (CONTENT, payload)]),
            });
        }
        if let ([only], None) = (union.variants.as_slice(), &union.default)
            && only.payload == Payload::None
        {
            let tag = json!({ "type": "string", "enum": [NO_VARIANT] });
            arms.push(object_of(&[(union.tag.as_str(), tag)]));
        }
        Ok(json!({ "oneOf": arms }))
    }

    /// The value that a variant is restated by: its own, or words of the name that the overlay
    /// gives it. typify may not find a name in the value.
    fn value(&mut self, definition: &str, wire: &str, rust: &str) -> String {
        if rust == names::pascal(wire) {
            return wire.to_owned();
        }
        let value = names::pascal(rust);
        let (definition, wire, rust) = (definition.to_owned(), wire.to_owned(), rust.to_owned());
        self.renamed.push(Renamed { definition, value: value.clone(), wire, rust });
        value
    }

    fn skip(&mut self, definition: &str, fact: String, reason: &'static str) {
        self.out_of_scope.push(OutOfScope { definition: definition.to_owned(), fact, reason });
    }
}

fn untagged(union: &Untagged) -> Json {
    let arms = union.arms.iter().map(|arm| match &arm.ty {
        None => json!({ "type": "string", "enum": [arm.rust] }),
        Some(ty) => object_of(&[(arm.rust.as_str(), plain(ty))]),
    });
    json!({ "oneOf": arms.collect::<Vec<_>>() })
}

/// An object with these properties, all required.
fn object_of(properties: &[(&str, Json)]) -> Json {
    let required: Vec<&str> = properties.iter().map(|(name, _)| *name).collect();
    let properties: Map<String, Json> =
        properties.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
    json!({ "type": "object", "properties": properties, "required": required })
}

fn nullable(ty: &Type) -> Json {
    json!({ "oneOf": [plain(ty), { "type": "null" }] })
}

fn plain(ty: &Type) -> Json {
    let integer = |format: &str| json!({ "type": "integer", "format": format });
    match ty {
        Type::Bool => json!({ "type": "boolean" }),
        Type::U16 => integer("uint16"),
        Type::U32 => integer("uint32"),
        Type::U64 => integer("uint64"),
        Type::I32 => integer("int32"),
        Type::I64 => integer("int64"),
        Type::F64 => json!({ "type": "number", "format": "double" }),
        Type::String => json!({ "type": "string" }),
        Type::Any => json!({}),
        Type::Meta => reference(HAND_WRITTEN),
        Type::Ref(name) => reference(name),
        Type::List(item) => json!({ "type": "array", "items": plain(item) }),
        Type::Map(member) => {
            let member = if **member == Type::Any { json!(true) } else { plain(member) };
            json!({ "type": "object", "additionalProperties": member })
        }
    }
}

fn reference(name: &str) -> Json {
    json!({ "$ref": format!("#/definitions/{name}") })
}
