//! Unions without a tag: told apart by the kind of JSON value, or by which member is there.

use serde_json::Value as Json;

use crate::codegen::defect::Defect;
use crate::codegen::ir::{Arm, Definition, Kind, Object, Peek, Type, Untagged};
use crate::codegen::names;

use super::arm::{arm_key, arm_name};
use super::fields;
use super::lowering::Lowering;
use super::place::{Place, Result, keeps_others};

/// One union: `whole` is the definition or the object that it lies flat in.
pub(super) fn lower(
    lowering: &Lowering<'_>,
    name: &str,
    whole: &Place<'_>,
    places: &[Place<'_>],
    out: &mut Vec<Definition>,
) -> Result<Untagged> {
    let mut arms = Vec::new();
    let mut required = Vec::new();
    for place in places {
        let arm = arm(lowering, name, place, out)?;
        required.push(required_members(lowering, &arm, place));
        arms.push(arm);
    }
    let by = how_to_peek(&mut arms, &required).ok_or_else(|| {
        let place = places.first().map_or_else(|| Defect::empty_union(name), |arm| arm.defect(""));
        let message = "arms that neither the kind of value nor a member tells apart: they are JSON values of \
                       different kinds, or objects that require different members";
        Defect { message: message.to_owned(), ..place }
    })?;
    let exclusive = by == Peek::Member && whole.node.get("oneOf").is_some();
    Ok(Untagged { arms, by, exclusive })
}

fn arm(lowering: &Lowering<'_>, name: &str, place: &Place<'_>, out: &mut Vec<Definition>) -> Result<Arm> {
    let key = arm_key(place)?;
    let ty = if place.node.get("type").is_some_and(|name| name == "null") {
        None
    } else if place.node.get("properties").is_some() {
        Some(object_arm(lowering, name, &key, place, out)?)
    } else {
        Some(fields::not_nullable(place)?)
    };
    let rust = match &ty {
        None | Some(Type::Bool | Type::I64 | Type::F64 | Type::String) => json_kind(ty.as_ref()).to_owned(),
        Some(Type::List(item)) if **item == Type::String => json_kind(ty.as_ref()).to_owned(),
        _ => arm_name(lowering, name, &key, place)?,
    };
    let bounds = fields::bounds(place, ty.as_ref());
    Ok(Arm { key, rust, ty, member: None, bounds })
}

/// An arm that is an object of its own becomes a type of its own.
fn object_arm(
    lowering: &Lowering<'_>,
    owner: &str,
    key: &str,
    place: &Place<'_>,
    out: &mut Vec<Definition>,
) -> Result<Type> {
    let type_name = lowering.overlay.nested("arm_types", owner, key).ok_or_else(|| {
        place
            .defect(format!(
                "the object of arm \"{key}\" needs a name: add it to {owner} in [arm_types] of the overlay"
            ))
            .mended_by(&["arm_types", owner, key], &format!("{owner}{}", names::pascal(key)))
            .mended_by(&["arms", owner, key], &names::pascal(key))
    })?;
    let fields = fields::lower(lowering, owner, place)?;
    out.push(Definition {
        name: type_name.to_owned(),
        described_by: owner.to_owned(),
        arm: Some(key.to_owned()),
        unstable: false,
        kind: Kind::Object(Object { fields, union: None, others: keeps_others(place) }),
        whole_null: false,
    });
    Ok(Type::Ref(type_name.to_owned()))
}

fn how_to_peek(arms: &mut [Arm], required: &[Vec<String>]) -> Option<Peek> {
    let is_item = |arm: &Arm| matches!(&arm.ty, Some(Type::List(item)) if matches!(&**item, Type::Ref(_)));
    let is_object = |arm: &Arm| matches!(arm.ty, Some(Type::Ref(_)));
    let items = arms.iter().all(is_item);
    let (last, others) = arms.split_last()?;
    let or_any = last.ty == Some(Type::Any) && !others.is_empty() && others.iter().all(is_object);
    if !items && !or_any && !arms.iter().all(is_object) {
        return kinds_differ(arms).then_some(Peek::Kind);
    }
    for (index, arm) in arms.iter_mut().enumerate() {
        let others = || required.iter().enumerate().filter(move |(other, _)| *other != index);
        arm.member = required[index]
            .iter()
            .find(|member| others().all(|(_, theirs)| !theirs.contains(member)))
            .cloned();
    }
    let decided = arms.iter().filter(|arm| arm.member.is_some()).count();
    // The last arm may be what is left.
    (decided + 1 >= arms.len()).then_some(match (items, or_any) {
        (true, _) => Peek::ItemMember,
        (_, true) => Peek::MemberOrAny,
        _ => Peek::Member,
    })
}

/// Returns true if each arm is another kind of JSON value; the last may be any. Whole numbers and
/// numbers are told apart by how they are written.
fn kinds_differ(arms: &[Arm]) -> bool {
    let mut seen = Vec::new();
    let takes_all = arms.last().is_some_and(|arm| arm.ty == Some(Type::Any));
    arms.iter().enumerate().all(|(index, arm)| {
        let kind = match &arm.ty {
            None => "null",
            Some(Type::Bool) => "boolean",
            Some(Type::I64) => "integer",
            Some(Type::F64) => "number",
            Some(Type::String) => "string",
            // Beside an arm for anything, the items decide: only strings are looked at.
            Some(Type::List(item)) if !takes_all || **item == Type::String => "list",
            Some(Type::Any) if index + 1 == arms.len() => "any",
            Some(_) => return false,
        };
        let new = !seen.contains(&kind);
        seen.push(kind);
        new
    })
}

fn required_members(lowering: &Lowering<'_>, arm: &Arm, place: &Place<'_>) -> Vec<String> {
    let name = match &arm.ty {
        Some(Type::List(item)) => ref_name(item),
        Some(ty) => ref_name(ty),
        None => "",
    };
    let own = || place.node.get("required");
    let required = lowering.definitions.get(name).map_or_else(own, |definition| definition.get("required"));
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
