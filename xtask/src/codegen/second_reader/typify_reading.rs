//! Typify's reading of the restated IR, from the Rust code that it writes.

use anyhow::{Context as _, Result, anyhow, bail};
use serde_json::Value as Json;
use syn::{Attribute, Fields, Item, ItemEnum, ItemStruct};
use typify::{TypeSpace, TypeSpaceSettings};

use super::reading::{self, Facts, Member, Presence, Reading, Ty};
use super::restate::{HAND_WRITTEN, NO_VARIANT};

pub(super) fn read(document: Json) -> Result<Reading> {
    let mut types = TypeSpace::new(&TypeSpaceSettings::default());
    let document = serde_json::from_value(document).context("the restated IR is not a JSON Schema")?;
    types.add_root_schema(document).map_err(|error| anyhow!("typify refuses the restated IR: {error}"))?;
    let file: syn::File = syn::parse2(types.to_stream()).context("what typify wrote does not parse")?;
    let mut reading = Reading::new();
    for item in &file.items {
        let (name, facts) = match item {
            Item::Struct(item) => (item.ident.to_string(), of_struct(item)),
            Item::Enum(item) => (item.ident.to_string(), of_enum(item)),
            _ => continue,
        };
        let facts = facts.with_context(|| format!("in what typify wrote for {name}"))?;
        reading.insert(name, facts);
    }
    reading.remove(HAND_WRITTEN);
    Ok(reading)
}

fn of_struct(item: &ItemStruct) -> Result<Facts> {
    match &item.fields {
        Fields::Named(_) => {
            let mut facts = Facts::of(reading::STRUCT);
            members(&item.fields)?.iter().try_for_each(|member| facts.member("", member))?;
            Ok(facts)
        }
        Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
            let mut facts = Facts::of(reading::NEWTYPE);
            facts.state("inside", Ty::of(&fields.unnamed[0].ty)?.to_string())?;
            Ok(facts)
        }
        _ => bail!("a struct that is neither members nor a newtype"),
    }
}

fn of_enum(item: &ItemEnum) -> Result<Facts> {
    let serde = Serde::of(&item.attrs)?;
    let only_names = item.variants.iter().all(|variant| matches!(variant.fields, Fields::Unit));
    let mut facts = Facts::of(match serde.tag {
        Some(tag) => reading::tagged(&tag),
        None if only_names => reading::STRINGS.to_owned(),
        None => reading::UNTAGGED.to_owned(),
    });
    for variant in &item.variants {
        let rust = variant.ident.to_string();
        let wire = Serde::of(&variant.attrs)?.rename.unwrap_or_else(|| rust.clone());
        if wire == NO_VARIANT {
            continue;
        }
        match &variant.fields {
            Fields::Unit => facts.variant(&wire, &rust, None)?,
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
                facts.variant(&wire, &rust, Some(&Ty::of(&fields.unnamed[0].ty)?))?;
            }
            Fields::Unnamed(_) => bail!("variant {rust} holds more than one value"),
            fields => facts.variant_with_members(&wire, &rust, &members(fields)?)?,
        }
    }
    Ok(facts)
}

fn members(fields: &Fields) -> Result<Vec<Member>> {
    let member = |field: &syn::Field| {
        let serde = Serde::of(&field.attrs)?;
        let rust = field.ident.as_ref().context("a member without a name")?.to_string();
        let (ty, option) = Ty::of(&field.ty)?.split();
        let presence = match (option, serde.defaulted, serde.skipped, serde.must_be_there) {
            (false, false, false, false) if serde.flattened => Presence::Others,
            (true, _, true, false) => Presence::Optional,
            (true, false, false, true) => Presence::RequiredNullable,
            (false, true, _, false) => Presence::Defaulted,
            (false, false, false, false) => Presence::Required,
            _ => bail!("member {rust} is read and written by different rules"),
        };
        Ok(Member { wire: serde.rename.unwrap_or_else(|| rust.clone()), rust, ty, presence })
    };
    fields.iter().map(member).collect()
}

/// The statements of serde's attributes.
#[derive(Default)]
struct Serde {
    rename: Option<String>,
    tag: Option<String>,
    /// Absence has a value.
    defaulted: bool,
    /// Some values are not written.
    skipped: bool,
    /// An `Option` may be `null`, but not absent.
    must_be_there: bool,
    /// It holds the members that have no field.
    flattened: bool,
}

impl Serde {
    fn of(attributes: &[Attribute]) -> Result<Serde> {
        let mut serde = Serde::default();
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("serde")) {
            attribute.parse_nested_meta(|meta| {
                let value = match meta.value() {
                    Ok(value) => Some(value.parse::<syn::LitStr>()?.value()),
                    Err(_) => None,
                };
                match meta.path.require_ident()?.to_string().as_str() {
                    "rename" => serde.rename = value,
                    "tag" => serde.tag = value,
                    "default" => serde.defaulted = true,
                    "skip_serializing_if" => serde.skipped = true,
                    "flatten" => serde.flattened = true,
                    "deserialize_with" => serde.must_be_there = true,
                    "content" | "transparent" => {}
                    other => return Err(meta.error(format!("`{other}` is not expected"))),
                }
                Ok(())
            })?;
        }
        Ok(serde)
    }
}
