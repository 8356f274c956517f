//! Finding things in the bodies of emitted functions, whatever stands around them.

use std::collections::BTreeSet;

use anyhow::{Result, bail};
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::{FieldValue, Token};

/// Calls of the form `name("text", …)`: the name and every text among the arguments.
pub(super) fn calls_with_text(code: &impl ToTokens) -> Vec<(String, Vec<String>)> {
    let mut calls = Vec::new();
    for level in levels(code) {
        for pair in level.windows(2) {
            if let [TokenTree::Ident(name), TokenTree::Group(arguments)] = pair
                && let Some(TokenTree::Literal(_)) = arguments.stream().into_iter().next()
            {
                let texts = arguments.stream().into_iter().filter_map(|token| text(&token)).collect();
                calls.push((name.to_string(), texts));
            }
        }
    }
    calls
}

/// The names of calls of the form `name()`.
pub(super) fn calls_without_arguments(code: &impl ToTokens) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for level in levels(code) {
        for pair in level.windows(2) {
            if let [TokenTree::Ident(name), TokenTree::Group(arguments)] = pair
                && arguments.delimiter() == Delimiter::Parenthesis
                && arguments.stream().is_empty()
            {
                names.insert(name.to_string());
            }
        }
    }
    names
}

/// The names after `self.`.
pub(super) fn fields_of_self(code: &impl ToTokens) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for level in levels(code) {
        for triple in level.windows(3) {
            if let [TokenTree::Ident(of), TokenTree::Punct(dot), TokenTree::Ident(name)] = triple
                && of == "self"
                && dot.as_char() == '.'
            {
                names.insert(plain(name));
            }
        }
    }
    names
}

/// The variants named as `Self::Variant`, in order, each once.
pub(super) fn variants_of_self(code: &impl ToTokens) -> Vec<String> {
    let mut names = Vec::new();
    for level in levels(code) {
        for tokens in level.windows(4) {
            if let [TokenTree::Ident(of), _, TokenTree::Punct(colon), TokenTree::Ident(name)] = tokens
                && of == "Self"
                && colon.as_char() == ':'
                && !names.contains(&plain(name))
            {
                names.push(plain(name));
            }
        }
    }
    names
}

/// Returns the expression of each member in the one `Self { … }` or `Self::Variant { … }`.
pub(super) fn construction(code: &impl ToTokens) -> Result<Vec<(String, TokenStream)>> {
    let mut found = Vec::new();
    for level in levels(code) {
        for (index, token) in level.iter().enumerate() {
            if let Some(members) = braces(token)
                && (is_self(level.get(index.wrapping_sub(1))) || is_self(level.get(index.wrapping_sub(4))))
            {
                found.push(members.stream());
            }
        }
    }
    let [members] = found.as_slice() else { bail!("{} constructions of the value, not one", found.len()) };
    let members =
        syn::parse::Parser::parse2(Punctuated::<FieldValue, Token![,]>::parse_terminated, members.clone())?;
    let one = |member: &FieldValue| match &member.member {
        syn::Member::Named(name) => Ok((plain(name), member.expr.to_token_stream())),
        syn::Member::Unnamed(_) => bail!("a member without a name"),
    };
    members.iter().map(one).collect()
}

/// `Name = "text"`, for each.
pub(super) fn assignments(code: &impl ToTokens) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    for level in levels(code) {
        for triple in level.windows(3) {
            if let [TokenTree::Ident(name), TokenTree::Punct(_), literal] = triple
                && let Some(text) = text(literal)
                // Not an assignment, but the attribute of one.
                && name != "feature"
            {
                pairs.push((plain(name), text));
            }
        }
    }
    pairs
}

/// A name without what makes it none of the words of Rust.
pub(super) fn plain(name: &syn::Ident) -> String {
    let name = name.to_string();
    name.strip_prefix("r#").unwrap_or(&name).trim_end_matches('_').to_owned()
}

fn is_self(token: Option<&TokenTree>) -> bool {
    matches!(token, Some(TokenTree::Ident(name)) if name == "Self")
}

fn braces(token: &TokenTree) -> Option<&Group> {
    match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => Some(group),
        _ => None,
    }
}

fn text(token: &TokenTree) -> Option<String> {
    syn::parse2::<syn::LitStr>(token.clone().into()).ok().map(|text| text.value())
}

/// The tokens, and those of each group inside, outer ones first.
fn levels(code: &impl ToTokens) -> Vec<Vec<TokenTree>> {
    let mut levels = vec![code.to_token_stream().into_iter().collect::<Vec<_>>()];
    let mut next = 0;
    while next < levels.len() {
        let inner: Vec<Vec<TokenTree>> = levels[next]
            .iter()
            .filter_map(|token| match token {
                TokenTree::Group(group) => Some(group.stream().into_iter().collect()),
                _ => None,
            })
            .collect();
        levels.extend(inner);
        next += 1;
    }
    levels
}
