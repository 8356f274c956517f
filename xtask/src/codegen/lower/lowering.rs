//! The schema that is lowered, and the decisions about it.

use serde_json::{Map, Value as Json};

use crate::codegen::names;
use crate::codegen::overlay::Overlay;

/// The other definitions, and the decisions, that lowering a definition looks at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lowering<'s> {
    pub definitions: &'s Map<String, Json>,
    pub overlay: &'s Overlay,
}

impl Lowering<'_> {
    /// The name of the variant for a value or a tag: the overlay's, or the words of the value.
    pub(super) fn variant(&self, union: &str, wire: &str) -> String {
        let named = self.overlay.nested("variants", union, wire);
        named.map_or_else(|| names::pascal(wire), str::to_owned)
    }
}
