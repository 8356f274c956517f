//! Schemas of unions whose variants are told apart by the value of one member.

use schemars::Schema;
use serde_json::json;

use super::{Object, described};

/// A description of a union in progress: first the known variants, then the meaning of other tags.
///
/// No value fits two variants, because the reader too looks only at the tag. A malformed variant
/// with a known tag is not taken for the variant without one.
#[derive(Debug)]
pub struct Tagged {
    tag: &'static str,
    known: Vec<&'static str>,
    variants: Vec<Schema>,
}

impl Tagged {
    /// Starts a description without variants. The member `tag` tells them apart.
    #[must_use]
    pub fn new(tag: &'static str) -> Self {
        Tagged { tag, known: Vec::new(), variants: Vec::new() }
    }

    /// Adds a variant with this tag.
    pub fn variant(&mut self, tag: &'static str, payload: Object, description: &str) {
        self.known.push(tag);
        let payload = payload.tag(self.tag, json!({ "type": "string", "const": tag }), true);
        self.variants.push(payload.schema(description));
    }

    /// Adds the variant without a tag.
    pub fn without_tag(&mut self, payload: Object, description: &str) {
        let payload = payload.tag(self.tag, json!({ "type": "null" }), false);
        self.variants.push(payload.schema(description));
    }

    /// Adds the variant without a tag. Variants of unknown tags must be valid as this one.
    pub fn without_known_tag(&mut self, payload: Object, description: &str) {
        let tag = json!({ "type": ["string", "null"], "not": { "enum": self.known } });
        self.variants.push(payload.tag(self.tag, tag, false).schema(description));
    }

    /// Adds variants of unknown tags, with the members that all variants have.
    pub fn unknown(&mut self, mut payload: Object) {
        payload.others();
        let tag = json!({ "type": "string", "not": { "enum": self.known } });
        let payload = payload.tag(self.tag, tag, true);
        self.variants.push(payload.schema("A kind that this version of the protocol does not know."));
    }

    /// Returns the schema, with our wording.
    #[must_use]
    pub fn schema(self, description: &str) -> Schema {
        described(schemars::json_schema!({ "oneOf": self.variants }), description)
    }
}
