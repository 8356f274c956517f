//! Unions, with a tag and without.

use super::change::{Api, Category, Changes, Verb, Wire};
use super::fields;
use super::sides::Sides;
use crate::codegen::ir::{Arm, Payload, Tagged, Unknown, Untagged, Variant};

pub(super) fn tagged(sides: &Sides<'_>, owner: &str, old: &Tagged, new: &Tagged, changes: &mut Changes) {
    if old.tag != new.tag {
        let detail = format!("the tag is `{}`, was `{}`", new.tag, old.tag);
        changes.push((Category::Definition, Verb::Changed), owner, detail, (Wire::Breaking, Api::Patch));
    }
    variants(sides, owner, old, new, changes);
    default_variant(sides, owner, old.default.as_ref(), new.default.as_ref(), changes);
    if old.open != new.open {
        let detail = if new.open { "other kinds are allowed" } else { "other kinds are not allowed" };
        changes.push((Category::Definition, Verb::Changed), owner, detail, (Wire::Breaking, Api::Patch));
    }
    if old.lenient != new.lenient {
        let detail =
            if new.lenient { "a malformed tag reads as absent" } else { "a malformed tag is refused" };
        let judged = (Wire::compatible_if(new.lenient), Api::Patch);
        changes.push((Category::Hint, Verb::Changed), owner, detail, judged);
    }
    if old.fallback != new.fallback {
        let detail = format!("what is not known is `{}` in Rust, was `{}`", new.fallback, old.fallback);
        changes.push((Category::Variant, Verb::Changed), owner, detail, (Wire::Compatible, Api::Major));
    }
    match (&old.unknown, &new.unknown) {
        (Unknown::KeepWith(was), Unknown::KeepWith(is)) => {
            fields::objects(sides, &format!("{owner}::{}", new.fallback), was, is, changes);
        }
        (was, is) if was != is => {
            let detail = "what is kept of a kind that is not known has another type";
            changes.push((Category::Variant, Verb::Changed), owner, detail, (Wire::Compatible, Api::Major));
        }
        _ => {}
    }
}

fn variants(sides: &Sides<'_>, owner: &str, old: &Tagged, new: &Tagged, changes: &mut Changes) {
    let lacks = |union: &Tagged, wire: &str| !union.variants.iter().any(|variant| variant.wire == wire);
    let gone: Vec<&Variant> = old.variants.iter().filter(|variant| lacks(new, &variant.wire)).collect();
    let came: Vec<&Variant> = new.variants.iter().filter(|variant| lacks(old, &variant.wire)).collect();
    let alike = |one: &Variant, other: &Variant| {
        matches!(&one.payload, Payload::Ref { .. }) && one.payload == other.payload
    };
    let name = |variant: &Variant| format!("{owner}::{}", variant.wire);
    for variant in &came {
        if let Some(was) = gone.iter().find(|was| alike(was, variant)) {
            changes.of_part(was.unstable && variant.unstable, |changes| {
                let detail = format!("was `{}`", was.wire);
                let judged = (Wire::Breaking, Api::Major);
                changes.push((Category::Variant, Verb::Renamed), name(variant), detail, judged);
            });
            continue;
        }
        let judged = (Wire::compatible_if(old.open), Api::Minor);
        changes.added(
            Category::Variant,
            name(variant),
            describe(variant, old.open),
            judged,
            variant.unstable,
        );
    }
    for variant in gone.iter().filter(|variant| !came.iter().any(|other| alike(variant, other))) {
        let wire = Wire::compatible_if(new.open);
        changes.removed(
            Category::Variant,
            name(variant),
            describe(variant, new.open),
            wire,
            variant.unstable,
        );
    }
    for variant in &new.variants {
        if let Some(other) = old.variants.iter().find(|other| other.wire == variant.wire) {
            changes.moved(Category::Variant, &name(variant), other.unstable, variant.unstable);
            let unstable = other.unstable && variant.unstable;
            changes.of_part(unstable, |changes| changed(sides, &name(variant), other, variant, changes));
        }
    }
}

