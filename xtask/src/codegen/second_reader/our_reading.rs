//! What the emitted code says, read from the text that goes to the files.
//!
//! Names on the wire stand in the readers and in the writers of the types. Both are read and must agree.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result, bail, ensure};
use proc_macro2::TokenStream;
use syn::{Expr, Fields, ImplItem, Item, ItemConst, ItemEnum, ItemImpl, ItemStruct, Stmt};

use super::reading::{self, Facts, Member, Presence, Reading, Ty};
use super::tokens;
use super::union_reading;
use crate::output::Output;

/// Where the types of all versions are.
const TYPES: &str = "crates/acp-types";

/// The rule that reads all members that are left.
const REST: &str = "rest";

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
        let facts = emitted.facts().with_context(|| format!("in the code emitted for {name}"))?;
        reading.insert(name, facts);
    }
    Ok(reading)
}

/// The items that make one type.
#[derive(Default)]
pub(super) struct Emitted<'f> {
    declared: Option<&'f Item>,
    constants: Vec<&'f syn::ImplItemConst>,
    functions: BTreeMap<String, &'f syn::ImplItemFn>,
    /// The table of an enum of strings.
    strings: Option<TokenStream>,
}

fn gather(files: &[syn::File]) -> Result<BTreeMap<String, Emitted<'_>>> {
    let mut types: BTreeMap<String, Emitted<'_>> = BTreeMap::new();
    for item in files.iter().flat_map(|file| &file.items) {
        match item {
            Item::Struct(ItemStruct { ident, .. }) | Item::Enum(ItemEnum { ident, .. }) => {
                let before = types.entry(ident.to_string()).or_default().declared.replace(item);
                ensure!(before.is_none(), "{ident} is emitted twice");
            }
            Item::Impl(block) => gather_impl(&mut types, block)?,
            Item::Macro(call)
                if call.mac.path.segments.last().is_some_and(|name| name.ident == "string_enum") =>
            {
                let (name, table) = named_table(call.mac.tokens.clone())?;
                types.entry(name).or_default().strings = Some(table);
            }
            Item::Const(ItemConst { ident, .. }) => bail!("{ident}: types have constants inside"),
            _ => {}
        }
    }
    Ok(types)
}

fn gather_impl<'f>(types: &mut BTreeMap<String, Emitted<'f>>, block: &'f ItemImpl) -> Result<()> {
    let wanted = block.trait_.as_ref().is_none_or(|(path, _)| path.is_ident("Record"));
    let syn::Type::Path(of) = &*block.self_ty else { bail!("an impl for a type that is no path") };
    if !wanted {
        return Ok(());
    }
    let emitted = types.entry(of.path.require_ident()?.to_string()).or_default();
    for item in &block.items {
        match item {
            ImplItem::Fn(function) => {
                emitted.functions.insert(function.sig.ident.to_string(), function);
            }
            ImplItem::Const(constant) => emitted.constants.push(constant),
            _ => {}
        }
    }
    Ok(())
}

/// `Name { … }`
fn named_table(tokens: TokenStream) -> Result<(String, TokenStream)> {
    let mut tokens = tokens.into_iter();
    let name = tokens.next().context("a table without a name")?.to_string();
    Ok((name, tokens.collect()))
}

