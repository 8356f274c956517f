//! Questions about the canonical schema.

use serde_json::{Map, Value as Json};

pub(crate) type Definitions = Map<String, Json>;

/// Returns the definition that `$ref` or a lone `allOf: [$ref]` names.
pub(crate) fn reference(schema: &Json) -> Option<&str> {
    let direct = schema.get("$ref");
    let wrapped = || schema.get("allOf")?.as_array()?.first()?.get("$ref");
    direct.or_else(wrapped)?.as_str()?.strip_prefix("#/$defs/")
}

/// Returns the arms of a union.
pub(crate) fn arms(schema: &Json) -> Option<&Vec<Json>> {
    schema.get("oneOf").or_else(|| schema.get("anyOf"))?.as_array()
}

pub(crate) fn properties(schema: &Json) -> impl Iterator<Item = (&str, &Json)> {
    let properties = schema.get("properties").and_then(Json::as_object);
    properties.into_iter().flatten().map(|(name, schema)| (name.as_str(), schema))
}

/// Returns the members of an object itself, without the tag of a union that lies flat in it.
pub(crate) fn own_properties(schema: &Json) -> impl Iterator<Item = (&str, &Json)> {
    let tag = arms(schema).and_then(|arms| tag(arms));
    properties(schema).filter(move |(name, _)| Some(*name) != tag)
}

pub(crate) fn requires(schema: &Json, name: &str) -> bool {
    required(schema).any(|required| required == name)
}

pub(crate) fn required(schema: &Json) -> impl Iterator<Item = &str> {
    schema.get("required").and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str)
}

/// Returns the JSON type, without `null`.
pub(crate) fn json_type(schema: &Json) -> Option<&str> {
    match schema.get("type")? {
        Json::Array(types) => types.iter().filter_map(Json::as_str).find(|name| *name != "null"),
        name => name.as_str(),
    }
}

pub(crate) fn flag(schema: &Json, name: &str) -> bool {
    schema.get(name).and_then(Json::as_bool).unwrap_or(false)
}

/// Returns true if the schema allows any JSON.
pub(crate) fn is_any(schema: &Json) -> bool {
    schema.get("type").is_none() && reference(schema).is_none() && arms(schema).is_none()
}

/// Returns true if a member may be `null`.
pub(crate) fn is_nullable(schema: &Json) -> bool {
    let null_type =
        schema.get("type").and_then(Json::as_array).is_some_and(|types| types.contains(&"null".into()));
    let null_arm = arms(schema).is_some_and(|arms| arms.iter().any(|arm| json_type_is(arm, "null")));
    null_type || null_arm || is_any(schema)
}

pub(crate) fn json_type_is(schema: &Json, name: &str) -> bool {
    schema.get("type").is_some_and(|found| found == name)
}

/// Returns the member whose constant value tells the arms apart.
pub(crate) fn tag(arms: &[Json]) -> Option<&str> {
    let mut properties = arms.iter().flat_map(properties);
    properties.find(|(_, schema)| schema.get("const").is_some()).map(|(name, _)| name)
}

/// Returns the tag of an arm. It is `None` for an arm that ignores the tag or does not know it.
pub(crate) fn tag_of<'s>(arm: &'s Json, tag: &str) -> Option<&'s str> {
    arm.get("properties")?.get(tag)?.get("const")?.as_str()
}

/// Returns true for a union of objects: a union with a tag, or of definitions that are objects.
pub(crate) fn is_object_union(definitions: &Definitions, arms: &[Json]) -> bool {
    let is_object = |arm: &Json| {
        let target = reference(arm).and_then(|name| definitions.get(name));
        json_type_is(target.unwrap_or(arm), "object")
    };
    tag(arms).is_some() || arms.iter().all(is_object)
}

/// Returns the member that only this arm requires.
pub(crate) fn deciding_member<'s>(
    definitions: &'s Definitions,
    arms: &'s [Json],
    arm: &'s Json,
) -> Option<&'s str> {
    let target = |arm: &'s Json| {
        let item = arm.get("items").unwrap_or(arm);
        reference(item).and_then(|name| definitions.get(name)).unwrap_or(item)
    };
    let others = || arms.iter().filter(|other| !std::ptr::eq(*other, arm));
    required(target(arm)).find(|name| others().all(|other| !requires(target(other), name)))
}
