//! Unions whose variants are told apart by the value of one member.

use schemars::Schema;
use serde_json::json;

use super::{Object, described};

/// A union that is being described: first the known variants, then what other tags mean.
///
/// No value fits two variants, as the reader too looks at the tag alone: a malformed variant of a known tag is
/// not taken for the variant without one.
#[derive(Debug)]
pub struct Tagged {
    tag: &'static str,
    known: Vec<&'static str>,
    variants: Vec<Schema>,
}

impl Tagged {
    /// Without any variant yet; `tag` is the member that tells them apart.
    #[must_use]
    pub fn new(tag: &'static str) -> Self {
        Tagged { tag, known: Vec::new(), variants: Vec::new() }
    }

    /// A variant with this tag.
    pub fn variant(&mut self, tag: &'static str, payload: Object, description: &str) {
        self.known.push(tag);
        let payload = payload.tag(self.tag, json!({ "type": "string", "const": tag }), true);
        self.variants.push(payload.schema(description));
    }

    /// The variant without a tag.
    pub fn without_tag(&mut self, payload: Object, description: &str) {
        let payload = payload.tag(self.tag, json!({ "type": "null" }), false);
        self.variants.push(payload.schema(description));
    }

    /// The variant without a tag, which variants of unknown tags must do as.
    pub fn without_known_tag(&mut self, payload: Object, description: &str) {
        let tag = json!({ "type": ["string", "null"], "not": { "enum": self.known } });
        self.variants.push(payload.tag(self.tag, tag, false).schema(description));
    }

    /// Variants of unknown tags, with the members that all variants have.
    pub fn unknown(&mut self, mut payload: Object) {
        payload.others();
        let tag = json!({ "type": "string", "not": { "enum": self.known } });
        let payload = payload.tag(self.tag, tag, true);
        self.variants.push(payload.schema("A kind that this version of the protocol does not know."));
    }

    /// The schema, with our wording.
    #[must_use]
    pub fn schema(self, description: &str) -> Schema {
        described(schemars::json_schema!({ "oneOf": self.variants }), description)
    }
}