impl Emitted<'_> {
    fn facts(&self) -> Result<Facts> {
        match self.declared.context("it has no declaration")? {
            Item::Struct(item) => match &item.fields {
                Fields::Named(_) => self.of_object(item),
                fields => self.of_newtype(fields),
            },
            Item::Enum(item) => match &self.strings {
                Some(table) => union_reading::of_strings(item, table),
                None => union_reading::of_union(self, item),
            },
            _ => bail!("neither a struct nor an enum"),
        }
    }

    /// The statements of a function.
    pub(super) fn body(&self, function: &str) -> Result<&[Stmt]> {
        let found = self.functions.get(function).with_context(|| format!("it has no fn {function}"))?;
        Ok(&found.block.stmts)
    }

    pub(super) fn is_record(&self) -> bool {
        self.functions.contains_key("read")
    }

    fn of_newtype(&self, fields: &Fields) -> Result<Facts> {
        let mut fields = fields.iter();
        let (Some(field), None) = (fields.next(), fields.next()) else { bail!("not one value inside") };
        let mut facts = Facts::of(reading::NEWTYPE);
        facts.state("inside", Ty::of(&field.ty)?.to_string())?;
        for constant in &self.constants {
            let Expr::Call(call) = &constant.expr else { bail!("{} is no number", constant.ident) };
            let value = call.args.iter().map(|value| quote::quote!(#value).to_string().replace(' ', ""));
            let name = reading::constant(&value.collect::<String>());
            facts.state(&name, constant.ident.to_string())?;
        }
        Ok(facts)
    }

    fn of_object(&self, item: &ItemStruct) -> Result<Facts> {
        let made = Stmt::Expr(last_expression(self.body("read")?)?.clone(), None);
        let members = members(&item.fields, &made)?;
        let read = members.iter().map(|member| (member.rust.clone(), member.wire.clone()));
        let written = self.written()?;
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
        let arguments = self.arguments_of_new()?;
        let arguments: BTreeSet<&str> = arguments.iter().map(String::as_str).collect();
        ensure!(arguments == required, "new takes {arguments:?}, but required is {required:?}");
        let mut facts = Facts::of(reading::STRUCT);
        members.iter().try_for_each(|member| facts.member("", member))?;
        Ok(facts)
    }

    /// Field and member of each statement of the writer. A union in the object has no name on the wire.
    fn written(&self) -> Result<BTreeMap<String, String>> {
        let (_, statements) = self.body("write")?.split_last().context("an empty writer")?;
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

    fn arguments_of_new(&self) -> Result<Vec<String>> {
        let new = self.functions.get("new").context("it has no fn new")?;
        let name = |argument: &syn::FnArg| match argument {
            syn::FnArg::Typed(argument) => match &*argument.pat {
                syn::Pat::Ident(name) => Ok(tokens::plain(&name.ident)),
                _ => bail!("an argument of new without a name"),
            },
            syn::FnArg::Receiver(_) => bail!("new takes self"),
        };
        new.sig.inputs.iter().map(name).collect()
    }
}

pub(super) fn last_expression(statements: &[Stmt]) -> Result<&Expr> {
    match statements.last() {
        Some(Stmt::Expr(expression, None)) => Ok(expression),
        _ => bail!("a function without a value"),
    }
}

/// The declared fields, with the members and rules of the construction that reads them.
pub(super) fn members(declared: &Fields, made: &Stmt) -> Result<Vec<Member>> {
    let mut reads: BTreeMap<String, TokenStream> = tokens::construction(made)?.into_iter().collect();
    let member = |field: &syn::Field| {
        let rust = tokens::plain(field.ident.as_ref().context("a field without a name")?);
        let read = reads.remove(&rust).with_context(|| format!("{rust} is not read"))?;
        let (ty, option) = Ty::of(&field.ty)?.split();
        let calls = tokens::calls_with_text(&read);
        let (rule, wire) = match calls.as_slice() {
            [] if tokens::calls_without_arguments(&read).contains(REST) => (REST, rust.clone()),
            // A union that takes its members from the same object.
            [] => ("required", rust.clone()),
            [(rule, texts)] => (rule.as_str(), texts.concat()),
            _ => bail!("{rust} is read by {} rules", calls.len()),
        };
        let presence = match (rule.split('_').next().unwrap_or_default(), option) {
            ("required", false) => Presence::Required,
            ("required", true) => Presence::RequiredNullable,
            ("optional" | "patch", true) => Presence::Optional,
            ("defaulted", false) => Presence::Defaulted,
            (REST, false) => Presence::Others,
            _ => bail!("{rust} is read by the rule `{rule}`, which does not go with its type"),
        };
        Ok(Member { wire, rust, ty, presence })
    };
    declared.iter().map(member).collect()
}
