//! Unions: told apart by a tag, by the kind of JSON value, or by which member is there.

use serde_json::Value as Json;

use super::defect::Defect;
use super::fields::{self, Place};
use super::ir::{Arm, Definition, Flattened, Kind, Payload, Peek, Tagged, Type, Unknown, Untagged, Variant};
use super::lower::Lowering;
use super::names;

type Result<T> = std::result::Result<T, Defect>;

/// A union that lies flat in an object. It becomes a type of its own, once for all objects that share it.
pub fn flattened(
    lowering: &Lowering<'_>,
    owner: &str,
    place: &Place<'_>,
    out: &mut Vec<Definition>,
) -> Result<Flattened> {
    let overlay = lowering.overlay;
    let (Some(name), Some(field)) =
        (overlay.nested("flattened", owner, "type"), overlay.nested("flattened", owner, "field"))
    else {
        return Err(
            place.defect(format!("the union inside needs a name: add {owner} to [flattened] of the overlay"))
        );
    };
    if !out.iter().any(|definition| definition.name == name) {
        let kind = union(lowering, name, &place.arms()?)?;
        out.push(Definition {
            name: name.to_owned(),
            described_by: owner.to_owned(),
            kind,
            whole_null: false,
        });
    }
    Ok(Flattened { field: field.to_owned(), type_name: name.to_owned() })
}

/// A union that is no enum.
pub fn union(lowering: &Lowering<'_>, name: &str, arms: &[Place<'_>]) -> Result<Kind> {
    let Some(first) = arms.first() else { return Err(Defect::empty_union(name)) };
    match first.properties().iter().find(|(_, property)| property.node.get("const").is_some()) {
        Some((tag, _)) => tagged(lowering, name, tag, arms).map(Kind::Tagged),
        None => untagged(lowering, name, arms).map(Kind::Untagged),
    }
}

fn tagged(lowering: &Lowering<'_>, name: &str, tag: &str, arms: &[Place<'_>]) -> Result<Tagged> {
    let mut union =
        Tagged { tag: tag.to_owned(), variants: Vec::new(), default: None, unknown: Unknown::Keep };
    let mut fallback = false;
    for arm in arms {
        let property =
            arm.properties().into_iter().find(|(property, _)| *property == tag).map(|(_, place)| place);
        match property.as_ref().map(|property| property.node.get("const")) {
            Some(Some(value)) => {
                let wire = value.as_str().ok_or_else(|| arm.defect("a tag must be a string"))?;
                let payload = payload(lowering, name, tag, arm)?;
                union.variants.push(Variant { wire: wire.to_owned(), rust: names::pascal(wire), payload });
            }
            Some(None) if arm.node.get("not").is_some() => {
                fallback = true;
                if arm.node.get("anyOf").is_some() {
                    union.unknown = Unknown::KeepWith(shared_scope(lowering, arm)?);
                }
            }
            Some(None) => {
                return Err(arm.defect("a tag without `const` needs a `not` that lists the known tags"));
            }
            None if union.default.is_some() => return Err(arm.defect("a second arm without a tag")),
            None => union.default = Some(default_arm(lowering, name, tag, arm)?),
        }
    }
    if union.default.is_some() && !fallback {
        union.unknown = Unknown::KeepAsDefault;
    }
    Ok(union)
}

