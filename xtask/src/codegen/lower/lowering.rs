//! The schema that is lowered, and the decisions about it.

use serde_json::{Map, Value as Json};

use crate::codegen::overlay::Overlay;

/// The other definitions, and the decisions, that lowering a definition looks at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lowering<'s> {
    pub definitions: &'s Map<String, Json>,
    pub overlay: &'s Overlay,
}
