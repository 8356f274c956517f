//! The macro's output as a reader sees it: `tests/expansions/<name>.in.rs` becomes `<name>.rs`.
//!
//! The tests of `acp-agent` and `acp-client` compile the results. `EXPANSIONS=overwrite cargo test
//! -p acp-macros` writes them anew.

use std::fs;
use std::path::Path;

use proc_macro2::TokenStream;
use syn::{File, Item, Meta};

use crate::target::{AGENT, CLIENT, Target};

fn check(name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expansions");
    let input = fs::read_to_string(folder.join(format!("{name}.in.rs"))).unwrap();
    let expanded = expanded(&syn::parse_file(&input).unwrap());
    let path = folder.join(format!("{name}.rs"));
    if std::env::var_os("EXPANSIONS").is_some_and(|mode| mode == "overwrite") {
        fs::write(&path, &expanded).unwrap();
    }
    assert_eq!(fs::read_to_string(&path).unwrap_or_default(), expanded, "{}", path.display());
}

/// Returns the file with each block of an attribute as the compiler sees it.
fn expanded(file: &File) -> String {
    let items = file.items.iter().flat_map(|item| match item {
        Item::Impl(block) => match attributed(block) {
            Some((target, arguments, block)) => {
                syn::parse2::<File>(crate::expand::expand(target, arguments, &block)).unwrap().items
            }
            None => vec![item.clone()],
        },
        _ => vec![item.clone()],
    });
    prettyplease::unparse(&File { items: items.collect(), ..file.clone() })
}

/// Returns the attribute, its arguments, and the block without it.
fn attributed(block: &syn::ItemImpl) -> Option<(&'static Target, TokenStream, TokenStream)> {
    let mut block = block.clone();
    let attribute = block.attrs.pop()?;
    let arguments = match &attribute.meta {
        Meta::List(list) => list.tokens.clone(),
        _ => TokenStream::new(),
    };
    let name = &attribute.path().segments.last()?.ident;
    let target = [&AGENT, &CLIENT].into_iter().find(|target| name == target.attribute).unwrap();
    Some((target, arguments, quote::quote!(#block)))
}

#[test]
fn the_smallest_agent() {
    check("echo");
}

#[test]
fn attributes_sessions_and_methods_of_every_kind() {
    check("editor");
}

#[test]
fn the_smallest_client() {
    check("silent_client");
}

#[test]
fn client_operations_and_methods_of_every_kind() {
    check("editor_client");
}

#[cfg(all(feature = "store", feature = "unstable"))]
#[test]
fn a_store_and_unstable_operations() {
    check("all_features");
}
