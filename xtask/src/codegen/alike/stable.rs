//! A schema without its unstable parts.

use crate::codegen::ir::{Definition, Kind, Payload, Schema, Variant};

/// The schema as it is without the feature `unstable`.
pub(super) fn of(schema: &Schema) -> Schema {
    let mut stable = schema.clone();
    stable.definitions.retain(|definition| !definition.unstable);
    stable.definitions.iter_mut().for_each(definition);
    stable
}

fn definition(definition: &mut Definition) {
    match &mut definition.kind {
        Kind::Object(object) => object.fields.retain(|field| !field.unstable),
        Kind::StringEnum(strings) => strings.values.retain(|value| !value.unstable),
        Kind::IntegerEnum { values, .. } => values.retain(|value| !value.unstable),
        Kind::Tagged(union) => {
            union.variants.retain(|variant| !variant.unstable);
            union.variants.iter_mut().for_each(variant);
        }
        Kind::Newtype(_) | Kind::Untagged(_) => {}
    }
}

fn variant(variant: &mut Variant) {
    if let Payload::Inline(fields) = &mut variant.payload {
        fields.retain(|field| !field.unstable);
    }
}
