//! Guesses: of the same shape, one definition went and one came.

use std::collections::BTreeMap;

use crate::codegen::ir::{Definition, Field, Kind, Object, Payload, Schema, Tagged, Type, Unknown, Variant};

/// New names by old ones, where nothing else on either side has the shape.
pub(super) fn definitions(old: &Schema, new: &Schema) -> BTreeMap<String, String> {
    let mut names = by_method(old, new);
    // A definition may refer to another one that was renamed as well.
    loop {
        let found = more(old, new, &names);
        if found.is_empty() {
            return names;
        }
        names.extend(found);
    }
}

/// One method carries another definition of the same shape.
fn by_method(old: &Schema, new: &Schema) -> BTreeMap<String, String> {
    let find = |schema: &'_ Schema, name: &str| {
        schema.definitions.iter().find(|definition| definition.name == name).cloned()
    };
    let mut names = BTreeMap::new();
    for method in &new.methods {
        let same = old
            .methods
            .iter()
            .find(|other| other.name == method.name && other.response.is_some() == method.response.is_some());
        let Some(same) = same else { continue };
        let pairs =
            [(Some(&same.params), Some(&method.params)), (same.response.as_ref(), method.response.as_ref())];
        for (was, is) in pairs.into_iter().filter_map(|(was, is)| was.zip(is)) {
            if let (Some(gone), None, Some(came), None) =
                (find(old, was), find(new, was), find(new, is), find(old, is))
                && without_marks(&gone.kind) == without_marks(&came.kind)
            {
                names.insert(was.clone(), is.clone());
            }
        }
    }
    names
}

fn more(old: &Schema, new: &Schema, known: &BTreeMap<String, String>) -> Vec<(String, String)> {
    let lacks = |schema: &Schema, name: &str| !schema.definitions.iter().any(|other| other.name == name);
    let gone: Vec<&Definition> = old
        .definitions
        .iter()
        .filter(|definition| lacks(new, &definition.name) && !known.contains_key(&definition.name))
        .collect();
    let came: Vec<&Definition> = new
        .definitions
        .iter()
        .filter(|definition| {
            lacks(old, &definition.name) && !known.values().any(|name| *name == definition.name)
        })
        .collect();
    let same = |gone: &Definition, came: &Definition| {
        let mut names = known.clone();
        names.insert(gone.name.clone(), came.name.clone());
        without_marks(&kind(&gone.kind, &names)) == without_marks(&came.kind)
    };
    let mut found = Vec::new();
    for one in &gone {
        let candidates: Vec<_> = came.iter().filter(|other| same(one, other)).collect();
        if let [only] = candidates.as_slice()
            && gone.iter().filter(|other| same(other, only)).count() == 1
        {
            found.push((one.name.clone(), only.name.clone()));
        }
    }
    found
}

/// The schema under other names.
pub(super) fn apply(schema: &Schema, names: &BTreeMap<String, String>) -> Schema {
    let mut schema = schema.clone();
    for definition in &mut schema.definitions {
        definition.name = name(&definition.name, names);
        definition.described_by = name(&definition.described_by, names);
        definition.kind = kind(&definition.kind, names);
    }
    for method in &mut schema.methods {
        method.params = name(&method.params, names);
        method.response = method.response.as_ref().map(|response| name(response, names));
    }
    schema
}

fn name(old: &str, names: &BTreeMap<String, String>) -> String {
    names.get(old).map_or(old, String::as_str).to_owned()
}

fn kind(kind: &Kind, names: &BTreeMap<String, String>) -> Kind {
    let mut kind = kind.clone();
    match &mut kind {
        Kind::Object(object) => in_object(object, names),
        Kind::Newtype(of) => in_type(of, names),
        Kind::StringEnum(_) | Kind::IntegerEnum { .. } => {}
        Kind::Tagged(union) => {
            union.variants.iter_mut().chain(&mut union.default).for_each(|one| in_variant(one, names));
            if let Unknown::KeepWith(object) = &mut union.unknown {
                in_object(object, names);
            }
        }
        Kind::Untagged(union) => {
            union.arms.iter_mut().filter_map(|arm| arm.ty.as_mut()).for_each(|of| in_type(of, names));
        }
    }
    kind
}

fn in_object(object: &mut Object, names: &BTreeMap<String, String>) {
    in_fields(&mut object.fields, names);
    if let Some(union) = &mut object.union {
        union.type_name = name(&union.type_name, names);
    }
}

fn in_fields(fields: &mut [Field], names: &BTreeMap<String, String>) {
    fields.iter_mut().for_each(|field| in_type(&mut field.ty, names));
}

fn in_variant(variant: &mut Variant, names: &BTreeMap<String, String>) {
    match &mut variant.payload {
        Payload::None => {}
        Payload::Ref { name: of, .. } => *of = name(of, names),
        Payload::Inline(fields) => in_fields(fields, names),
    }
}

fn in_type(of: &mut Type, names: &BTreeMap<String, String>) {
    match of {
        Type::Ref(of) => *of = name(of, names),
        Type::List(item) | Type::Map(item) => in_type(item, names),
        _ => {}
    }
}

/// The shape alone: not which parts of it are unstable.
fn without_marks(kind: &Kind) -> Kind {
    let mut kind = kind.clone();
    match &mut kind {
        Kind::Object(object) => object.fields.iter_mut().for_each(|field| field.unstable = false),
        Kind::Newtype(_) | Kind::Untagged(_) => {}
        Kind::StringEnum(values) => values.values.iter_mut().for_each(|value| value.unstable = false),
        Kind::IntegerEnum { values, .. } => values.iter_mut().for_each(|value| value.unstable = false),
        Kind::Tagged(Tagged { variants, .. }) => {
            variants.iter_mut().for_each(|variant| variant.unstable = false);
        }
    }
    kind
}
