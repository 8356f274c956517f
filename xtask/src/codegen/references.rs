//! Every reference must lead to a type: not to nothing, and not to a definition that is skipped.

use std::collections::BTreeSet;

use super::defect::Defect;
use super::ir::{Definition, Field, Kind, Payload, Schema, Tagged, Type, Unknown, Variant};

/// Every reference that leads nowhere.
pub fn to_nothing(schema: &Schema) -> Vec<Defect> {
    let known: BTreeSet<&str> =
        schema.definitions.iter().map(|definition| definition.name.as_str()).collect();
    let mut defects = Vec::new();
    for definition in &schema.definitions {
        for name in referred(definition).into_iter().filter(|name| !known.contains(name)) {
            let message = format!("refers to {name}, which becomes no type");
            defects.push(Defect::of(&definition.described_by, message));
        }
    }
    defects
}

/// The definitions that one is made of.
pub(super) fn referred(definition: &Definition) -> BTreeSet<&str> {
    match &definition.kind {
        Kind::Object(object) => members(&object.fields).collect(),
        Kind::Newtype(ty) => named(ty).into_iter().collect(),
        Kind::Tagged(union) => variants(union).flat_map(payload).chain(typed_unknown(union)).collect(),
        Kind::Untagged(union) => union.arms.iter().filter_map(|arm| named(arm.ty.as_ref()?)).collect(),
        Kind::StringEnum(_) | Kind::IntegerEnum { .. } => BTreeSet::new(),
    }
}

fn variants(union: &Tagged) -> impl Iterator<Item = &Variant> {
    union.variants.iter().chain(&union.default)
}

fn typed_unknown(union: &Tagged) -> Vec<&str> {
    match &union.unknown {
        Unknown::KeepWith(typed) => members(&typed.fields).collect(),
        Unknown::Keep | Unknown::KeepAsDefault => Vec::new(),
    }
}

fn payload(variant: &Variant) -> Vec<&str> {
    match &variant.payload {
        Payload::None => Vec::new(),
        Payload::Ref { name, .. } => vec![name],
        Payload::Inline(fields) => members(fields).collect(),
    }
}

fn members(fields: &[Field]) -> impl Iterator<Item = &str> {
    fields.iter().filter_map(|field| named(&field.ty))
}

fn named(ty: &Type) -> Option<&str> {
    match ty {
        Type::Ref(name) => Some(name),
        Type::List(inner) | Type::Map(inner) => named(inner),
        _ => None,
    }
}
