//! Members of objects, and the types of members.

use serde_json::Value as Json;

use crate::codegen::defect::Defect;
use crate::codegen::ir::{Bounds, Field, OnError, Presence, Type};
use crate::codegen::names;
use crate::schema::FORMATS;

use super::lowering::Lowering;
use super::place::{Place, Result};

/// The members of an object that are its own.
pub(super) fn lower(lowering: &Lowering<'_>, owner: &str, object: &Place<'_>) -> Result<Vec<Field>> {
    object
        .properties()
        .into_iter()
        .map(|(wire, place)| field(lowering, owner, wire, &place, object.requires(wire)))
        .collect()
}

/// One member.
pub(super) fn field(
    lowering: &Lowering<'_>,
    owner: &str,
    wire: &str,
    place: &Place<'_>,
    required: bool,
) -> Result<Field> {
    let overlay = lowering.overlay;
    let (mut ty, nullable) = plain_type(place)?;
    if wire == "_meta" {
        ty = Type::Meta;
    }
    let patch = overlay.lists("patch", owner, wire);
    let default = place.node.get("default").cloned();
    let presence = match (required, nullable) {
        _ if patch && (required || !nullable) => {
            return Err(place.defect("a three-state member must be optional and nullable"));
        }
        _ if patch => Presence::Patch,
        (false, true) if default.as_ref().is_some_and(|default| !default.is_null()) => {
            return Err(place.defect("absent, null and a default are three things"));
        }
        (true, false) => Presence::Required,
        (true, true) => Presence::RequiredNullable,
        (false, true) => Presence::Optional,
        (false, false) => Presence::Default(default),
    };
    if matches!(presence, Presence::Default(None)) && !has_default(lowering, &ty) {
        return Err(absence(lowering, place, &ty));
    }
    let on_error =
        match (place.flag("x-deserialize-default-on-error"), place.flag("x-deserialize-default-on-null")) {
            (true, _) => OnError::Default,
            (false, true) => OnError::FailExceptNull,
            (false, false) => OnError::Fail,
        };
    let boxed = presence == Presence::Optional
        && matches!(&ty, Type::Ref(name) if overlay.lists("layout", "boxed", name));
    let rust = overlay.text("members", wire).map_or_else(|| names::snake(wire), str::to_owned);
    let skip_items = place.flag("x-deserialize-skip-invalid-items");
    let (wire, bounds) = (wire.to_owned(), bounds(place, Some(&ty)));
    Ok(Field { wire, rust, ty, presence, on_error, skip_items, boxed, bounds, unstable: false })
}

/// Reads the bounds of a member or an arm beyond its type.
pub(super) fn bounds(place: &Place<'_>, ty: Option<&Type>) -> Bounds {
    // The format of a number is its type, and so are the ends of its range.
    let keywords: &[&str] = match ty {
        Some(Type::String) => &["format", "minLength"],
        Some(Type::U16 | Type::U32 | Type::U64 | Type::I32 | Type::I64 | Type::F64) => {
            &["minimum", "maximum"]
        }
        Some(Type::List(_)) => &["minItems"],
        _ => &[],
    };
    let given = keywords.iter().filter_map(|keyword| Some((*keyword, place.node.get(*keyword)?.clone())));
    given.filter(|(keyword, value)| !is_end_of_range(keyword, value, ty)).collect()
}

/// Tells whether the bound says no more than the type does.
fn is_end_of_range(keyword: &str, value: &Json, ty: Option<&Type>) -> bool {
    let largest = match ty {
        Some(Type::U16) => u64::from(u16::MAX),
        Some(Type::U32) => u64::from(u32::MAX),
        Some(Type::U64) => u64::MAX,
        _ => return false,
    };
    match keyword {
        "minimum" => value.as_u64() == Some(0),
        "maximum" => value.as_u64() == Some(largest),
        _ => false,
    }
}

/// Returns true if a type has an implicit default: nothing in a list or map, the overlay's choice
/// for an enum.
fn has_default(lowering: &Lowering<'_>, ty: &Type) -> bool {
    match ty {
        Type::List(_) | Type::Map(_) => true,
        Type::Ref(name) => lowering.overlay.text("defaults", name).is_some(),
        _ => false,
    }
}

