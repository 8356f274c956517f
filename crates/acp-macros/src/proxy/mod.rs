//! The attribute `#[proxy]`: the handlers of a proxy, from an impl block.

mod expand;
mod handler;
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at a broken assumption")]
mod tests;

use proc_macro2::TokenStream;
use quote::quote;
use syn::punctuated::Punctuated;
use syn::{Expr, ExprArray, ExprLit, ImplItem, ItemImpl, Lit, LitStr, Meta, Token};

use self::handler::{Handler, method_of_name};
use crate::report::Report;

/// The arguments of the attribute.
#[derive(Default)]
struct Arguments {
    name: Option<LitStr>,
    refused: Vec<LitStr>,
}

/// Returns the block with the code that makes a proxy of it.
pub(crate) fn expand(arguments: TokenStream, item: &TokenStream) -> TokenStream {
    let mut report = Report::default();
    let arguments = read_arguments(arguments, &mut report);
    let mut block: ItemImpl = match syn::parse2(item.clone()) {
        Ok(block) => block,
        Err(_) => {
            report.error(item, "`#[proxy]` stands on an inherent impl block: `impl MyProxy { … }`");
            return with(item, &report.into_tokens());
        }
    };
    if let Some((path, _)) = &block.trait_ {
        report.error(path, "`#[proxy]` stands on an inherent impl block: take the trait away");
    }
    let mut handlers: Vec<Handler> = Vec::new();
    for item in &mut block.items {
        let ImplItem::Fn(function) = item else { continue };
        if let Some(handler) = Handler::read(function, &mut report) {
            if handlers.iter().any(|other| other.is_same(&handler)) {
                report.error(&function.sig.ident, format!("`{}` has a handler already", handler.method));
            }
            handlers.push(handler);
        }
    }
    for method in &arguments.refused {
        if method_of_name(&method.value()).is_none() {
            report.error(method, format!("the protocol has no request `{}` to refuse", method.value()));
        }
    }
    let made =
        if report.is_empty() { expand::expand(&arguments, &block, &handlers) } else { report.into_tokens() };
    with(&quote!(#block), &made)
}

fn with(block: &TokenStream, more: &TokenStream) -> TokenStream {
    quote!(#block #more)
}

fn read_arguments(arguments: TokenStream, report: &mut Report) -> Arguments {
    let mut read = Arguments::default();
    let parser = Punctuated::<Meta, Token![,]>::parse_terminated;
    let metas = match syn::parse::Parser::parse2(parser, arguments) {
        Ok(metas) => metas,
        Err(error) => {
            report.push(error);
            return read;
        }
    };
    for meta in metas {
        match &meta {
            Meta::NameValue(pair) if pair.path.is_ident("name") => match text(&pair.value) {
                Some(name) => read.name = Some(name),
                None => report.error(&pair.value, "`name` is a text"),
            },
            Meta::NameValue(pair) if pair.path.is_ident("refuse") => match texts(&pair.value) {
                Some(methods) => read.refused = methods,
                None => report.error(&pair.value, "`refuse` is a list of methods: `[\"session/list\"]`"),
            },
            other => report.error(other, "`#[proxy]` takes `name = \"…\"` and `refuse = [\"…\"]`"),
        }
    }
    read
}

fn text(value: &Expr) -> Option<LitStr> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.clone()),
        _ => None,
    }
}

fn texts(value: &Expr) -> Option<Vec<LitStr>> {
    match value {
        Expr::Array(ExprArray { elems, .. }) => elems.iter().map(text).collect(),
        _ => None,
    }
}
