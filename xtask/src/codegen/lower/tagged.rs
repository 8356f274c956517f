//! Unions whose variants are told apart by the value of one member.

use serde_json::Value as Json;

use crate::codegen::ir::{Field, Flattened, Object, Payload, Tagged, Unknown, Variant};
use crate::codegen::names;

use super::arm::{arm_key, arm_name};
use super::lowering::Lowering;
use super::place::{Place, Result};
use super::{excluded_tags, fields};

/// One union: `whole` is the definition or the object that it lies flat in.
pub(super) fn lower(
    lowering: &Lowering<'_>,
    name: &str,
    tag: &str,
    whole: &Place<'_>,
    arms: &[Place<'_>],
) -> Result<Tagged> {
    let declared = whole.properties().into_iter().find(|(wire, _)| *wire == tag).map(|(_, place)| place);
    let lenient = declared.is_some_and(|place| place.flag("x-deserialize-default-on-error"));
    let (mut variants, mut default, mut fallback) = (Vec::new(), None, None);
    for arm in arms {
        let property = arm.properties().into_iter().find(|(wire, _)| *wire == tag).map(|(_, place)| place);
        match property.as_ref().map(|property| (property.node.get("const"), is_null(property))) {
            Some((Some(value), _)) => {
                let wire = value.as_str().ok_or_else(|| arm.defect("a tag must be a string"))?.to_owned();
                let payload = payload(lowering, name, tag, arm)?;
                let rust = lowering.variant(name, &wire);
                variants.push(Variant { rust, wire, payload, unstable: false });
            }
            Some((None, false)) if arm.node.get("not").is_some() => {
                fallback = Some(unknown(lowering, name, tag, arm)?);
            }
            Some((None, false)) => {
                return Err(arm.defect("a tag without `const` needs a `not` that lists the known tags"));
            }
            Some((None, true)) | None if default.is_some() => {
                return Err(arm.defect("a second arm without a tag"));
            }
            Some((None, true)) | None => {
                let key = arm_key(arm)?;
                let payload = payload(lowering, name, tag, arm)?;
                let rust = arm_name(lowering, name, &key, arm)?;
                default = Some(Variant { rust, wire: key, payload, unstable: false });
            }
        }
    }
    if let Some(arm) = arms.iter().find(|arm| arm.node.get("not").is_some()) {
        excluded_tags::compare(arm, tag, &variants)?;
    }
    let open = fallback.is_some() || default.is_some();
    let unknown = match (fallback, &default) {
        (Some(unknown), _) => unknown,
        (None, Some(_)) => Unknown::KeepAsDefault,
        (None, None) => Unknown::Keep,
    };
    let known = variants.iter().chain(&default).map(|variant: &Variant| variant.rust.as_str());
    let fallback = names::fallback(known);
    let default_tag = default.as_ref().and_then(|_| lowering.overlay.text("default_tags", name));
    let default_tag = default_tag.map(str::to_owned);
    Ok(Tagged { tag: tag.to_owned(), variants, default, default_tag, open, lenient, unknown, fallback })
}

fn is_null(place: &Place<'_>) -> bool {
    place.node.get("type").is_some_and(|name| name == "null")
}

/// Reads the content of an arm beside its tag.
fn payload(lowering: &Lowering<'_>, owner: &str, tag: &str, arm: &Place<'_>) -> Result<Payload> {
    let inline = members(lowering, owner, tag, arm)?;
    match (arm.reference(), inline.is_empty()) {
        (Some(name), true) => {
            let boxed = !lowering.overlay.lists("layout", "inline", name);
            Ok(Payload::Ref { name: name.to_owned(), boxed })
        }
        (None, true) => Ok(Payload::None),
        (None, false) => Ok(Payload::Inline(inline)),
        (Some(_), false) => Err(arm.defect("an arm with members of its own and a reference")),
    }
}

/// The arm for tags that are not known: it may type some members, or have the union that all arms
/// have.
fn unknown(lowering: &Lowering<'_>, owner: &str, tag: &str, arm: &Place<'_>) -> Result<Unknown> {
    let fields = members(lowering, owner, tag, arm)?;
    let has_union = arm.node.get("anyOf").or_else(|| arm.node.get("oneOf")).is_some();
    let union = if has_union { Some(shared_scope(lowering, arm)?) } else { None };
    if fields.is_empty() && union.is_none() {
        return Ok(Unknown::Keep);
    }
    // What is not typed is kept with the tag.
    Ok(Unknown::KeepWith(Object { fields, union, others: false }))
}

fn members(lowering: &Lowering<'_>, owner: &str, tag: &str, arm: &Place<'_>) -> Result<Vec<Field>> {
    let own = arm.properties().into_iter().filter(|(wire, _)| *wire != tag);
    own.map(|(wire, place)| fields::field(lowering, owner, wire, &place, arm.requires(wire))).collect()
}

/// The union that every arm of an outer one has: the variants' payloads have it under a name
/// already.
fn shared_scope(lowering: &Lowering<'_>, arm: &Place<'_>) -> Result<Flattened> {
    let keys: Vec<&str> = arm.arms()?.iter().filter_map(Place::reference).collect();
    for (owner, definition) in lowering.definitions {
        let place = Place::definition(owner, definition);
        let has_union = definition.get("anyOf").or_else(|| definition.get("oneOf")).is_some();
        let has_same = definition.get("properties").is_some_and(Json::is_object)
            && has_union
            && place.arms()?.iter().filter_map(Place::reference).eq(keys.iter().copied());
        if let (true, Some(name), Some(field)) = (
            has_same,
            lowering.overlay.nested("flattened", owner, "type"),
            lowering.overlay.nested("flattened", owner, "field"),
        ) {
            return Ok(Flattened { field: field.to_owned(), type_name: name.to_owned() });
        }
    }
    Err(arm.defect("the union inside this arm is that of no other definition, so it has no name"))
}
