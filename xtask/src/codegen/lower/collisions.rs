//! Names that cannot stand beside each other in Rust, or that are not names there. They are found
//! before anything is written.

use std::collections::BTreeSet;

use crate::codegen::defect::Defect;
use crate::codegen::format;
use crate::codegen::ir::{Definition, Kind, Object, Payload, Schema};
use crate::codegen::names;

/// The names that emitted code takes from Rust's prelude.
const PRELUDE: [&str; 12] =
    ["Box", "Default", "Err", "From", "Into", "None", "Ok", "Option", "Result", "Some", "String", "Vec"];

/// Every type, member and variant whose name is taken, or is not a name.
pub(super) fn all(schema: &Schema) -> Vec<Defect> {
    let mut defects = Vec::new();
    let mut types: BTreeSet<&str> = PRELUDE.into_iter().chain(format::imported()).collect();
    for definition in &schema.definitions {
        let (name, owner) = (definition.name.as_str(), definition.described_by.as_str());
        let is_own = name == owner;
        // The name of a definition is not on the wire, so nothing but the schema has to change.
        let rename =
            if is_own { "give the definition another name" } else { "give it another in the overlay" };
        if !types.insert(name) {
            defects.push(Defect::of(owner, format!("the type name {name} is taken; {rename}")));
        } else if names::pascal(name) != name || !names::is_name(name) {
            let message =
                format!("{name} is not the name of a type; {rename}, such as {}", names::pascal(name));
            defects.push(Defect::of(owner, message));
        }
        if let Kind::Object(Object { fields, union: Some(union), .. }) = &definition.kind
            && fields.iter().any(|field| field.wire == union.field)
        {
            let message = format!(
                "the union inside has the name of the member {}; give it another in [flattened] of the overlay",
                union.field
            );
            defects.push(Defect::of(owner, message));
            continue;
        }
        for scope in scopes(definition) {
            let mut seen: BTreeSet<&str> = scope.taken.iter().copied().collect();
            for (wire, rust) in scope.names {
                let fault = match (seen.insert(rust), names::is_name(rust)) {
                    (true, true) => continue,
                    (true, false) => "is not a name in Rust",
                    (false, _) => "is taken",
                };
                let defect = Defect::of(owner, format!("the {} name {rust} {fault}", scope.what));
                defects.push(mended(defect, scope.what, name, wire));
            }
        }
    }
    defects
}

/// Suggests another name for a member or a value.
fn mended(defect: Defect, what: &str, owner: &str, wire: Option<&str>) -> Defect {
    let Some(wire) = wire else { return defect };
    let named =
        |name: String, prefix: &str| if names::is_name(&name) { name } else { format!("{prefix}{name}") };
    match what {
        "field" => {
            let name = named(format!("{}_value", names::snake(wire)), "the_");
            defect.mended_by(&["members", wire], &name)
        }
        "variant" => {
            let name = named(format!("{}Value", names::pascal(wire)), "The");
            defect.mended_by(&["variants", owner, wire], &name)
        }
        _ => defect,
    }
}

/// The names inside a definition.
struct Scope<'d> {
    what: &'static str,
    /// Taken from the start.
    taken: &'static [&'static str],
    /// The names on the wire, where the overlay can give another one in Rust, and the names in
    /// Rust.
    names: Vec<(Option<&'d str>, &'d str)>,
}

fn scopes(definition: &Definition) -> Vec<Scope<'_>> {
    let scope = |what, names| Scope { what, taken: &[], names };
    match &definition.kind {
        Kind::Object(object) => {
            let fields = object.fields.iter().map(|field| (Some(field.wire.as_str()), field.rust.as_str()));
            let union = object.union.iter().map(|union| (None, union.field.as_str()));
            let others = object.others.then_some((None, Object::OTHERS));
            // The setter of a member called `new` would be a second constructor.
            let names = union.chain(others).chain(fields).collect();
            vec![Scope { what: "field", taken: &["new"], names }]
        }
        Kind::Newtype(_) => Vec::new(),
        Kind::StringEnum(values) => {
            let known = values.values.iter().map(|value| (Some(value.wire.as_str()), value.rust.as_str()));
            vec![scope("variant", [(None, values.fallback)].into_iter().chain(known).collect())]
        }
        Kind::IntegerEnum { values, .. } => {
            vec![scope("constant", values.iter().map(|value| (None, value.rust.as_str())).collect())]
        }
        Kind::Tagged(union) => {
            let tagged = union.variants.iter().map(|variant| (Some(variant.wire.as_str()), variant));
            let variants = || tagged.clone().chain(union.default.iter().map(|variant| (None, variant)));
            let known = variants().map(|(wire, variant)| (wire, variant.rust.as_str()));
            let names = [(None, union.fallback)].into_iter().chain(known).collect();
            let mut scopes = vec![scope("variant", names)];
            for (_, variant) in variants() {
                if let Payload::Inline(fields) = &variant.payload {
                    let names = fields.iter().map(|field| (Some(field.wire.as_str()), field.rust.as_str()));
                    scopes.push(scope("field", names.collect()));
                }
            }
            scopes
        }
        Kind::Untagged(union) => {
            vec![scope("variant", union.arms.iter().map(|arm| (None, arm.rust.as_str())).collect())]
        }
    }
}
