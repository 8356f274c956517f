//! Attributes that decide whether an item counts, and where a module lies.

use proc_macro2::TokenTree;
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ExprLit, Item, Lit, Meta, Token};

/// Returns true if an item is there for tests only.
#[must_use]
pub fn is_test_only(item: &Item) -> bool {
    any_test(attributes(item))
}

/// Returns true if one of the attributes is `#[cfg(test)]`, or marks a test.
#[must_use]
pub fn any_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) if list.path.is_ident("cfg") => {
            list.parse_args::<Meta>().is_ok_and(|of| needs_test(&of))
        }
        meta => meta.path().segments.last().is_some_and(|last| last.ident == "test"),
    })
}

/// Returns true if a predicate holds in tests only.
fn needs_test(predicate: &Meta) -> bool {
    match predicate {
        Meta::Path(path) => path.is_ident("test"),
        Meta::List(list) => {
            let of =
                list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated).unwrap_or_default();
            (list.path.is_ident("all") && of.iter().any(needs_test))
                || (list.path.is_ident("any") && !of.is_empty() && of.iter().all(needs_test))
        }
        Meta::NameValue(_) => false,
    }
}

/// The files that `#[path]` and `#[cfg_attr(…, path)]` give a module.
#[must_use]
pub fn paths(attributes: &[Attribute]) -> Vec<String> {
    let mut paths = Vec::new();
    for attribute in attributes {
        match &attribute.meta {
            Meta::NameValue(value) if value.path.is_ident("path") => paths.extend(text(&value.value)),
            Meta::List(list) if list.path.is_ident("cfg_attr") => {
                let of =
                    list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated).unwrap_or_default();
                paths.extend(of.iter().filter_map(|meta| match meta {
                    Meta::NameValue(value) if value.path.is_ident("path") => text(&value.value),
                    _ => None,
                }));
            }
            _ => {}
        }
    }
    paths
}

/// Returns true if a module always lies where `#[path]` says.
#[must_use]
pub fn has_path(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| attribute.path().is_ident("path"))
}

/// The paths that stand in an attribute as text, such as `#[serde(with = "crate::seconds")]`.
#[must_use]
pub fn quoted_paths(attribute: &Attribute) -> Vec<Vec<String>> {
    let Meta::List(list) = &attribute.meta else { return Vec::new() };
    let literals = list.tokens.clone().into_iter().filter_map(|token| match token {
        TokenTree::Literal(literal) => Some(literal.to_string().trim_matches('"').to_owned()),
        _ => None,
    });
    literals
        .filter(|text| ["crate::", "super::", "self::"].iter().any(|start| text.starts_with(start)))
        .map(|text| text.split("::").map(str::to_owned).collect())
        .collect()
}

/// The text of doc comments.
#[must_use]
pub fn documentation(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(value) if value.path.is_ident("doc") => text(&value.value),
        _ => None,
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn text(value: &Expr) -> Option<String> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
        _ => None,
    }
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::ForeignMod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::TraitAlias(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}
