//! Our reading of the emitted code, from the text that goes to the files.
//!
//! Names on the wire stand in the readers and in the writers of the types. Both are read and must
//! agree.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result, bail, ensure};
use syn::{Expr, Fields, Item, ItemStruct, Stmt};

use super::emitted::{Emitted, gather, last_expression, members};
use super::reading::{self, Facts, Presence, Reading, Ty};
use super::tokens;
use super::union_reading;
use crate::output::Output;

/// Where the types of all versions are.
const TYPES: &str = "crates/acp-types";

/// Files in the folders of the types that hold none.
const NO_TYPES: [&str; 3] = ["mod", "methods", "messages"];

pub(super) fn read(outputs: &[Output]) -> Result<Reading> {
    let files = outputs
        .iter()
        .filter(|output| output.path.starts_with(TYPES))
        .filter(|output| output.path.file_stem().is_none_or(|stem| NO_TYPES.iter().all(|name| stem != *name)))
        .map(|output| {
            let path = output.path.display();
            syn::parse_file(&output.text).with_context(|| format!("{path} does not parse"))
        })
        .collect::<Result<Vec<_>>>()?;
    let mut reading = Reading::new();
    for (name, emitted) in gather(&files)? {
        let facts = facts(&emitted).with_context(|| format!("in the code emitted for {name}"))?;
        reading.insert(name, facts);
    }
    Ok(reading)
}

fn facts(emitted: &Emitted<'_>) -> Result<Facts> {
    match emitted.declared.context("it has no declaration")? {
        Item::Struct(item) => match &item.fields {
            Fields::Named(_) => of_object(emitted, item),
            fields => of_newtype(emitted, fields),
        },
        Item::Enum(item) => match &emitted.strings {
            Some(table) => union_reading::of_strings(item, table),
            None => union_reading::of_union(emitted, item),
        },
        _ => bail!("neither a struct nor an enum"),
    }
}

fn of_newtype(emitted: &Emitted<'_>, fields: &Fields) -> Result<Facts> {
    let mut fields = fields.iter();
    let (Some(field), None) = (fields.next(), fields.next()) else { bail!("not one value inside") };
    let mut facts = Facts::of(reading::NEWTYPE);
    facts.state("inside", Ty::of(&field.ty)?.to_string())?;
    for constant in &emitted.constants {
        let Expr::Call(call) = &constant.expr else { bail!("{} is not a number", constant.ident) };
        let value = call.args.iter().map(|value| quote::quote!(#value).to_string().replace(' ', ""));
        let name = reading::constant(&value.collect::<String>());
        facts.state(&name, constant.ident.to_string())?;
    }
    Ok(facts)
}

fn of_object(emitted: &Emitted<'_>, item: &ItemStruct) -> Result<Facts> {
    let made = Stmt::Expr(last_expression(emitted.body("read")?)?.clone(), None);
    let members = members(&item.fields, &made)?;
    let read = members.iter().map(|member| (member.rust.clone(), member.wire.clone()));
    let written = written(emitted)?;
    ensure!(
        read.clone().collect::<BTreeMap<_, _>>() == written,
        "what is read {:?} is not what is written {written:?}",
        read.collect::<BTreeMap<_, _>>()
    );
    let required = members
        .iter()
        .filter(|member| matches!(member.presence, Presence::Required | Presence::RequiredNullable));
    // Not their order: that is the lock's.
    let required: BTreeSet<&str> = required.map(|member| member.rust.as_str()).collect();
    let arguments = arguments_of_new(emitted)?;
    let arguments: BTreeSet<&str> = arguments.iter().map(String::as_str).collect();
    ensure!(arguments == required, "new takes {arguments:?}, but required is {required:?}");
    let mut facts = Facts::of(reading::STRUCT);
    members.iter().try_for_each(|member| facts.member("", member))?;
    Ok(facts)
}

/// Field and member of each statement of the writer. A union in the object has no name on the wire.
fn written(emitted: &Emitted<'_>) -> Result<BTreeMap<String, String>> {
    let (_, statements) = emitted.body("write")?.split_last().context("an empty writer")?;
    let mut written = BTreeMap::new();
    for statement in statements {
        let fields: Vec<String> = tokens::fields_of_self(statement).into_iter().collect();
        let [field] = fields.as_slice() else { bail!("a statement writes {fields:?}, not one field") };
        let wires: Vec<String> =
            tokens::calls_with_text(statement).into_iter().flat_map(|(_, texts)| texts).collect();
        let wire = match wires.as_slice() {
            [] => field,
            [wire] => wire,
            _ => bail!("a statement writes {wires:?}, not one member"),
        };
        ensure!(written.insert(field.clone(), wire.clone()).is_none(), "{field} is written twice");
    }
    Ok(written)
}

fn arguments_of_new(emitted: &Emitted<'_>) -> Result<Vec<String>> {
    let new = emitted.functions.get("new").context("it has no fn new")?;
    let name = |argument: &syn::FnArg| match argument {
        syn::FnArg::Typed(argument) => match &*argument.pat {
            syn::Pat::Ident(name) => Ok(tokens::plain(&name.ident)),
            _ => bail!("an argument of new without a name"),
        },
        syn::FnArg::Receiver(_) => bail!("new takes self"),
    };
    new.sig.inputs.iter().map(name).collect()
}
