//! The items of emitted files, gathered by the type that they make.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, bail, ensure};
use proc_macro2::TokenStream;
use syn::{Expr, Fields, ImplItem, Item, ItemConst, ItemEnum, ItemImpl, ItemStruct, Stmt};

use super::reading::{Member, Presence, Ty};
use super::tokens;

/// The rule that reads all members that are left.
const REST: &str = "rest";

/// The items that make one type.
#[derive(Default)]
pub(super) struct Emitted<'f> {
    pub(super) declared: Option<&'f Item>,
    pub(super) constants: Vec<&'f syn::ImplItemConst>,
    pub(super) functions: BTreeMap<String, &'f syn::ImplItemFn>,
    /// The table of an enum of strings.
    pub(super) strings: Option<TokenStream>,
}

pub(super) fn gather(files: &[syn::File]) -> Result<BTreeMap<String, Emitted<'_>>> {
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
    let syn::Type::Path(of) = &*block.self_ty else { bail!("an impl for a type that is not a path") };
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
    /// The statements of a function.
    pub(super) fn body(&self, function: &str) -> Result<&[Stmt]> {
        let found = self.functions.get(function).with_context(|| format!("it has no fn {function}"))?;
        Ok(&found.block.stmts)
    }

    pub(super) fn is_record(&self) -> bool {
        self.functions.contains_key("read")
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
