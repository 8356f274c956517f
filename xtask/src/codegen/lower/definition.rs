//! One definition: an object, a union, an enum, or a type under a name.

use serde_json::Value as Json;

use crate::codegen::defect::Defect;
use crate::codegen::ir::{Definition, IntegerValue, Kind, Object, StringEnum, StringValue};
use crate::codegen::names;

use super::lowering::Lowering;
use super::place::{Place, Result, keeps_others};
use super::{fields, unions};

pub(super) fn lower(
    lowering: &Lowering<'_>,
    name: &str,
    node: &Json,
    out: &mut Vec<Definition>,
) -> Result<()> {
    let place = Place::definition(name, node);
    let whole_null = lowering.overlay.lists("null", "types", name);
    let has_union = node.get("anyOf").or_else(|| node.get("oneOf")).is_some();
    let kind = if is_object(&place)? {
        let fields = fields::lower(lowering, name, &place)?;
        let mut object = Object { fields, union: None, others: keeps_others(&place) };
        if has_union {
            let union = unions::flattened(lowering, name, &place, out)?;
            // The tag of the union is its own, also where the object declares it again.
            let tag = unions::tag_of(out, &union.type_name);
            object.fields.retain(|field| tag.is_none_or(|tag| field.wire != tag));
            object.union = Some(union);
        }
        Kind::Object(object)
    } else if has_union {
        union(lowering, name, &place, out)?
    } else {
        Kind::Newtype(fields::not_nullable(&place)?)
    };
    let (name, described_by) = (name.to_owned(), name.to_owned());
    out.push(Definition { name, described_by, arm: None, unstable: false, kind, whole_null });
    Ok(())
}

fn union(lowering: &Lowering<'_>, name: &str, place: &Place<'_>, out: &mut Vec<Definition>) -> Result<Kind> {
    let arms = place.arms()?;
    if let Some(values) = string_values(lowering, name, &arms) {
        let open = values.len() < arms.len();
        let default = lowering.overlay.text("defaults", name);
        let default = default.map(|wire| lowering.variant(name, wire));
        let fallback = names::fallback(values.iter().map(|value| value.rust.as_str()));
        return Ok(Kind::StringEnum(StringEnum { values, open, default, fallback }));
    }
    if arms.iter().all(|arm| arm.node.get("type") == Some(&Json::from("integer"))) {
        return integers(lowering, name, &arms);
    }
    unions::union(lowering, name, place, out)
}

fn integers(lowering: &Lowering<'_>, name: &str, arms: &[Place<'_>]) -> Result<Kind> {
    let mut values = Vec::new();
    let mut nameless: Option<Defect> = None;
    for arm in arms {
        let Some(wire) = arm.node.get("const") else { continue };
        let wire =
            wire.as_i64().ok_or_else(|| arm.defect("`const` of an integer enum must be an integer"))?;
        match lowering.overlay.nested("integers", name, &wire.to_string()) {
            Some(rust) => values.push(IntegerValue { wire, rust: rust.to_owned(), unstable: false }),
            None => {
                let message = format!("{wire} has no Rust name; add it to [integers.{name}] of the overlay");
                let defect = nameless.unwrap_or_else(|| arm.defect(message));
                nameless =
                    Some(defect.mended_by(&["integers", name, &wire.to_string()], &constant(arm, wire)));
            }
        }
    }
    let Some(first) = arms.first() else { return Err(Defect::empty_union(name)) };
    match nameless {
        Some(defect) => Err(defect),
        None => Ok(Kind::IntegerEnum { values, repr: fields::plain_type(first)?.0 }),
    }
}

/// Suggests the name of a constant: its title, or its number.
fn constant(arm: &Place<'_>, wire: i64) -> String {
    let title = arm.node.get("title").and_then(Json::as_str).map(names::snake);
    let number = || format!("value_{}{}", if wire < 0 { "minus_" } else { "" }, wire.unsigned_abs());
    title.filter(|name| names::is_name(name)).unwrap_or_else(number).to_uppercase()
}

/// Returns true if a definition has members of its own. A map with a name does not.
fn is_object(place: &Place<'_>) -> Result<bool> {
    let properties = place.get("properties").is_some();
    match place.get("additionalProperties") {
        Some(others) if properties && others.node != &Json::Bool(true) => {
            Err(others.defect("members beside the named ones would be lost"))
        }
        Some(_) => Ok(properties),
        None => Ok(properties || place.node.get("type") == Some(&Json::from("object"))),
    }
}

/// The values of an enum of strings: arms that are constants, and at most one that is any string.
fn string_values(lowering: &Lowering<'_>, name: &str, arms: &[Place<'_>]) -> Option<Vec<StringValue>> {
    let mut values = Vec::new();
    let mut open = 0;
    for arm in arms {
        if arm.node.get("type") != Some(&Json::from("string")) {
            return None;
        }
        match arm.node.get("const") {
            Some(value) => {
                let wire = value.as_str()?.to_owned();
                values.push(StringValue { rust: lowering.variant(name, &wire), wire, unstable: false });
            }
            None => open += 1,
        }
    }
    (open <= 1 && !values.is_empty()).then_some(values)
}
