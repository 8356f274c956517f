//! The names of the arms of unions.

use crate::codegen::names;

use super::lowering::Lowering;
use super::place::{Place, Result};

/// Under what an arm without a tag is documented and named in the overlay: its `$ref`, else its
/// title.
pub(super) fn arm_key(arm: &Place<'_>) -> Result<String> {
    let key = arm.reference().or_else(|| arm.node.get("title").and_then(serde_json::Value::as_str));
    key.map(str::to_owned).ok_or_else(|| {
        arm.defect(
            "an arm without a tag, a reference and a title; give it a \"title\", or name its definition",
        )
    })
}

pub(super) fn arm_name(lowering: &Lowering<'_>, name: &str, key: &str, arm: &Place<'_>) -> Result<String> {
    let rust = lowering.overlay.nested("arms", name, key);
    rust.map(str::to_owned).ok_or_else(|| {
        arm.defect(format!("the arm \"{key}\" has no Rust name; add it to {name} in [arms] of the overlay"))
            .mended_by(&["arms", name, key], &names::pascal(key))
    })
}