/// The union that every arm of an outer one has: the variants' payloads have it under a name already.
fn shared_scope(lowering: &Lowering<'_>, arm: &Place<'_>) -> Result<Flattened> {
    let keys: Vec<&str> = arm.arms()?.iter().filter_map(Place::reference).collect();
    for (owner, definition) in lowering.definitions {
        let place = Place::definition(owner, definition);
        let has_same = definition.get("properties").is_some()
            && definition.get("anyOf").is_some()
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

fn default_arm(lowering: &Lowering<'_>, name: &str, tag: &str, arm: &Place<'_>) -> Result<Variant> {
    let key = arm_key(arm)?;
    let payload = payload(lowering, name, tag, arm)?;
    Ok(Variant { rust: arm_name(lowering, name, &key, arm)?, wire: key, payload })
}

/// Under what an arm without a tag is documented and named in the overlay: its `$ref`, else its title.
fn arm_key(arm: &Place<'_>) -> Result<String> {
    let key = arm.reference().or_else(|| arm.node.get("title").and_then(Json::as_str));
    key.map(str::to_owned).ok_or_else(|| arm.defect("an arm without a tag, a reference and a title"))
}

/// What an arm holds beside its tag.
fn payload(lowering: &Lowering<'_>, owner: &str, tag: &str, arm: &Place<'_>) -> Result<Payload> {
    let mut inline = Vec::new();
    for (wire, place) in arm.properties() {
        if wire != tag {
            inline.push(fields::field(lowering, owner, wire, &place, arm.requires(wire))?);
        }
    }
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

fn untagged(lowering: &Lowering<'_>, name: &str, arms: &[Place<'_>]) -> Result<Untagged> {
    let mut lowered = Vec::new();
    for arm in arms {
        let null = arm.node.get("type").is_some_and(|name| name == "null");
        let ty = if null { None } else { Some(fields::not_nullable(arm)?) };
        let key = arm_key(arm)?;
        let rust = match &ty {
            None | Some(Type::Bool | Type::I64 | Type::F64 | Type::String) => {
                json_kind(ty.as_ref()).to_owned()
            }
            Some(Type::List(item)) if **item == Type::String => json_kind(ty.as_ref()).to_owned(),
            _ => arm_name(lowering, name, &key, arm)?,
        };
        lowered.push(Arm { key, rust, ty, member: None });
    }
    let by = how_to_peek(lowering, &mut lowered).ok_or_else(|| {
        let place = arms.first().map_or_else(|| Defect::empty_union(name), |arm| arm.defect(""));
        Defect { message: "arms that neither the kind of value nor a member tells apart".to_owned(), ..place }
    })?;
    Ok(Untagged { arms: lowered, by })
}

fn how_to_peek(lowering: &Lowering<'_>, arms: &mut [Arm]) -> Option<Peek> {
    let items =
        arms.iter().all(|arm| matches!(&arm.ty, Some(Type::List(item)) if matches!(&**item, Type::Ref(_))));
    let objects = arms.iter().all(|arm| matches!(arm.ty, Some(Type::Ref(_))));
    if !items && !objects {
        return kinds_differ(arms).then_some(Peek::Kind);
    }
    let required: Vec<Vec<String>> = arms.iter().map(|arm| required_members(lowering, arm)).collect();
    for (index, arm) in arms.iter_mut().enumerate() {
        let others = || required.iter().enumerate().filter(move |(other, _)| *other != index);
        arm.member = required[index]
            .iter()
            .find(|member| others().all(|(_, theirs)| !theirs.contains(member)))
            .cloned();
    }
    let decided = arms.iter().filter(|arm| arm.member.is_some()).count();
    // The last arm may be what is left.
    (decided + 1 >= arms.len()).then_some(if items { Peek::ItemMember } else { Peek::Member })
}

/// Whether each arm is another kind of JSON value. Whole numbers and numbers are told apart by how they are written.
fn kinds_differ(arms: &[Arm]) -> bool {
    let mut seen = Vec::new();
    arms.iter().all(|arm| {
        let kind = match &arm.ty {
            None => "null",
            Some(Type::Bool) => "boolean",
            Some(Type::I64) => "integer",
            Some(Type::F64) => "number",
            Some(Type::String) => "string",
            Some(Type::List(_)) => "list",
            Some(_) => return false,
        };
        let new = !seen.contains(&kind);
        seen.push(kind);
        new
    })
}

fn required_members(lowering: &Lowering<'_>, arm: &Arm) -> Vec<String> {
    let name = match &arm.ty {
        Some(Type::List(item)) => ref_name(item),
        Some(ty) => ref_name(ty),
        None => "",
    };
    let required = lowering.definitions.get(name).and_then(|definition| definition.get("required"));
    let names = required.and_then(Json::as_array).into_iter().flatten();
    names.filter_map(Json::as_str).map(str::to_owned).collect()
}

fn ref_name(ty: &Type) -> &str {
    match ty {
        Type::Ref(name) => name,
        _ => "",
    }
}

/// The name of an arm that is a plain JSON type.
fn json_kind(ty: Option<&Type>) -> &'static str {
    match ty {
        None => "Null",
        Some(Type::Bool) => "Boolean",
        Some(Type::I64) => "Integer",
        Some(Type::F64) => "Number",
        Some(Type::String) => "String",
        Some(_) => "Strings",
    }
}

fn arm_name(lowering: &Lowering<'_>, name: &str, key: &str, arm: &Place<'_>) -> Result<String> {
    let rust = lowering.overlay.nested("arms", name, key);
    rust.map(str::to_owned).ok_or_else(|| {
        arm.defect(format!("the arm \"{key}\" has no Rust name; add it to {name} in [arms] of the overlay"))
    })
}
