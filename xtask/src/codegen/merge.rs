//! The stable and the unstable schema of a version become one: what only the unstable one has is
//! marked.
//!
//! Unstable may add: definitions, optional members, values, variants, methods. Anything else would
//! make a type of the stable protocol mean two things, and is refused.

use super::defect::{Defect, Defects};
use super::ir::{Definition, Field, Kind, Object, Presence, Schema};

/// Merges two lowered schemas.
///
/// # Errors
/// Everything in which the unstable schema differs by more than an addition.
pub fn merge(stable: &Schema, unstable: Schema) -> Result<Schema, Defects> {
    let (merged, defects) = merge_known(stable, unstable);
    if defects.is_empty() { Ok(merged) } else { Err(Defects(defects)) }
}

/// Merges for a comparison, which goes on without the parts that do not merge.
pub fn merge_known(stable: &Schema, unstable: Schema) -> (Schema, Vec<Defect>) {
    let mut merged = unstable;
    let mut defects = Vec::new();
    for definition in &mut merged.definitions {
        match stable.definitions.iter().find(|other| other.name == definition.name) {
            None => definition.unstable = true,
            Some(other) => {
                if let Err(message) = mark_definition(other, definition) {
                    defects.push(defect(&definition.described_by, message));
                }
            }
        }
    }
    for definition in &stable.definitions {
        if !merged.definitions.iter().any(|other| other.name == definition.name) {
            defects.push(defect(&definition.described_by, "only the stable schema has it".to_owned()));
        }
    }
    for method in &mut merged.methods {
        let is_same =
            |name: &str, is_request: bool| name == method.name && is_request == method.response.is_some();
        let known = stable.methods.iter().find(|other| is_same(&other.name, other.response.is_some()));
        method.unstable = known.is_none();
        if known.is_some_and(|known| (known.handler, &known.params) != (method.handler, &method.params)) {
            defects.push(defect(&method.params, format!("the unstable schema changes {}", method.name)));
        }
    }
    (merged, defects)
}

fn defect(name: &str, message: String) -> Defect {
    Defect::of(name, message)
}

fn mark_definition(stable: &Definition, merged: &mut Definition) -> Result<(), String> {
    match (&stable.kind, &mut merged.kind) {
        (Kind::Object(stable), Kind::Object(merged)) => mark_object(stable, merged),
        (Kind::StringEnum(stable), Kind::StringEnum(merged)) => {
            if (stable.open, &stable.default) != (merged.open, &merged.default) {
                return Err("the unstable schema opens or closes the enum".to_owned());
            }
            mark(
                &stable.values,
                &mut merged.values,
                PartialEq::eq,
                |value| &mut value.unstable,
                |value| &value.wire,
            )
        }
        (Kind::IntegerEnum { values: stable, .. }, Kind::IntegerEnum { values: merged, .. }) => {
            mark(stable, merged, PartialEq::eq, |value| &mut value.unstable, |value| &value.wire)
        }
        (Kind::Tagged(stable), Kind::Tagged(merged)) => {
            let same = (&stable.tag, &stable.default, stable.lenient, &stable.unknown)
                == (&merged.tag, &merged.default, merged.lenient, &merged.unknown);
            if !same {
                return Err("the unstable schema changes how the variants are told apart".to_owned());
            }
            mark(
                &stable.variants,
                &mut merged.variants,
                PartialEq::eq,
                |variant| &mut variant.unstable,
                |variant| &variant.wire,
            )
        }
        (stable, merged) if *stable == *merged => Ok(()),
        _ => Err("the unstable schema makes another type of it".to_owned()),
    }
}

/// Returns true if two members are the same. Their `default`s have been checked against the types',
/// which may have grown, and with them what is spelled out. Bounds make no other type: they bind
/// writers alone.
fn same_field(stable: &Field, merged: &Field) -> bool {
    let presence = |field: &Field| match &field.presence {
        Presence::Default(_) => Presence::Default(None),
        presence => presence.clone(),
    };
    let plain = |field: &Field| Field { presence: presence(field), bounds: Vec::new(), ..field.clone() };
    plain(stable) == plain(merged)
}

fn mark_object(stable: &Object, merged: &mut Object) -> Result<(), String> {
    if stable.union != merged.union {
        return Err("the unstable schema changes the union inside".to_owned());
    }
    if stable.others != merged.others {
        return Err("the unstable schema changes whether other members are kept".to_owned());
    }
    mark(&stable.fields, &mut merged.fields, same_field, |field| &mut field.unstable, |field| &field.wire)?;
    let needed = |field: &&Field| {
        field.unstable && matches!(field.presence, Presence::Required | Presence::RequiredNullable)
    };
    match merged.fields.iter().find(needed) {
        Some(field) => Err(format!("the unstable schema requires the member {}", field.wire)),
        None => Ok(()),
    }
}

/// Marks the parts that only `merged` has. All others must be the same on both sides.
fn mark<T, K: PartialEq + std::fmt::Display>(
    stable: &[T],
    merged: &mut [T],
    same: impl Fn(&T, &T) -> bool,
    flag: impl Fn(&mut T) -> &mut bool,
    key: impl Fn(&T) -> &K,
) -> Result<(), String> {
    for part in merged.iter_mut() {
        match stable.iter().find(|other| key(other) == key(part)) {
            None => *flag(part) = true,
            Some(other) if same(other, part) => {}
            Some(_) => return Err(format!("the unstable schema changes {}", key(part))),
        }
    }
    match stable.iter().find(|part| !merged.iter().any(|other| key(other) == key(part))) {
        Some(lost) => Err(format!("the unstable schema drops {}", key(lost))),
        None => Ok(()),
    }
}
