//! Two schemas of one version: what came, what went, what moved, and what looks renamed.

use super::change::{Api, Category, Change, Changes, Stability, Verb, Wire};
use super::{enums, fields, renames, unions};
use crate::codegen::derives::Derives;
use crate::codegen::ir::{Definition, Kind, Method, Schema, Type};

/// Both sides, for what concerns more than one definition.
pub(super) struct Sides<'s> {
    pub(super) old: &'s Schema,
    pub(super) new: &'s Schema,
}

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
    changes.extend(methods(&renamed.methods, &new.methods, unread));
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

/// What kind of type it is.
pub(super) fn kind(kind: &Kind) -> String {
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

    /// Whether the two types have the same JSON, whatever they are called.
    pub(super) fn same_on_the_wire(&self, old: &Type, new: &Type) -> bool {
        wire_type(self.old, old) == wire_type(self.new, new)
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

fn wire_type(schema: &Schema, of: &Type) -> String {
    match of {
        Type::Ref(name) => match schema.definitions.iter().find(|definition| definition.name == *name) {
            Some(definition) => {
                wire_kind(schema, &definition.kind).unwrap_or_else(|| format!("object {name}"))
            }
            None => format!("object {name}"),
        },
        Type::List(item) => format!("list of {}", wire_type(schema, item)),
        Type::Map(member) => format!("map of {}", wire_type(schema, member)),
        Type::Meta => "map of any".to_owned(),
        plain => plain.to_string(),
    }
}

/// The JSON of a definition, where it is that of a plain type.
fn wire_kind(schema: &Schema, kind: &Kind) -> Option<String> {
    match kind {
        Kind::Newtype(of) => Some(wire_type(schema, of)),
        Kind::StringEnum(values) if values.open => Some(Type::String.to_string()),
        Kind::IntegerEnum { repr, .. } => Some(repr.to_string()),
        _ => None,
    }
}

fn methods(old: &[Method], new: &[Method], unread: &[&str]) -> Vec<Change> {
    let same = |one: &Method, other: &Method| {
        one.name == other.name && one.response.is_some() == other.response.is_some()
    };
    let is_read = |method: &&Method| !unread.contains(&method.params.as_str());
    let gone: Vec<&Method> =
        old.iter().filter(is_read).filter(|method| !new.iter().any(|other| same(method, other))).collect();
    let came: Vec<&Method> =
        new.iter().filter(is_read).filter(|method| !old.iter().any(|other| same(method, other))).collect();
    let alike = |one: &Method, other: &Method| {
        (one.handler, &one.params, &one.response) == (other.handler, &other.params, &other.response)
    };
    let mut changes = Vec::new();
    for method in &came {
        let mut found = Changes::new(Stability::of(method.unstable));
        match gone.iter().find(|other| alike(other, method)) {
            Some(was) => found.push(
                (Category::Method, Verb::Renamed),
                &method.name,
                format!("was `{}`", was.name),
                (Wire::Breaking, Api::Major),
            ),
            None => found.push(
                (Category::Method, Verb::Added),
                &method.name,
                signature(method),
                (Wire::Compatible, Api::Minor),
            ),
        }
        changes.extend(found.found);
    }
    for method in gone.iter().filter(|method| !came.iter().any(|other| alike(method, other))) {
        let mut found = Changes::new(Stability::of(method.unstable));
        let judged = (Wire::Breaking, Api::Major);
        found.push((Category::Method, Verb::Removed), &method.name, signature(method), judged);
        changes.extend(found.found);
    }
    for method in new {
        if let Some(other) = old.iter().find(|other| same(other, method)) {
            changes.extend(changed_method(other, method));
        }
    }
    changes
}

fn changed_method(old: &Method, new: &Method) -> Vec<Change> {
    let mut changes = Changes::new(Stability::of(old.unstable && new.unstable));
    changes.moved(Category::Method, &new.name, old.unstable, new.unstable);
    if (old.handler, &old.params, &old.response) != (new.handler, &new.params, &new.response) {
        let detail = format!("{}, was {}", signature(new), signature(old));
        let judged = (Wire::Breaking, Api::Major);
        changes.push((Category::Method, Verb::Changed), &new.name, detail, judged);
    }
    if old.marker != new.marker {
        let detail = format!("the marker is `{}`, was `{}`", new.marker, old.marker);
        let judged = (Wire::Compatible, Api::Major);
        changes.push((Category::Method, Verb::Changed), &new.name, detail, judged);
    }
    if old.capability != new.capability {
        let named = |capability: &Option<String>| {
            capability.as_ref().map_or_else(|| "no capability".to_owned(), |path| format!("`{path}`"))
        };
        let detail = format!("needs {}, was {}", named(&new.capability), named(&old.capability));
        let judged = (Wire::compatible_if(new.capability.is_none()), Api::Patch);
        changes.push((Category::Method, Verb::Changed), &new.name, detail, judged);
    }
    changes.found
}

fn signature(method: &Method) -> String {
    let handler = match method.handler {
        crate::codegen::ir::Side::Agent => "the agent",
        crate::codegen::ir::Side::Client => "the client",
        crate::codegen::ir::Side::Both => "both sides",
        crate::codegen::ir::Side::Proxy => "a proxy",
    };
    match &method.response {
        Some(response) => format!("request to {handler}, `{}` to `{response}`", method.params),
        None => format!("notification to {handler}, `{}`", method.params),
    }
}
