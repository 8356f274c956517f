//! The JSON Schemas that the types give of themselves, judged by the corpus.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use acp_testkit::{CanonicalSchema, Definition, TypeSchemas};
use serde_json::Value as Json;

use super::differences::Rule;
use super::judge::{Extent, Judge, Tally};
use super::reading::{Mode, Reading};
use super::shape::flag;

const VERSIONS: &[&str] = if cfg!(feature = "v2") { &["v1", "v2"] } else { &["v1"] };

/// All versions in one document, as in a user's program.
static TYPES: LazyLock<TypeSchemas> = LazyLock::new(|| TypeSchemas::of(VERSIONS).unwrap());

impl Judge<'_> {
    /// Judges a value. `canonical` is the verdict of the canonical schema, `written` the type's
    /// text after reading.
    pub(crate) fn type_schema(
        self,
        definition: &str,
        json: &Json,
        canonical: bool,
        written: Option<&str>,
        tally: &mut Tally,
    ) {
        let accepts = |json: &Json| TYPES.accepts(self.facts.version, definition, json);
        let accepted = accepts(json);
        let reading = |mode| {
            let mut reading = Reading::new(self.schema.definitions(), self.facts, mode);
            (reading.definition(definition, json).is_some(), reading.used)
        };
        let (expected, narrowed) = reading(Mode::TypeSchema);
        tally.check(accepted == expected, || {
            format!(
                "{definition} {json}: expected of the type's own schema {expected}, but it says {accepted}"
            )
        });
        if canonical != accepted
            && let [(rule, owner)] = Vec::from_iter(narrowed).as_slice()
        {
            *tally.narrowed.entry((*rule, (*owner).to_owned())).or_default() += 1;
        }
        let is_too_large = || reading(Mode::Reader).1.into_iter().any(|(rule, _)| rule == Rule::IntegerFits);
        tally.check(!accepted || written.is_some() || is_too_large(), || {
            format!("{definition} {json}: the type's own schema accepts it, the type refuses it")
        });
        let again = written.map(|text| serde_json::from_str::<Json>(text).unwrap());
        tally.check(!accepted || again.as_ref().is_none_or(accepts), || {
            format!(
                "{definition} {json}: the type's own schema refuses what the type writes for it: {again:?}"
            )
        });
    }
}

/// Checks that only the readers' differences show, as far as the schemas share the rule.
pub(crate) fn show_the_listed_differences(tally: &Tally, listed: &BTreeSet<(Rule, String)>, extent: Extent) {
    let listed: BTreeSet<_> = listed.iter().filter(|(rule, _)| rule.narrows_type_schemas()).collect();
    let shown: BTreeSet<_> = tally.narrowed.keys().collect();
    let unused: Vec<_> = listed.difference(&shown).collect();
    let unlisted: Vec<_> = shown.difference(&listed).collect();
    assert!(
        unused.is_empty() || extent == Extent::Sample,
        "the types' own schemas show no trace of the differences {unused:?}"
    );
    assert!(unlisted.is_empty(), "the types' own schemas differ where it is not listed: {unlisted:?}");
}

#[test]
fn every_definition_has_a_schema_of_its_own_under_its_name() {
    for version in VERSIONS {
        let canonical = CanonicalSchema::load(version).unwrap();
        let envelopes =
            canonical.definitions().values().filter(|schema| flag(schema, "x-docs-ignore")).count();
        let definitions: Vec<_> =
            Definition::all(version).unwrap().map(|definition| definition.name()).collect();
        assert_eq!(definitions.len() + envelopes, canonical.definitions().len(), "{version}");
        for name in definitions {
            // A type that two versions share has the name of the first version.
            let names = VERSIONS.iter().map(|version| format!("#/$defs/{version}.{name}"));
            let names: Vec<_> = names.collect();
            let pointer = TYPES.pointer(version, name).unwrap();
            assert!(names.iter().any(|name| name == pointer), "{version} {name} is at {pointer}");
        }
    }
}

#[test]
fn the_schemas_say_what_is_documented_and_required() {
    let schema = |name: &str| &TYPES.document()["$defs"][name];
    let request = schema("v1.PromptRequest");
    assert_eq!(request["required"], serde_json::json!(["sessionId", "prompt"]));
    assert_eq!(request["properties"]["sessionId"]["$ref"], "#/$defs/v1.SessionId");
    let text = |json: &Json| json["description"].as_str().unwrap_or_default().to_owned();
    assert!(!text(request).is_empty() && !text(&request["properties"]["prompt"]).is_empty());
    assert_eq!(schema("v1.ReadTextFileRequest")["properties"]["line"]["format"], "uint32");
    assert_eq!(schema("v1.PromptCapabilities")["properties"]["image"]["default"], false);
    let tags = schema("v1.ContentBlock")["oneOf"].as_array().unwrap().iter();
    assert!(tags.map(|variant| &variant["properties"]["type"]["const"]).any(|tag| tag == "resource_link"));
}
