//! The subjects of an overlay's decisions, to tell decisions about other releases from stale ones.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value as Json};

use crate::codegen::overlay::Overlay;

/// The definitions of a release, each with what there is to decide about in it.
#[derive(Debug, Default)]
pub struct Subjects(BTreeMap<String, BTreeSet<Subject>>);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Subject {
    Method(String),
    /// No tag of a union: that becomes no field.
    Member(String),
    Value(String),
    /// By the definition that it refers to, else by its title.
    Arm(String),
    /// An arm that is an object of its own.
    OwnArm(String),
    /// A union that shares the object with other members.
    Flattened,
}

impl Subjects {
    /// Collects the subjects of all schema files of a version.
    #[must_use]
    pub fn of(schemas: &[Json]) -> Self {
        let mut subjects = Subjects::default();
        for schema in schemas {
            for (name, definition) in schema.get("$defs").and_then(Json::as_object).into_iter().flatten() {
                let found = subjects.0.entry(name.clone()).or_default();
                collect(definition, found);
                if definition.get("properties").is_some() && arms(definition).next().is_some() {
                    found.insert(Subject::Flattened);
                }
            }
        }
        subjects
    }

    /// The decisions that nothing asks for although the release has what they are about. The
    /// operations of the two sides and the types that versions share are not about one version's
    /// types, and never among them.
    #[must_use]
    pub fn stale(&self, overlay: &Overlay) -> Vec<String> {
        let unused = overlay.unused();
        unused.into_iter().filter(|entry| self.belongs(entry, overlay)).collect()
    }

    fn belongs(&self, entry: &str, overlay: &Overlay) -> bool {
        let parts: Vec<&str> = entry.split(" / ").collect();
        let has = |owner: &str, subject: Subject| {
            self.0.get(owner).is_some_and(|subjects| subjects.contains(&subject))
        };
        let anywhere = |subject: Subject| self.0.values().any(|subjects| subjects.contains(&subject));
        // A union that lies flat in objects goes by a name of ours.
        let is_flat_in = |definition: &str, owner: &str| {
            definition == owner || overlay.nested("flattened", definition, "type") == Some(owner)
        };
        let in_union = |owner: &str, subject: &Subject| {
            let mut owners = self.0.iter().filter(|(definition, _)| is_flat_in(definition, owner));
            owners.any(|(_, subjects)| subjects.contains(subject))
        };
        match parts.as_slice() {
            ["members", name] => anywhere(Subject::Member((*name).to_owned())),
            ["capabilities", name] => anywhere(Subject::Method((*name).to_owned())),
            ["patch", owner, name] => has(owner, Subject::Member((*name).to_owned())),
            ["integers", owner, value] => has(owner, Subject::Value((*value).to_owned())),
            ["arms", owner, key] => {
                let key = || (*key).to_owned();
                in_union(owner, &Subject::Arm(key())) || in_union(owner, &Subject::OwnArm(key()))
            }
            ["arm_types", owner, key] => in_union(owner, &Subject::OwnArm((*key).to_owned())),
            ["flattened", owner, _] => has(owner, Subject::Flattened),
            ["defaults", name] | ["null" | "layout", _, name] => self.0.contains_key(*name),
            _ => false,
        }
    }
}

fn collect(node: &Json, found: &mut BTreeSet<Subject>) {
    match node {
        Json::Object(members) => {
            let text = |key| members.get(key).and_then(Json::as_str).map(str::to_owned);
            found.extend(text("x-method").map(Subject::Method));
            found.extend(members.get("const").map(|value| Subject::Value(plain(value))));
            found.extend(arms(node).filter_map(Json::as_object).filter_map(arm));
            if !members.contains_key("not") {
                let properties = members.get("properties").and_then(Json::as_object).into_iter().flatten();
                let fields = properties.filter(|(_, property)| property.get("const").is_none());
                found.extend(fields.map(|(name, _)| Subject::Member(name.clone())));
            }
            members.values().for_each(|member| collect(member, found));
        }
        Json::Array(items) => items.iter().for_each(|item| collect(item, found)),
        _ => {}
    }
}

fn arms(node: &Json) -> impl Iterator<Item = &Json> {
    ["anyOf", "oneOf"].into_iter().filter_map(|key| node.get(key)?.as_array()).flatten()
}

fn arm(arm: &Map<String, Json>) -> Option<Subject> {
    let reference = arm.get("$ref").or_else(|| arm.get("allOf")?.get(0)?.get("$ref"));
    if let Some(name) = reference.and_then(|path| path.as_str()?.strip_prefix("#/$defs/")) {
        return Some(Subject::Arm(name.to_owned()));
    }
    let title = arm.get("title")?.as_str()?.to_owned();
    Some(if arm.contains_key("properties") { Subject::OwnArm(title) } else { Subject::Arm(title) })
}

fn plain(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
