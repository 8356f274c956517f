//! Members of objects.

use super::change::{Api, Category, Changes, Verb, Wire};
use super::sides::Sides;
use crate::codegen::ir::{Field, Object, OnError, Presence};

pub(super) fn objects(sides: &Sides<'_>, owner: &str, old: &Object, new: &Object, changes: &mut Changes) {
    members(sides, owner, &old.fields, &new.fields, changes);
    if old.union == new.union {
        return;
    }
    let detail = match (&old.union, &new.union) {
        (None, Some(union)) => format!("has the members of `{}` in its own object", union.type_name),
        (Some(union), None) => format!("no longer has the members of `{}`", union.type_name),
        (Some(was), Some(is)) => format!("`{}` in `{}`, was `{}`", is.type_name, is.field, was.type_name),
        (None, None) => return,
    };
    changes.push((Category::Field, Verb::Changed), owner, detail, (Wire::Breaking, Api::Major));
}

/// The members of an object, of a variant, or of the arm for unknown kinds.
pub(super) fn members(sides: &Sides<'_>, owner: &str, old: &[Field], new: &[Field], changes: &mut Changes) {
    let find = |fields: &[Field], wire: &str| fields.iter().any(|field| field.wire == wire);
    let gone: Vec<&Field> = old.iter().filter(|field| !find(new, &field.wire)).collect();
    let came: Vec<&Field> = new.iter().filter(|field| !find(old, &field.wire)).collect();
    let count = |fields: &[&Field], of: &Field| fields.iter().filter(|field| same_shape(field, of)).count();
    let renamed = |field: &Field| count(&gone, field) == 1 && count(&came, field) == 1;
    for field in &came {
        let name = format!("{owner}.{}", field.wire);
        if let Some(was) = gone.iter().find(|was| same_shape(was, field) && renamed(field)) {
            changes.of_part(field.unstable && was.unstable, |changes| {
                let detail = format!("was `{}`", was.wire);
                changes.push((Category::Field, Verb::Renamed), name, detail, (Wire::Breaking, Api::Major));
            });
            continue;
        }
        let judged = match field.presence {
            Presence::Required | Presence::RequiredNullable => (Wire::Breaking, Api::Major),
            _ => (Wire::Compatible, Api::Minor),
        };
        changes.added(Category::Field, name, describe(field), judged, field.unstable);
    }
    for field in gone.iter().filter(|field| !renamed(field)) {
        let name = format!("{owner}.{}", field.wire);
        let wire = Wire::compatible_if(may_be_absent(field));
        changes.removed(Category::Field, name, describe(field), wire, field.unstable);
    }
    for field in new {
        if let Some(other) = old.iter().find(|other| other.wire == field.wire) {
            let name = format!("{owner}.{}", field.wire);
            changes.moved(Category::Field, &name, other.unstable, field.unstable);
            let unstable = other.unstable && field.unstable;
            changes.of_part(unstable, |changes| changed(sides, &name, other, field, changes));
        }
    }
}

fn same_shape(one: &Field, other: &Field) -> bool {
    (&one.ty, &one.presence, one.on_error, one.skip_items)
        == (&other.ty, &other.presence, other.on_error, other.skip_items)
}

fn changed(sides: &Sides<'_>, name: &str, old: &Field, new: &Field, changes: &mut Changes) {
    if old.ty != new.ty {
        let detail = format!("`{}`, was `{}`", new.ty, old.ty);
        let judged = (Wire::compatible_if(sides.same_on_the_wire(&old.ty, &new.ty)), Api::Major);
        changes.push((Category::Field, Verb::Changed), name, detail, judged);
    }
    if old.rust != new.rust {
        let detail = format!("in Rust `{}`, was `{}`", new.rust, old.rust);
        changes.push((Category::Field, Verb::Changed), name, detail, (Wire::Compatible, Api::Major));
    }
    if old.boxed != new.boxed {
        let detail = if new.boxed { "in Rust behind a pointer" } else { "in Rust in place" };
        changes.push((Category::Field, Verb::Changed), name, detail, (Wire::Compatible, Api::Major));
    }
    presence_changed(name, old, new, changes);
    hints_changed(name, old, new, changes);
}

fn presence_changed(name: &str, old: &Field, new: &Field, changes: &mut Changes) {
    if old.presence == new.presence {
        return;
    }
    let detail = format!("{}, was {}", presence(new), presence(old));
    let judged = match (&old.presence, &new.presence) {
        // A default that is spelled out is that of the type, or it would have been refused.
        (Presence::Default(_), Presence::Default(_)) => (Wire::Compatible, Api::Patch),
        _ => (Wire::compatible_if(takes(old, new) && takes(new, old)), Api::Major),
    };
    changes.push((Category::Presence, Verb::Changed), name, detail, judged);
}

/// Returns true if a reader of the one takes the absence and the `null` that a writer of the other
/// may send.
fn takes(reader: &Field, writer: &Field) -> bool {
    let takes_null = may_be_null(reader) || reader.on_error != OnError::Fail;
    (may_be_absent(reader) || !may_be_absent(writer)) && (takes_null || !may_be_null(writer))
}

fn may_be_absent(field: &Field) -> bool {
    !matches!(field.presence, Presence::Required | Presence::RequiredNullable)
}

fn may_be_null(field: &Field) -> bool {
    matches!(field.presence, Presence::RequiredNullable | Presence::Optional | Presence::Patch)
}

fn hints_changed(name: &str, old: &Field, new: &Field, changes: &mut Changes) {
    if old.on_error != new.on_error {
        let detail = format!("{}, was: {}", on_error(new), on_error(old));
        let judged = (Wire::compatible_if(leniency(new) > leniency(old)), Api::Patch);
        changes.push((Category::Hint, Verb::Changed), name, detail, judged);
    }
    if old.skip_items != new.skip_items {
        let detail = if new.skip_items {
            "malformed items are left out"
        } else {
            "malformed items are no longer left out"
        };
        let judged = (Wire::compatible_if(new.skip_items), Api::Patch);
        changes.push((Category::Hint, Verb::Changed), name, detail, judged);
    }
}

fn leniency(field: &Field) -> u8 {
    match field.on_error {
        OnError::Fail => 0,
        OnError::FailExceptNull => 1,
        OnError::Default => 2,
    }
}

fn on_error(field: &Field) -> &'static str {
    match field.on_error {
        OnError::Fail => "malformed values are refused",
        OnError::FailExceptNull => "`null` reads as the default",
        OnError::Default => "malformed values read as absent",
    }
}

pub(super) fn describe(field: &Field) -> String {
    format!("`{}`, {}", field.ty, presence(field))
}

fn presence(field: &Field) -> String {
    match &field.presence {
        Presence::Required => "required".to_owned(),
        Presence::RequiredNullable => "required, may be `null`".to_owned(),
        Presence::Optional => "optional, may be `null`".to_owned(),
        Presence::Patch => "three-state".to_owned(),
        Presence::Default(None) => "optional".to_owned(),
        Presence::Default(Some(default)) => format!("optional with the default `{default}`"),
    }
}
