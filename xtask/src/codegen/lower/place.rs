//! A part of the schema, and where it is.

use serde_json::Value as Json;

use crate::codegen::defect::Defect;

pub(super) type Result<T> = std::result::Result<T, Defect>;

/// A part of the schema, and where it is.
#[derive(Clone, Debug)]
pub(super) struct Place<'s> {
    pub definition: String,
    pub pointer: String,
    pub node: &'s Json,
}

impl<'s> Place<'s> {
    pub(super) fn definition(name: &str, node: &'s Json) -> Self {
        Place { definition: name.to_owned(), pointer: format!("#/$defs/{name}"), node }
    }

    pub(super) fn at(&self, step: impl std::fmt::Display, node: &'s Json) -> Self {
        Place { definition: self.definition.clone(), pointer: format!("{}/{step}", self.pointer), node }
    }

    pub(super) fn get(&self, key: &str) -> Option<Place<'s>> {
        self.node.get(key).map(|node| self.at(key, node))
    }

    pub(super) fn defect(&self, message: impl Into<String>) -> Defect {
        Defect::at(&self.definition, self.pointer.clone(), message)
    }

    /// The arms of a union.
    pub(super) fn arms(&self) -> Result<Vec<Place<'s>>> {
        let union = self.get("oneOf").or_else(|| self.get("anyOf")).ok_or_else(|| self.defect("no union"))?;
        let arms = union.node.as_array().ok_or_else(|| union.defect("a union must be a list"))?;
        Ok(arms.iter().enumerate().map(|(index, arm)| union.at(index, arm)).collect())
    }

    /// The properties, in order.
    pub(super) fn properties(&self) -> Vec<(&'s str, Place<'s>)> {
        let Some(properties) = self.get("properties") else { return Vec::new() };
        let members = properties.node.as_object().into_iter().flatten();
        members.map(|(name, node)| (name.as_str(), properties.at(name, node))).collect()
    }

    pub(super) fn requires(&self, property: &str) -> bool {
        let required = self.node.get("required").and_then(Json::as_array);
        required.is_some_and(|list| list.iter().any(|name| name == property))
    }

    pub(super) fn flag(&self, key: &str) -> bool {
        self.node.get(key).and_then(Json::as_bool).unwrap_or(false)
    }

    /// The definition that `$ref` or a lone `allOf: [$ref]` points to.
    pub(super) fn reference(&self) -> Option<&'s str> {
        let direct = self.node.get("$ref");
        let wrapped = || match self.node.get("allOf").and_then(Json::as_array).map(Vec::as_slice) {
            Some([only]) => only.get("$ref"),
            _ => None,
        };
        direct.or_else(wrapped)?.as_str()?.strip_prefix("#/$defs/")
    }
}

/// Returns true if the schema says, and does not just leave open, that there may be members without
/// a name in it.
pub(super) fn keeps_others(place: &Place<'_>) -> bool {
    place.node.get("additionalProperties") == Some(&Json::Bool(true))
}
