//! The arm of an open union that takes unknown tags says `not` to each known one. That list must be
//! the tags of the other arms: with one too few, a broken variant that is known would be valid as
//! an unknown one.

use serde_json::Value as Json;

use crate::codegen::ir::Variant;

use super::place::{Place, Result};

/// Compares the list of the arm with the variants that have a tag.
pub(super) fn compare(arm: &Place<'_>, tag: &str, variants: &[Variant]) -> Result<()> {
    let Some(not) = arm.get("not") else { return Ok(()) };
    let listed = not.arms()?.iter().map(|one| excluded(one, tag)).collect::<Result<Vec<&str>>>()?;
    let known: Vec<&str> = variants.iter().map(|variant| variant.wire.as_str()).collect();
    let missing = |from: &[&str], of: &[&str]| {
        let missing: Vec<&str> = of.iter().copied().filter(|wire| !from.contains(wire)).collect();
        missing.join(", ")
    };
    let (unlisted, unknown) = (missing(&listed, &known), missing(&known, &listed));
    if unlisted.is_empty() && unknown.is_empty() {
        return Ok(());
    }
    Err(not.defect(format!(
        "the list of known values of `{tag}` is not that of the variants; not in the list: [{unlisted}], \
         no variant: [{unknown}]"
    )))
}

/// The value that an entry of the list excludes.
fn excluded<'s>(entry: &Place<'s>, tag: &str) -> Result<&'s str> {
    let mut members = entry.properties().into_iter();
    let (Some((wire, value)), None) = (members.next(), members.next()) else {
        return Err(entry.defect(format!("an entry must be about the one member `{tag}`")));
    };
    let value = value.node.get("const").and_then(Json::as_str).filter(|_| wire == tag && entry.requires(tag));
    value.ok_or_else(|| entry.defect(format!("an entry must require one constant value of `{tag}`")))
}
