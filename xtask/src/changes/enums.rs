//! Enums of strings and of integers.

use super::change::{Api, Category, Changes, Verb, Wire};
use crate::codegen::ir::{IntegerValue, StringEnum};

pub(super) fn strings(owner: &str, old: &StringEnum, new: &StringEnum, changes: &mut Changes) {
    let value = |value: &crate::codegen::ir::StringValue| Value {
        wire: value.wire.clone(),
        rust: value.rust.clone(),
        unstable: value.unstable,
    };
    let values = |side: &StringEnum| side.values.iter().map(value).collect::<Vec<_>>();
    compare(owner, &values(old), &values(new), (old.open, new.open), changes);
    if old.open != new.open {
        let detail = if new.open { "other values are allowed" } else { "other values are not allowed" };
        changes.push((Category::Definition, Verb::Changed), owner, detail, (Wire::Breaking, Api::Patch));
    }
    if old.default != new.default {
        let named = |default: &Option<String>| {
            default.as_ref().map_or_else(|| "nothing".to_owned(), |value| format!("`{value}`"))
        };
        let detail = format!("absence means {}, was {}", named(&new.default), named(&old.default));
        let judged = match old.default {
            None => (Wire::Compatible, Api::Minor),
            Some(_) => (Wire::Breaking, Api::Major),
        };
        changes.push((Category::Presence, Verb::Changed), owner, detail, judged);
    }
    if old.fallback != new.fallback {
        let detail = format!("what is not known is `{}` in Rust, was `{}`", new.fallback, old.fallback);
        changes.push((Category::Variant, Verb::Changed), owner, detail, (Wire::Compatible, Api::Major));
    }
}

/// Integer enums are newtypes: every number has always been a value.
pub(super) fn integers(owner: &str, old: &[IntegerValue], new: &[IntegerValue], changes: &mut Changes) {
    let value = |value: &IntegerValue| Value {
        wire: value.wire.to_string(),
        rust: value.rust.clone(),
        unstable: value.unstable,
    };
    let values = |side: &[IntegerValue]| side.iter().map(value).collect::<Vec<_>>();
    compare(owner, &values(old), &values(new), (true, true), changes);
}

struct Value {
    wire: String,
    rust: String,
    unstable: bool,
}

fn compare(
    owner: &str,
    old: &[Value],
    new: &[Value],
    (was_open, is_open): (bool, bool),
    changes: &mut Changes,
) {
    let name = |value: &Value| format!("{owner}::{}", value.wire);
    let describe = |value: &Value, open: bool| {
        let closed = if open { "" } else { ", a value of a closed enum" };
        format!("`{}` in Rust{closed}", value.rust)
    };
    for value in new {
        match old.iter().find(|other| other.wire == value.wire) {
            None => {
                let judged = (Wire::compatible_if(was_open), Api::Minor);
                let detail = describe(value, was_open);
                changes.added(Category::Variant, name(value), detail, judged, value.unstable);
            }
            Some(other) => {
                changes.moved(Category::Variant, &name(value), other.unstable, value.unstable);
                if other.rust != value.rust {
                    let detail = format!("in Rust `{}`, was `{}`", value.rust, other.rust);
                    let judged = (Wire::Compatible, Api::Major);
                    changes.push((Category::Variant, Verb::Changed), name(value), detail, judged);
                }
            }
        }
    }
    for value in old.iter().filter(|value| !new.iter().any(|other| other.wire == value.wire)) {
        let wire = Wire::compatible_if(is_open);
        changes.removed(Category::Variant, name(value), describe(value, is_open), wire, value.unstable);
    }
}
