//! Two schemas of one version, and what their types are on the wire.

use crate::codegen::ir::{Kind, Schema, Type};

/// Both sides, for what concerns more than one definition.
pub(super) struct Sides<'s> {
    pub(super) old: &'s Schema,
    pub(super) new: &'s Schema,
}

impl Sides<'_> {
    /// Returns true if the two types have the same JSON, whatever they are called.
    pub(super) fn same_on_the_wire(&self, old: &Type, new: &Type) -> bool {
        wire_type(self.old, old) == wire_type(self.new, new)
    }
}

fn wire_type(schema: &Schema, of: &Type) -> String {
    match of {
        Type::Ref(name) => match schema.definitions.iter().find(|definition| definition.name == *name) {
            Some(definition) => {
                wire_kind(schema, &definition.kind).unwrap_or_else(|| format!("object {name}"))
            }
            None => format!("object {name}"),
        },
        Type::List(item) => format!("list of {}", wire_type(schema, item)),
        Type::Map(member) => format!("map of {}", wire_type(schema, member)),
        Type::Meta => "map of any".to_owned(),
        plain => plain.to_string(),
    }
}

/// The JSON of a definition, where it is that of a plain type.
pub(super) fn wire_kind(schema: &Schema, kind: &Kind) -> Option<String> {
    match kind {
        Kind::Newtype(of) => Some(wire_type(schema, of)),
        Kind::StringEnum(values) if values.open => Some(Type::String.to_string()),
        Kind::IntegerEnum { repr, .. } => Some(repr.to_string()),
        _ => None,
    }
}
