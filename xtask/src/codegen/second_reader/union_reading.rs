//! Our reading of emitted enums.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result, bail, ensure};
use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Arm, Expr, Fields, ItemEnum, Pat, Stmt, Variant};

use super::emitted::{Emitted, last_expression, members};
use super::reading::{self, Facts, Ty};
use super::tokens;

/// Keeps what this version does not know. The schema has no name for it, so it is in no
/// restatement; it must be there all the same. It has the second name where the protocol has a
/// value of the first.
const FALLBACKS: [&str; 2] = ["Unknown", "Other"];

pub(super) fn of_strings(item: &ItemEnum, table: &TokenStream) -> Result<Facts> {
    let mut facts = Facts::of(reading::STRINGS);
    let table = tokens::assignments(table);
    for (rust, wire) in &table {
        facts.variant(wire, rust, None)?;
    }
    let declared: Vec<String> = known(item)?.iter().map(|variant| variant.ident.to_string()).collect();
    let named: Vec<String> = table.into_iter().map(|(rust, _)| rust).collect();
    ensure!(declared == named, "declares {declared:?}, but its table has {named:?}");
    Ok(facts)
}

pub(super) fn of_union(emitted: &Emitted<'_>, item: &ItemEnum) -> Result<Facts> {
    if emitted.is_record() {
        let calls = tokens::calls_with_text(&Block(emitted.body("read")?));
        if let Some((_, tag)) =
            calls.iter().find(|(name, _)| ["tag", "optional_tag", "lenient_tag"].contains(&name.as_str()))
        {
            return of_tagged(emitted, item, &tag.concat());
        }
    }
    let mut facts = Facts::of(reading::UNTAGGED);
    for variant in &item.variants {
        let rust = variant.ident.to_string();
        facts.variant(&rust, &rust, payload(variant)?.as_ref())?;
    }
    Ok(facts)
}

fn of_tagged(emitted: &Emitted<'_>, item: &ItemEnum, tag: &str) -> Result<Facts> {
    let mut facts = Facts::of(reading::tagged(tag));
    let reads = read_arms(emitted.body("read")?)?;
    let mut written = written_tags(emitted.body("write")?, tag)?;
    for variant in known(item)? {
        let rust = variant.ident.to_string();
        let (wire, made) = reads.get(&rust).with_context(|| format!("variant {rust} is not read"))?;
        let writes = written.remove(&rust).with_context(|| format!("variant {rust} is not written"))?;
        ensure!(*wire == writes.tag, "{rust} is read as {wire:?} and written as {:?}", writes.tag);
        // The variant without a tag goes by its own name.
        let wire = wire.as_deref().unwrap_or(&rust);
        if let Fields::Named(_) = &variant.fields {
            let members = members(&variant.fields, made)?;
            // Writers put the members that must be there first.
            let read: BTreeSet<&String> = members.iter().map(|member| &member.wire).collect();
            let written: BTreeSet<&String> = writes.members.iter().collect();
            ensure!(read == written, "{rust} reads {read:?}, writes {written:?}");
            facts.variant_with_members(wire, &rust, &members)?;
        } else {
            facts.variant(wire, &rust, payload(variant)?.as_ref())?;
        }
    }
    Ok(facts)
}

/// By variant: the tag that is read as it, and the expression that does.
fn read_arms(body: &[Stmt]) -> Result<BTreeMap<String, (Option<String>, Stmt)>> {
    let mut arms = BTreeMap::new();
    let mut add = |wire: Option<String>, made: Stmt| {
        let variants = tokens::variants_of_self(&made);
        let [variant] = variants.as_slice() else {
            bail!("{wire:?} is read as {variants:?}, not as one variant")
        };
        match arms.get(variant) {
            // The variant without a tag may be read for one as well; it goes without.
            Some((None, _)) if wire.is_some() => {}
            Some(_) => bail!("{variant} is read twice"),
            None => drop(arms.insert(variant.clone(), (wire, made))),
        }
        Ok(())
    };
    // let Some(tag) = … else { return <the variant without a tag>; };
    if let Some(Stmt::Local(local)) = body.first()
        && let Some(Expr::Block(otherwise)) =
            local.init.as_ref().and_then(|init| init.diverge.as_ref()).map(|(_, block)| &**block)
    {
        let made = otherwise.block.stmts.first().context("an empty block for the variant without a tag")?;
        add(None, made.clone())?;
    }
    let Expr::Match(by_tag) = last_expression(body)? else { bail!("the reader does not match on the tag") };
    for arm in &by_tag.arms {
        match text(&arm.pat) {
            Some(wire) => add(Some(wire), Stmt::Expr((*arm.body).clone(), None))?,
            None => {
                let kept = tokens::variants_of_self(&arm.body)
                    .iter()
                    .any(|variant| FALLBACKS.contains(&variant.as_str()));
                ensure!(kept, "unknown tags are not kept");
            }
        }
    }
    Ok(arms)
}

#[derive(Debug, Default)]
struct Writes {
    tag: Option<String>,
    members: Vec<String>,
}

/// By variant: what its arm of the writer writes.
fn written_tags(body: &[Stmt], tag: &str) -> Result<BTreeMap<String, Writes>> {
    let by_variant = body.iter().find_map(|statement| match statement {
        Stmt::Expr(Expr::Match(by_variant), _) => Some(by_variant),
        _ => None,
    });
    let one = |arm: &Arm| {
        let variants = tokens::variants_of_self(&arm.pat);
        let [variant] = variants.as_slice() else { bail!("an arm of the writer is for {variants:?}") };
        let mut writes = Writes::default();
        for (_, texts) in tokens::calls_with_text(&arm.body) {
            match texts.as_slice() {
                [member, value] if member == tag => writes.tag = Some(value.clone()),
                [member] => writes.members.push(member.clone()),
                _ => bail!("{variant} writes {texts:?}"),
            }
        }
        Ok((variant.clone(), writes))
    };
    by_variant.context("the writer does not match on the variant")?.arms.iter().map(one).collect()
}

/// The variants that the schema knows.
fn known(item: &ItemEnum) -> Result<Vec<&Variant>> {
    let mut known: Vec<&Variant> = item.variants.iter().collect();
    let last = known.pop().context("an enum without variants")?;
    ensure!(
        FALLBACKS.iter().any(|name| last.ident == name),
        "its last variant is {}, which loses what it does not know",
        last.ident
    );
    Ok(known)
}

fn payload(variant: &Variant) -> Result<Option<Ty>> {
    match &variant.fields {
        Fields::Unit => Ok(None),
        Fields::Unnamed(fields) if fields.unnamed.len() == 1 => Ok(Some(Ty::of(&fields.unnamed[0].ty)?)),
        _ => bail!("variant {} holds neither nothing nor one value", variant.ident),
    }
}

fn text(pattern: &Pat) -> Option<String> {
    match pattern {
        Pat::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value()),
        _ => None,
    }
}

/// Statements as one piece of code.
struct Block<'b>(&'b [Stmt]);

impl ToTokens for Block<'_> {
    fn to_tokens(&self, out: &mut TokenStream) {
        self.0.iter().for_each(|statement| statement.to_tokens(out));
    }
}
