//! Definitions that are one type in two versions: `[shared]` of the later version's overlay.
//!
//! A type has one meaning, so both versions must say the same of it, down to what it is made of.

use std::collections::BTreeMap;

use super::defect::{Defect, Defects};
use super::ir::{Definition, Kind, Object, Schema};
use super::overlay::Overlay;
use super::references;

/// The definitions of `version` that the overlay shares, and the version that has the type.
///
/// # Errors
/// Fails on a definition that differs between the two versions, or that is made of one that is not
/// shared.
pub fn find(
    version: &str,
    schema: &Schema,
    overlay: &Overlay,
    earlier: &[(&'static str, &Schema)],
) -> Result<BTreeMap<String, &'static str>, Defects> {
    let mut shared = BTreeMap::new();
    let mut defects = Vec::new();
    for definition in &schema.definitions {
        let Some(named) = overlay.list_with("shared", &definition.name) else { continue };
        let refuse = |why: String| {
            let name = &definition.name;
            let message = format!("[shared] of the overlay makes it the {named} type, but {why}");
            let definition = format!("{version} {name}");
            Defect::at(&definition, format!("#/$defs/{name}"), message)
        };
        match earlier.iter().find(|(name, _)| *name == named) {
            None => defects.push(refuse(format!("no version before {version} is called {named}"))),
            Some((other, of)) => match difference(definition, of, [version, other]) {
                None => _ = shared.insert(definition.name.clone(), *other),
                Some(why) => defects.push(refuse(why)),
            },
        }
    }
    for definition in schema.definitions.iter().filter(|definition| shared.contains_key(&definition.name)) {
        for part in references::referred(definition) {
            if shared.get(part) != shared.get(&definition.name) {
                let (name, with) = (&definition.name, shared[&definition.name]);
                let message =
                    format!("[shared] of the overlay has it, but not {part}, which the {with} type has");
                defects.push(Defect::at(&format!("{version} {name}"), format!("#/$defs/{name}"), message));
            }
        }
    }
    if defects.is_empty() { Ok(shared) } else { Err(Defects(defects)) }
}

/// Returns the members on which the definition's own version and the earlier one differ.
fn difference(ours: &Definition, earlier: &Schema, [version, other]: [&str; 2]) -> Option<String> {
    let theirs = earlier.definitions.iter().find(|definition| definition.name == ours.name);
    let Some(theirs) = theirs else { return Some(format!("{other} has no definition of this name")) };
    if ours == theirs {
        return None;
    }
    let only_unstable = |definition: &Definition| if definition.unstable { "unstable" } else { "stable" };
    if ours.unstable != theirs.unstable {
        let (ours, theirs) = (only_unstable(ours), only_unstable(theirs));
        return Some(format!("it is {theirs} in {other} and {ours} in {version}"));
    }
    let part = match (&ours.kind, &theirs.kind) {
        (Kind::Object(ours), Kind::Object(theirs)) => member(ours, theirs),
        _ => None,
    };
    let part = part.map_or_else(String::new, |name| format!(" in `{name}`"));
    Some(format!("{other} {} and {version} {} differ{part}", theirs.name, ours.name))
}

/// The first member that only one side has, or that differs.
fn member<'d>(ours: &'d Object, theirs: &'d Object) -> Option<&'d str> {
    let differs = |one: &'d Object, other: &Object| {
        one.fields.iter().find(|field| !other.fields.contains(field)).map(|field| field.wire.as_str())
    };
    differs(ours, theirs).or_else(|| differs(theirs, ours))
}
