//! The independent second reader: typify reads the IR, restated as JSON Schema, and must see the
//! types that our emitter wrote.
//!
//! Neither reading knows of the other: typify never sees our emitter, and our side is read from the
//! text that goes to the files, not from the IR. typify never sees the raw schema either, which it
//! reads wrongly.

mod compare;
mod emitted;
mod our_reading;
mod reading;
mod restate;
mod tokens;
mod typify_reading;
mod union_reading;

use anyhow::{Result, bail};

use super::ir::Schema;
use crate::output::Output;
pub use reading::OutOfScope;

/// The scope of a comparison that found no difference.
#[derive(Debug)]
pub struct Agreement {
    /// The types that both readings have.
    pub types: usize,
    /// The statements about them that are the same in both.
    pub facts: usize,
    pub out_of_scope: Vec<OutOfScope>,
}

/// Compares what typify makes of the IR with what was emitted.
///
/// # Errors
/// Fails if typify refuses the restated IR, if emitted code has a form that no shape has, or if the
/// two readings differ. Then the error names every difference with both readings.
pub fn agree(schema: &Schema, outputs: &[Output]) -> Result<Agreement> {
    let restated = restate::restate(schema)?;
    let mut typify = typify_reading::read(restated.document)?;
    // Their own version has agreed on them.
    typify.retain(|name, _| !schema.shared.contains_key(name));
    restated.renamed.iter().for_each(|renamed| renamed.undo(&mut typify));
    let ours = our_reading::read(outputs)?;
    let compared = compare::compare(&ours, &typify, &restated.out_of_scope);
    if !compared.differences.is_empty() {
        bail!(
            "typify reads the IR differently from what was emitted; nothing was written\n{}\n\
             Compare the lowering (xtask/src/codegen), the emitter (xtask/src/codegen/emit) and the restatement \
             (xtask/src/codegen/second_reader/restate.rs) with the schema.",
            compared.differences.join("\n")
        );
    }
    Ok(Agreement { types: ours.len(), facts: compared.same, out_of_scope: restated.out_of_scope })
}
