//! The paths that a module's code names, as far as they can be seen.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, ImplItem, Item, ItemMacro, ItemMod, ItemUse, Macro, Path, Stmt, TraitItem, Visibility};

use super::attribute;
use super::name::{self, Leaf};

/// The paths and macros that the code of a module names.
#[derive(Debug, Default)]
pub struct Mentions {
    pub paths: Vec<name::Path>,
    /// Paths within attributes and the tokens of macros.
    pub tokens: Vec<name::Path>,
    /// The macros that are called by a bare name.
    pub macros: Vec<String>,
    /// The `use` declarations of the module itself.
    pub uses: Vec<Leaf>,
}

impl Mentions {
    #[must_use]
    pub fn of(items: &[Item]) -> Self {
        let mut mentions = Self::default();
        for item in items {
            match item {
                Item::Use(item) => mentions.uses.extend(name::leaves(item)),
                item => mentions.visit_item(item),
            }
        }
        mentions
    }

    /// Enters the paths of a macro's tokens. A bare name counts when it looks like a type or a
    /// constant.
    fn scan(&mut self, tokens: TokenStream, prefix: &[String]) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            match &tokens[at] {
                TokenTree::Group(group) => self.scan(group.stream(), &[]),
                TokenTree::Ident(_) if is_part(&tokens, at) => {}
                TokenTree::Ident(_) => {
                    at = self.scan_path(&tokens, at, prefix);
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
    }

    /// Enters the path that begins at a token, and returns where it ends.
    fn scan_path(&mut self, tokens: &[TokenTree], mut at: usize, prefix: &[String]) -> usize {
        let mut path = prefix.to_vec();
        if at > 0 && is_punct(tokens, at - 1, '$') && tokens[at].to_string() == "crate" {
            path.push("$crate".to_owned());
        } else {
            path.push(tokens[at].to_string());
        }
        at += 1;
        while is_punct(tokens, at, ':') && is_punct(tokens, at + 1, ':') {
            match tokens.get(at + 2) {
                Some(TokenTree::Ident(ident)) => path.push(ident.to_string()),
                Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                    self.scan(group.stream(), &path);
                    return at + 3;
                }
                _ => break,
            }
            at += 3;
        }
        let looks_like_item = path[0].starts_with(char::is_uppercase);
        if path.len() == 1 && is_punct(tokens, at, '!') {
            self.macros.push(path.remove(0));
        } else if path.len() > 1 || looks_like_item {
            self.tokens.push(path);
        }
        at
    }
}

/// Returns true if the word at a token belongs to the tokens before it: a member, a lifetime, the
/// rest of a path.
fn is_part(tokens: &[TokenTree], at: usize) -> bool {
    let before = |back: usize, char: char| at >= back && is_punct(tokens, at - back, char);
    let variable = before(1, '$') && tokens[at].to_string() != "crate";
    (before(1, '.') && !before(2, '.')) || before(1, '\'') || (before(1, ':') && before(2, ':')) || variable
}

fn is_punct(tokens: &[TokenTree], at: usize, char: char) -> bool {
    matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == char)
}

impl<'ast> Visit<'ast> for Mentions {
    fn visit_item(&mut self, item: &'ast Item) {
        if !attribute::is_test_only(item) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        let attributes = match item {
            ImplItem::Const(item) => &item.attrs[..],
            ImplItem::Fn(item) => &item.attrs,
            ImplItem::Type(item) => &item.attrs,
            ImplItem::Macro(item) => &item.attrs,
            _ => &[],
        };
        if !attribute::any_test(attributes) {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_trait_item(&mut self, item: &'ast TraitItem) {
        if !matches!(item, TraitItem::Fn(item) if attribute::any_test(&item.attrs)) {
            visit::visit_trait_item(self, item);
        }
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        if !matches!(statement, Stmt::Local(local) if attribute::any_test(&local.attrs)) {
            visit::visit_stmt(self, statement);
        }
    }

    /// A `use` within a function.
    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.paths.extend(name::leaves(item).into_iter().map(|leaf| leaf.path));
    }

    fn visit_path(&mut self, path: &'ast Path) {
        if path.leading_colon.is_none() {
            self.paths.push(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, called: &'ast Macro) {
        match called.path.get_ident() {
            Some(name) => self.macros.push(name.to_string()),
            None => self.visit_path(&called.path),
        }
        self.scan(called.tokens.clone(), &[]);
    }

    fn visit_item_macro(&mut self, item: &'ast ItemMacro) {
        if item.ident.is_some() {
            self.scan(item.mac.tokens.clone(), &[]);
        } else {
            self.visit_macro(&item.mac);
        }
    }

    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        let path = attribute.path();
        if path.is_ident("doc") || path.is_ident("cfg") {
            return;
        }
        self.tokens.extend(attribute::quoted_paths(attribute));
        if let syn::Meta::List(list) = &attribute.meta {
            self.scan(list.tokens.clone(), &[]);
        }
    }

    /// A module of its own.
    fn visit_item_mod(&mut self, _: &'ast ItemMod) {}

    /// `pub(in path)` imports nothing.
    fn visit_visibility(&mut self, _: &'ast Visibility) {}
}
