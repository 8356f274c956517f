//! The schemas of the types that are written by hand.

use std::borrow::Cow;

use acp_json::Map;
use schemars::{JsonSchema, Schema, SchemaGenerator};

use crate::{Maybe, Meta, UnknownVariant};

/// Describes a member that is a value or `null`. The object itself says that the member may be
/// absent.
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

/// Describes an object.
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

/// Describes an object. The union that the variant belongs to restricts its tag.
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