fn changed(sides: &Sides<'_>, name: &str, old: &Variant, new: &Variant, changes: &mut Changes) {
    if old.rust != new.rust {
        let detail = format!("in Rust `{}`, was `{}`", new.rust, old.rust);
        changes.push((Category::Variant, Verb::Changed), name, detail, (Wire::Compatible, Api::Major));
    }
    if old.payload == new.payload {
        return;
    }
    match (&old.payload, &new.payload) {
        (Payload::Inline(was), Payload::Inline(is)) => fields::members(sides, name, was, is, changes),
        (Payload::Ref { name: was, .. }, Payload::Ref { name: is, .. }) if was == is => {
            let judged = (Wire::Compatible, Api::Major);
            changes.push((Category::Variant, Verb::Changed), name, "in Rust kept otherwise", judged);
        }
        (was, is) => {
            let detail = format!("{}, was {}", payload(is), payload(was));
            changes.push((Category::Variant, Verb::Changed), name, detail, (Wire::Breaking, Api::Major));
        }
    }
}

fn default_variant(
    sides: &Sides<'_>,
    owner: &str,
    old: Option<&Variant>,
    new: Option<&Variant>,
    changes: &mut Changes,
) {
    let (verb, variant, api) = match (old, new) {
        (Some(was), Some(is)) => {
            changed(sides, &format!("{owner}::{}", is.wire), was, is, changes);
            return;
        }
        (None, Some(variant)) => (Verb::Added, variant, Api::Minor),
        (Some(variant), None) => (Verb::Removed, variant, Api::Major),
        (None, None) => return,
    };
    let detail = format!("what the absence of the tag means: {}", payload(&variant.payload));
    let name = format!("{owner}::{}", variant.wire);
    changes.push((Category::Variant, verb), name, detail, (Wire::Breaking, api));
}

fn describe(variant: &Variant, open: bool) -> String {
    let payload = payload(&variant.payload);
    if open { payload } else { format!("{payload}; a kind of a closed union") }
}

fn payload(payload: &Payload) -> String {
    match payload {
        Payload::None => "without members".to_owned(),
        Payload::Ref { name, .. } => format!("`{name}`"),
        Payload::Inline(fields) => {
            let names: Vec<String> = fields.iter().map(|field| format!("`{}`", field.wire)).collect();
            format!("with {}", names.join(", "))
        }
    }
}

pub(super) fn untagged(
    sides: &Sides<'_>,
    owner: &str,
    old: &Untagged,
    new: &Untagged,
    changes: &mut Changes,
) {
    let name = |arm: &Arm| format!("{owner}::{}", arm.key);
    let of = |arm: &Arm| arm.ty.as_ref().map_or_else(|| "`null`".to_owned(), |ty| format!("`{ty}`"));
    for arm in &new.arms {
        let Some(other) = old.arms.iter().find(|other| other.key == arm.key) else {
            changes.added(Category::Variant, name(arm), of(arm), (Wire::Breaking, Api::Minor), false);
            continue;
        };
        if other.rust != arm.rust {
            let detail = format!("in Rust `{}`, was `{}`", arm.rust, other.rust);
            changes.push(
                (Category::Variant, Verb::Changed),
                name(arm),
                detail,
                (Wire::Compatible, Api::Major),
            );
        }
        if other.ty != arm.ty {
            let same = match (&other.ty, &arm.ty) {
                (Some(was), Some(is)) => sides.same_on_the_wire(was, is),
                _ => false,
            };
            let detail = format!("{}, was {}", of(arm), of(other));
            let judged = (Wire::compatible_if(same), Api::Major);
            changes.push((Category::Variant, Verb::Changed), name(arm), detail, judged);
        }
    }
    for arm in old.arms.iter().filter(|arm| !new.arms.iter().any(|other| other.key == arm.key)) {
        changes.removed(Category::Variant, name(arm), of(arm), Wire::Breaking, false);
    }
    if old.exclusive != new.exclusive {
        let detail = if new.exclusive {
            "a value that could be several arms is malformed"
        } else {
            "a value may fit several arms"
        };
        let judged = (Wire::compatible_if(!new.exclusive), Api::Patch);
        changes.push((Category::Hint, Verb::Changed), owner, detail, judged);
    }
}
