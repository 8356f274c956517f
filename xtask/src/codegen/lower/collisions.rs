//! Names that cannot stand beside each other in Rust, found before anything is written.

use std::collections::BTreeSet;

use crate::codegen::defect::Defect;
use crate::codegen::format;
use crate::codegen::ir::{Definition, Kind, Object, Payload, Schema};

/// The names that emitted code takes from Rust's prelude.
const PRELUDE: [&str; 12] =
    ["Box", "Default", "Err", "From", "Into", "None", "Ok", "Option", "Result", "Some", "String", "Vec"];

/// Every type, member and variant whose name is taken.
pub(super) fn all(schema: &Schema) -> Vec<Defect> {
    let mut defects = Vec::new();
    let mut types: BTreeSet<&str> = PRELUDE.into_iter().chain(format::imported()).collect();
    for definition in &schema.definitions {
        let mut report = |message: String| {
            defects.push(Defect {
                definition: definition.described_by.clone(),
                pointer: format!("#/$defs/{}", definition.described_by),
                message,
            });
        };
        if !types.insert(&definition.name) {
            report(format!("the type name {} is taken", definition.name));
        }
        for (what, taken, names) in scopes(definition) {
            let mut seen: BTreeSet<&str> = taken.iter().copied().collect();
            for name in names.into_iter().filter(|name| !seen.insert(name)) {
                report(format!("the {what} name {name} is taken"));
            }
        }
    }
    defects
}

type Scope<'d> = (&'static str, &'static [&'static str], Vec<&'d str>);

/// Returns the names inside a definition: kind of thing, names that are taken from the start,
/// names.
fn scopes(definition: &Definition) -> Vec<Scope<'_>> {
    match &definition.kind {
        Kind::Object(object) => {
            let fields = object.fields.iter().map(|field| field.rust.as_str());
            let union = object.union.iter().map(|union| union.field.as_str());
            // The setter of a member called `new` would be a second constructor.
            let others = object.others.then_some(Object::OTHERS);
            vec![("field", &["new"], fields.chain(union).chain(others).collect())]
        }
        Kind::Newtype(_) => Vec::new(),
        Kind::StringEnum(values) => {
            let known = values.values.iter().map(|value| value.rust.as_str());
            vec![("variant", &[], known.chain([values.fallback]).collect())]
        }
        Kind::IntegerEnum { values, .. } => {
            vec![("constant", &[], values.iter().map(|value| value.rust.as_str()).collect())]
        }
        Kind::Tagged(union) => {
            let variants = || union.variants.iter().chain(&union.default);
            let known = variants().map(|variant| variant.rust.as_str());
            let mut scopes: Vec<Scope<'_>> = vec![("variant", &[], known.chain([union.fallback]).collect())];
            for variant in variants() {
                if let Payload::Inline(fields) = &variant.payload {
                    scopes.push(("field", &[], fields.iter().map(|field| field.rust.as_str()).collect()));
                }
            }
            scopes
        }
        Kind::Untagged(union) => {
            vec![("variant", &[], union.arms.iter().map(|arm| arm.rust.as_str()).collect())]
        }
    }
}
