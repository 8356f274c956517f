//! From JSON Schema to the IR. What fits no shape is refused: a lax reader loses members silently.

mod arm;
mod collisions;
mod defaults;
mod definition;
mod excluded_tags;
mod fields;
mod lowering;
mod methods;
mod place;
mod tagged;
mod unions;
mod untagged;

use serde_json::{Map, Value as Json};

use crate::codegen::defect::{Defect, Defects};
use crate::codegen::ir::{Schema, Skipped};
use crate::codegen::overlay::Overlay;
use crate::codegen::references;

use lowering::Lowering;

/// Lowers one schema file.
///
/// # Errors
/// Every definition that fits no shape, with the pointer of what was not understood.
pub fn lower(schema: &Json, overlay: &Overlay) -> Result<Schema, Defects> {
    let (lowered, mut defects) = lower_known(schema, overlay);
    if defects.is_empty() {
        // What holds between definitions can be said only when all of them are there.
        defects.extend(references::to_nothing(&lowered));
        defects.extend(defaults::disagreements(&lowered));
        defects.extend(collisions::all(&lowered));
    }
    if defects.is_empty() { Ok(lowered) } else { Err(Defects(defects)) }
}

/// Lowers for a comparison, which goes on without the definitions that fit no shape.
pub fn lower_known(schema: &Json, overlay: &Overlay) -> (Schema, Vec<Defect>) {
    let mut defects = Vec::new();
    let empty = Map::new();
    let definitions = schema.get("$defs").and_then(Json::as_object).unwrap_or(&empty);
    let lowering = Lowering { definitions, overlay };
    let mut lowered = Schema::default();
    for (name, node) in definitions {
        if node.get("x-docs-ignore").is_some() {
            let rule = "message envelopes: acp-rpc reads and writes them";
            lowered.skipped.push(Skipped { name: name.clone(), rule });
            continue;
        }
        match definition::lower(&lowering, name, node, &mut lowered.definitions) {
            Ok(()) => {}
            Err(defect) => defects.push(defect),
        }
    }
    lowered.methods = methods::collect(schema, overlay, &mut defects);
    (lowered, defects)
}
