//! The JSON Schemas of the hand-written types, and of types of both versions in one document.

use acp_types::{Map, Maybe, Meta, UnknownVariant, Value, v1};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

#[test]
fn types_written_by_hand_say_what_they_hold() {
    type Of = fn(&mut SchemaGenerator) -> Schema;
    let free = || json_schema!({ "type": "object", "additionalProperties": true });
    let cases: [(&str, Of, Schema); 6] = [
        ("any JSON", SchemaGenerator::subschema_for::<Value>, json_schema!(true)),
        ("a map of any JSON", SchemaGenerator::subschema_for::<Map>, free()),
        ("_meta", SchemaGenerator::subschema_for::<Meta>, free()),
        ("a later variant", SchemaGenerator::subschema_for::<UnknownVariant>, free()),
        (
            "a map",
            SchemaGenerator::subschema_for::<Map<bool>>,
            json_schema!({ "type": "object", "additionalProperties": { "type": "boolean" } }),
        ),
        (
            "a member of three states",
            SchemaGenerator::subschema_for::<Maybe<String>>,
            json_schema!({ "type": ["string", "null"] }),
        ),
    ];
    for (what, of, expected) in cases {
        assert_eq!(of(&mut SchemaSettings::draft2020_12().into_generator()), expected, "{what}");
    }
}

#[test]
fn a_schema_refers_to_the_types_of_its_members_by_version_and_name() {
    let schema = schemars::schema_for!(v1::PromptRequest);
    assert_eq!(schema.get("title").unwrap(), "v1.PromptRequest");
    assert_eq!(schema.pointer("/properties/sessionId/$ref").unwrap(), "#/$defs/v1.SessionId");
    assert_eq!(schema.pointer("/properties/prompt/items/$ref").unwrap(), "#/$defs/v1.ContentBlock");
    assert!(schema.pointer("/$defs/v1.ContentBlock/description").is_some());
}

#[test]
fn what_a_side_sends_is_the_content_of_any_of_its_messages() {
    let schema = schemars::schema_for!(v1::messages::ClientNotification);
    let arms = schema.get("anyOf").unwrap().as_array().unwrap();
    let cancel = arms.iter().find(|arm| arm["description"] == "`session/cancel`").unwrap();
    assert_eq!(cancel["$ref"], "#/$defs/v1.CancelNotification");
}

#[cfg(feature = "v2")]
#[test]
fn two_versions_stand_beside_each_other_in_one_document() {
    use acp_types::v2;
    let mut generator = SchemaGenerator::default();
    let names =
        [generator.subschema_for::<v1::PromptRequest>(), generator.subschema_for::<v2::PromptRequest>()];
    let names = names.map(|schema| schema.get("$ref").unwrap().clone());
    assert_eq!(names, ["#/$defs/v1.PromptRequest", "#/$defs/v2.PromptRequest"]);
    assert_ne!(v1::PromptRequest::schema_id(), v2::PromptRequest::schema_id());
}
