//! The schemas of the types that are written by hand.

use std::borrow::Cow;

use acp_json::Map;
use schemars::{JsonSchema, Schema, SchemaGenerator};

use crate::{Maybe, Meta, UnknownVariant};

/// As a member: a value or `null`. Absence is the object's to say, which must not require the member.
impl<T: JsonSchema> JsonSchema for Maybe<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Option::<T>::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        Option::<T>::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Option::<T>::json_schema(generator)
    }
}

/// An object.
impl JsonSchema for Meta {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Map::<acp_json::Value>::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        Map::<acp_json::Value>::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Map::<acp_json::Value>::json_schema(generator)
    }
}

/// An object: the union that the variant is one of says what its tag may be.
impl JsonSchema for UnknownVariant {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Meta::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        Meta::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Meta::json_schema(generator)
    }
}
