//! Unions other than enums of constants, and where each kind of them is lowered.

use crate::codegen::defect::Defect;
use crate::codegen::ir::{Definition, Flattened, Kind};
use crate::codegen::names;

use super::lowering::Lowering;
use super::place::{Place, Result};
use super::{tagged, untagged};

/// A union that lies flat in an object. It becomes a type of its own, once for all objects that
/// share it.
pub(super) fn flattened(
    lowering: &Lowering<'_>,
    owner: &str,
    place: &Place<'_>,
    out: &mut Vec<Definition>,
) -> Result<Flattened> {
    let overlay = lowering.overlay;
    let (Some(name), Some(field)) =
        (overlay.nested("flattened", owner, "type"), overlay.nested("flattened", owner, "field"))
    else {
        let is_taken = place.properties().iter().any(|(wire, _)| *wire == "kind");
        let field = if is_taken { format!("{}_kind", names::snake(owner)) } else { "kind".to_owned() };
        let message = format!("the union inside needs a name: add {owner} to [flattened] of the overlay");
        return Err(place
            .defect(message)
            .mended_by(&["flattened", owner, "type"], &format!("{owner}Kind"))
            .mended_by(&["flattened", owner, "field"], &field));
    };
    if !out.iter().any(|definition| definition.name == name) {
        let kind = union(lowering, name, place, out)?;
        out.push(Definition {
            name: name.to_owned(),
            described_by: owner.to_owned(),
            arm: None,
            unstable: false,
            kind,
            whole_null: false,
        });
    }
    Ok(Flattened { field: field.to_owned(), type_name: name.to_owned() })
}

/// The member that tells the variants of a lowered union apart, of one that has such a member.
pub(super) fn tag_of<'d>(lowered: &'d [Definition], name: &str) -> Option<&'d str> {
    lowered.iter().find(|definition| definition.name == name).and_then(|definition| match &definition.kind {
        Kind::Tagged(union) => Some(union.tag.as_str()),
        _ => None,
    })
}

/// Lowers a union other than an enum. Arms that need a type of their own get one, added to `out`.
pub(super) fn union(
    lowering: &Lowering<'_>,
    name: &str,
    place: &Place<'_>,
    out: &mut Vec<Definition>,
) -> Result<Kind> {
    let arms = place.arms()?;
    let Some(first) = arms.first() else { return Err(Defect::empty_union(name)) };
    match first.properties().iter().find(|(_, property)| property.node.get("const").is_some()) {
        Some((tag, _)) => tagged::lower(lowering, name, tag, place, &arms).map(Kind::Tagged),
        None => untagged::lower(lowering, name, place, &arms, out).map(Kind::Untagged),
    }
}
