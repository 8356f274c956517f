//! Two schemas of one version: what came, what went, what moved, and what looks renamed.

use super::change::{Api, Category, Change, Changes, Stability, Verb, Wire};
use super::sides::{Sides, wire_kind};
use super::{enums, fields, methods, renames, unions};
use crate::codegen::derives::Derives;
use crate::codegen::ir::{Definition, Kind, Schema, Type};

/// Every change, sorted. Definitions that one side could not read are left out.
pub(super) fn schemas(old: &Schema, new: &Schema, unread: &[&str]) -> Vec<Change> {
    let (old, new) = (without(old, unread), without(new, unread));
    let names = renames::definitions(&old, &new);
    let renamed = renames::apply(&old, &names);
    let sides = Sides { old: &renamed, new: &new };
    let mut changes = Vec::new();
    for (was, is) in &names {
        let unstable = new.definitions.iter().any(|one| one.name == *is && one.unstable);
        let mut found = Changes::new(Stability::of(unstable));
        let judged = (Wire::Compatible, Api::Major);
        found.push((Category::Definition, Verb::Renamed), is, format!("was `{was}`"), judged);
        changes.extend(found.found);
    }
    for definition in &new.definitions {
        match renamed.definitions.iter().find(|other| other.name == definition.name) {
            Some(other) => changes.extend(sides.definition(other, definition)),
            None => changes.push(whole(definition, Verb::Added, (Wire::Compatible, Api::Minor))),
        }
    }
    for definition in &renamed.definitions {
        if !new.definitions.iter().any(|other| other.name == definition.name) {
            changes.push(whole(definition, Verb::Removed, (Wire::Breaking, Api::Major)));
        }
    }
    changes.extend(methods::compared(&renamed.methods, &new.methods, unread));
    changes.sort();
    changes
}

fn without(schema: &Schema, unread: &[&str]) -> Schema {
    let mut schema = schema.clone();
    schema.definitions.retain(|definition| !unread.contains(&definition.described_by.as_str()));
    schema
}

fn whole(definition: &Definition, verb: Verb, judged: (Wire, Api)) -> Change {
    let mut found = Changes::new(Stability::of(definition.unstable));
    found.push((Category::Definition, verb), &definition.name, kind(&definition.kind), judged);
    found.found.remove(0)
}

/// Describes the kind of a type.
fn kind(kind: &Kind) -> String {
    match kind {
        Kind::Object(object) => match object.fields.len() {
            1 => "an object with 1 member".to_owned(),
            count => format!("an object with {count} members"),
        },
        Kind::Newtype(of) => format!("`{of}` under a name"),
        Kind::StringEnum(values) => format!("an enum of {} strings", values.values.len()),
        Kind::IntegerEnum { values, .. } => format!("an enum of {} integers", values.len()),
        Kind::Tagged(union) => {
            format!("a union of {} kinds by the tag `{}`", union.variants.len(), union.tag)
        }
        Kind::Untagged(union) => format!("a union of {} arms without a tag", union.arms.len()),
    }
}

impl Sides<'_> {
    fn definition(&self, old: &Definition, new: &Definition) -> Vec<Change> {
        let mut changes = Changes::new(Stability::of(old.unstable && new.unstable));
        changes.moved(Category::Definition, &new.name, old.unstable, new.unstable);
        // Parts of a definition that moves as a whole have no move of their own.
        let (old, new) = (settled(old), settled(new));
        match (&old.kind, &new.kind) {
            (Kind::Object(was), Kind::Object(is)) => fields::objects(self, &new.name, was, is, &mut changes),
            (Kind::Newtype(was), Kind::Newtype(is)) => self.newtype(&new.name, was, is, &mut changes),
            (Kind::StringEnum(was), Kind::StringEnum(is)) => {
                enums::strings(&new.name, was, is, &mut changes);
            }
            (
                Kind::IntegerEnum { values: was, repr: old_repr },
                Kind::IntegerEnum { values: is, repr: new_repr },
            ) => {
                self.newtype(&new.name, old_repr, new_repr, &mut changes);
                enums::integers(&new.name, was, is, &mut changes);
            }
            (Kind::Tagged(was), Kind::Tagged(is)) => unions::tagged(self, &new.name, was, is, &mut changes),
            (Kind::Untagged(was), Kind::Untagged(is)) => {
                unions::untagged(self, &new.name, was, is, &mut changes);
            }
            (was, is) => {
                let detail = format!("{}, was {}", kind(is), kind(was));
                let same = wire_kind(self.old, was) == wire_kind(self.new, is);
                let judged = (Wire::compatible_if(same), Api::Major);
                changes.push((Category::Definition, Verb::Changed), &new.name, detail, judged);
            }
        }
        if old.whole_null != new.whole_null {
            let detail = if new.whole_null {
                "a bare `null` reads as the default"
            } else {
                "a bare `null` is refused"
            };
            let judged = (Wire::compatible_if(new.whole_null), Api::Patch);
            changes.push((Category::Hint, Verb::Changed), &new.name, detail, judged);
        }
        self.derives(&old, &new, &mut changes);
        changes.found
    }

    fn newtype(&self, name: &str, old: &Type, new: &Type, changes: &mut Changes) {
        if old != new {
            let detail = format!("`{new}`, was `{old}`");
            let judged = (Wire::compatible_if(self.same_on_the_wire(old, new)), Api::Major);
            changes.push((Category::Definition, Verb::Changed), name, detail, judged);
        }
    }

    /// A member far away can take `Default` or `Eq` from a type.
    fn derives(&self, old: &Definition, new: &Definition, changes: &mut Changes) {
        let (before, after) = (Derives::new(self.old), Derives::new(self.new));
        let derives = [
            ("`Default`", before.defaults(old), after.defaults(new)),
            ("`Eq` and `Hash`", before.definition_has_eq(old), after.definition_has_eq(new)),
        ];
        for (what, had, has) in derives {
            let (detail, api) = match (had, has) {
                (true, false) => (format!("loses {what}"), Api::Major),
                (false, true) => (format!("gains {what}"), Api::Minor),
                _ => continue,
            };
            let judged = (Wire::Compatible, api);
            changes.push((Category::Definition, Verb::Changed), &new.name, detail, judged);
        }
    }
}

/// In an unstable definition everything is.
fn settled(definition: &Definition) -> Definition {
    let mut settled = definition.clone();
    if definition.unstable {
        match &mut settled.kind {
            Kind::Object(object) => object.fields.iter_mut().for_each(|field| field.unstable = false),
            Kind::StringEnum(values) => values.values.iter_mut().for_each(|value| value.unstable = false),
            Kind::IntegerEnum { values, .. } => values.iter_mut().for_each(|value| value.unstable = false),
            Kind::Tagged(union) => union.variants.iter_mut().for_each(|variant| variant.unstable = false),
            Kind::Newtype(_) | Kind::Untagged(_) => {}
        }
    }
    settled
}
