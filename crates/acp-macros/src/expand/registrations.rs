//! The registration of the handlers of a block.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::Ident;

use super::calls::{at, body, located, marker};
use super::parts::Expansion;
use crate::classify::{Handler, Role};
use crate::command::Command;
use crate::method;

/// Writes the statements that register the handlers.
pub(crate) fn registrations(expansion: &Expansion<'_>) -> TokenStream {
    expansion.handlers.iter().map(|handler| registration(handler, expansion)).collect()
}

/// Writes the checks of names that are known when the block is compiled.
pub(crate) fn own_methods(expansion: &Expansion<'_>) -> TokenStream {
    expansion.handlers.iter().filter_map(|handler| own_method(handler, expansion)).collect()
}

/// Writes the statement that registers a handler.
fn registration(handler: &Handler<'_>, expansion: &Expansion<'_>) -> TokenStream {
    let krate = &expansion.krate;
    let marker = marker(handler, krate);
    let body = body(handler, &marker, expansion);
    match &handler.role {
        Role::Extension(name) if handler.is_notification() => {
            quote!(handlers.listen_ext(#name, &self, #body);)
        }
        Role::Extension(name) => quote!(handlers.serve_ext(#name, &self, #body);),
        Role::Command(Command { name, description, hint }) => {
            let hint = hint.as_ref().map(|hint| quote!(.hint(#hint)));
            let command = quote!(#krate::types::AvailableCommand::new(#name, #description) #hint);
            quote!(handlers.serve_keyed::<#marker, _, _>(#command, &self, #body);)
        }
        Role::Operation(_) | Role::Hook(_) | Role::Typed(_) => {
            // The path is used as it was written; otherwise its import would be unused.
            let path = match &handler.role {
                Role::Operation(_) => method::marker(handler.function),
                _ => None,
            };
            let used = path.map(|path| quote!(let _ = <#path as #krate::method::Method>::NAME;));
            let enter =
                Ident::new(if handler.is_notification() { "listen" } else { "serve" }, Span::call_site());
            quote!(#used handlers.#enter::<#marker, _, _>(&self, #body);)
        }
    }
}

/// Checks the name of an extension's marker while the block is compiled.
fn own_method(handler: &Handler<'_>, expansion: &Expansion<'_>) -> Option<TokenStream> {
    let Role::Typed(path) = &handler.role else { return None };
    // A marker that depends on the block's parameters is known only with them.
    if !expansion.block.generics.params.is_empty() {
        return None;
    }
    let krate = &expansion.krate;
    let marker = marker(handler, krate);
    let check = located(quote!(#krate::op::assert_own(<#marker as #krate::Op>::METHOD)), at(path));
    Some(quote!(const _: () = #check;))
}
