//! From JSON Schema to the IR. What fits no shape is refused: a lax reader loses members silently.

mod collisions;
mod defaults;
mod excluded_tags;
mod fields;
mod methods;
mod tagged;
mod unions;
mod untagged;

use serde_json::{Map, Value as Json};

use crate::codegen::defect::{Defect, Defects};
use crate::codegen::ir::{Definition, IntegerValue, Kind, Object, Schema, Skipped, StringEnum, StringValue};
use crate::codegen::names;
use crate::codegen::overlay::Overlay;
use crate::codegen::references;

use fields::Place;

type Result<T> = std::result::Result<T, Defect>;

/// Lowers one schema file.
///
/// # Errors
/// Every definition that fits no shape, with the pointer of what was not understood.
pub fn lower(schema: &Json, overlay: &Overlay) -> std::result::Result<Schema, Defects> {
    let (lowered, mut defects) = lower_known(schema, overlay);
    if defects.is_empty() {
        // What holds between definitions can be said only when all of them are there.
        defects.extend(references::to_nothing(&lowered));
        defects.extend(defaults::disagreements(&lowered));
        defects.extend(collisions::all(&lowered));
    }
    if defects.is_empty() { Ok(lowered) } else { Err(Defects(defects)) }
}

/// The same for a comparison, which goes on without what fits no shape.
pub fn lower_known(schema: &Json, overlay: &Overlay) -> (Schema, Vec<Defect>) {
    let mut defects = Vec::new();
    let empty = Map::new();
    let definitions = schema.get("$defs").and_then(Json::as_object).unwrap_or(&empty);
    let lowering = Lowering { definitions, overlay };
    let mut lowered = Schema::default();
    for (name, definition) in definitions {
        if definition.get("x-docs-ignore").is_some() {
            let rule = "message envelopes: acp-rpc reads and writes them";
            lowered.skipped.push(Skipped { name: name.clone(), rule });
            continue;
        }
        match lowering.definition(name, definition, &mut lowered.definitions) {
            Ok(()) => {}
            Err(defect) => defects.push(defect),
        }
    }
    lowered.methods = methods::collect(schema, overlay, &mut defects);
    (lowered, defects)
}

/// What lowering a definition needs to know of the others.
#[derive(Clone, Copy, Debug)]
pub struct Lowering<'s> {
    pub definitions: &'s Map<String, Json>,
    pub overlay: &'s Overlay,
}

impl Lowering<'_> {
    fn definition(&self, name: &str, node: &Json, out: &mut Vec<Definition>) -> Result<()> {
        let place = Place::definition(name, node);
        let whole_null = self.overlay.lists("null", "types", name);
        let has_union = node.get("anyOf").or_else(|| node.get("oneOf")).is_some();
        let kind = if is_object(&place)? {
            let fields = fields::lower(self, name, &place)?;
            let mut object = Object { fields, union: None, others: keeps_others(&place) };
            if has_union {
                let union = unions::flattened(self, name, &place, out)?;
                // The tag of the union is its own, also where the object declares it again.
                let tag = unions::tag_of(out, &union.type_name);
                object.fields.retain(|field| tag.is_none_or(|tag| field.wire != tag));
                object.union = Some(union);
            }
            Kind::Object(object)
        } else if has_union {
            self.union(name, &place, out)?
        } else {
            Kind::Newtype(fields::not_nullable(&place)?)
        };
        let (name, described_by) = (name.to_owned(), name.to_owned());
        out.push(Definition { name, described_by, arm: None, unstable: false, kind, whole_null });
        Ok(())
    }

    fn union(&self, name: &str, place: &Place<'_>, out: &mut Vec<Definition>) -> Result<Kind> {
        let arms = place.arms()?;
        if let Some(values) = string_values(&arms) {
            let open = values.len() < arms.len();
            let default = self.overlay.text("defaults", name).map(names::pascal);
            let fallback = names::fallback(values.iter().map(|value| value.rust.as_str()));
            return Ok(Kind::StringEnum(StringEnum { values, open, default, fallback }));
        }
        if arms.iter().all(|arm| arm.node.get("type") == Some(&Json::from("integer"))) {
            return self.integers(name, &arms);
        }
        unions::union(self, name, place, out)
    }

    fn integers(&self, name: &str, arms: &[Place<'_>]) -> Result<Kind> {
        let mut values = Vec::new();
        for arm in arms {
            let Some(wire) = arm.node.get("const") else { continue };
            let wire =
                wire.as_i64().ok_or_else(|| arm.defect("`const` of an integer enum must be an integer"))?;
            let rust = self.overlay.nested("integers", name, &wire.to_string()).ok_or_else(|| {
                arm.defect(format!("{wire} has no Rust name; add it to [integers.{name}] of the overlay"))
            })?;
            values.push(IntegerValue { wire, rust: rust.to_owned(), unstable: false });
        }
        let Some(first) = arms.first() else { return Err(Defect::empty_union(name)) };
        Ok(Kind::IntegerEnum { values, repr: fields::plain_type(first)?.0 })
    }
}

/// Whether a definition has members of its own. A map with a name is none.
fn is_object(place: &Place<'_>) -> Result<bool> {
    let properties = place.get("properties").is_some();
    match place.get("additionalProperties") {
        Some(others) if properties && others.node != &Json::Bool(true) => {
            Err(others.defect("members beside the named ones would be lost"))
        }
        Some(_) => Ok(properties),
        None => Ok(properties || place.node.get("type") == Some(&Json::from("object"))),
    }
}

/// Whether the schema says, and does not just leave open, that there may be members that it does not name.
pub(super) fn keeps_others(place: &Place<'_>) -> bool {
    place.node.get("additionalProperties") == Some(&Json::Bool(true))
}

/// The values of an enum of strings: arms that are constants, and at most one that is any string.
fn string_values(arms: &[Place<'_>]) -> Option<Vec<StringValue>> {
    let mut values = Vec::new();
    let mut open = 0;
    for arm in arms {
        if arm.node.get("type") != Some(&Json::from("string")) {
            return None;
        }
        match arm.node.get("const") {
            Some(value) => {
                let wire = value.as_str()?.to_owned();
                values.push(StringValue { rust: names::pascal(&wire), wire, unstable: false });
            }
            None => open += 1,
        }
    }
    (open <= 1 && !values.is_empty()).then_some(values)
}