/// The defect of a member whose absence has no meaning, and the ways to give it one.
fn absence(lowering: &Lowering<'_>, place: &Place<'_>, ty: &Type) -> Defect {
    let or_null = match ty {
        Type::Ref(name) => format!(r##""anyOf": [{{ "$ref": "#/$defs/{name}" }}, {{ "type": "null" }}]"##),
        _ => format!(
            r#""type": [{}, "null"]"#,
            place.node.get("type").map_or_else(|| "…".to_owned(), Json::to_string)
        ),
    };
    let mut ways = vec![format!("allow null with {or_null}"), "make it required".to_owned()];
    if *ty == Type::Bool {
        ways.insert(0, "say \"default\": false".to_owned());
    }
    let value = match ty {
        Type::Ref(name) => first_value(lowering, name).map(|value| (name, value)),
        _ => None,
    };
    if value.is_some() {
        ways.push("say in [defaults] of the overlay what absence means".to_owned());
    }
    let defect =
        place.defect(format!("optional, not nullable and without a default: {}", ways.join(", or ")));
    match value {
        Some((name, value)) => defect.mended_by(&["defaults", name], value),
        None => defect,
    }
}

/// The first value of an enum of strings.
fn first_value<'s>(lowering: &Lowering<'s>, name: &str) -> Option<&'s str> {
    let definition = lowering.definitions.get(name)?;
    let arms = definition.get("oneOf").or_else(|| definition.get("anyOf"))?.as_array()?;
    arms.iter().find_map(|arm| arm.get("const")?.as_str())
}

/// The type of a member, item or newtype, and whether it may be `null`.
pub(super) fn plain_type(place: &Place<'_>) -> Result<(Type, bool)> {
    if let Some(name) = place.reference() {
        return Ok((Type::Ref(name.to_owned()), false));
    }
    if place.node.get("anyOf").is_some() {
        return nullable_reference(place);
    }
    let (name, nullable) = match place.node.get("type") {
        None => return any_type(place),
        Some(Json::String(name)) => (name.as_str(), false),
        Some(Json::Array(names)) => match names.as_slice() {
            [Json::String(name), Json::String(null)] if null == "null" => (name.as_str(), true),
            _ => return Err(place.defect("`type` must be one type, or one type and \"null\"")),
        },
        Some(_) => return Err(place.defect("`type` must be a string or a list")),
    };
    let format = place.node.get("format").and_then(Json::as_str);
    let ty = match (name, format) {
        ("boolean", None) => Type::Bool,
        ("string", _) => Type::String,
        ("integer", Some("uint16")) => Type::U16,
        ("integer", Some("uint32")) => Type::U32,
        ("integer", Some("uint64")) => Type::U64,
        ("integer", Some("int32")) => Type::I32,
        ("integer", Some("int64")) => Type::I64,
        ("number", Some("double")) => Type::F64,
        ("array", None) => Type::List(Box::new(item_type(place)?)),
        ("object", None) => Type::Map(Box::new(member_type(place)?)),
        _ => return Err(place.defect(no_rust_type(name, format))),
    };
    Ok((ty, nullable))
}

fn no_rust_type(name: &str, format: Option<&str>) -> String {
    let formats: Vec<String> =
        FORMATS.iter().filter(|(_, kind)| *kind == name).map(|(format, _)| format!("{format:?}")).collect();
    match format {
        Some(format) => format!("no Rust type for \"{name}\" with the format \"{format}\""),
        None if formats.is_empty() => format!("no Rust type for \"{name}\""),
        None => format!("no Rust type for \"{name}\"; add \"format\": {}", formats.join(" or ")),
    }
}

/// Any JSON is what nothing is said about.
fn any_type(place: &Place<'_>) -> Result<(Type, bool)> {
    for keyword in ["allOf", "oneOf", "not", "const", "enum", "items", "properties", "additionalProperties"] {
        if place.node.get(keyword).is_some() {
            return Err(place.defect(format!("no shape for what `{keyword}` says here")));
        }
    }
    Ok((Type::Any, true))
}

fn nullable_reference(place: &Place<'_>) -> Result<(Type, bool)> {
    let arms = place.arms()?;
    if let [of, null] = arms.as_slice()
        && null.node.get("type").is_some_and(|name| name == "null")
        && let Some(name) = of.reference()
    {
        return Ok((Type::Ref(name.to_owned()), true));
    }
    Err(place.defect("a union of a member must be a reference or null"))
}

fn item_type(place: &Place<'_>) -> Result<Type> {
    let items = place.get("items").ok_or_else(|| place.defect("a list must say what its items are"))?;
    not_nullable(&items)
}

fn member_type(place: &Place<'_>) -> Result<Type> {
    match place.get("additionalProperties") {
        None => Err(place.defect("an object without `properties` must say what its members are")),
        Some(members) if members.node == &Json::Bool(true) => Ok(Type::Any),
        Some(members) => not_nullable(&members),
    }
}

/// Reads a type outside of members, where `null` has no place.
pub(super) fn not_nullable(place: &Place<'_>) -> Result<Type> {
    match plain_type(place)? {
        (Type::Any, _) => Ok(Type::Any),
        (ty, false) => Ok(ty),
        (_, true) => Err(place.defect("only members may be null")),
    }
}
