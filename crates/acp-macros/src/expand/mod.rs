//! The code that replaces the attribute: the block as it was, and the impl of its trait.

mod agent;
mod calls;
mod client;
mod facts;
mod parts;
mod registrations;

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::Parser as _;

use self::parts::Expansion;
use crate::attr::Attributes;
use crate::check::{check, lifetimes};
use crate::classify::{Handler, Role, handlers};
use crate::operation::Side;
use crate::parse::Block;
use crate::report::Report;
use crate::target::Target;

/// Expands `#[agent]` or `#[client]`.
pub(crate) fn expand(target: &'static Target, attributes: TokenStream, item: &TokenStream) -> TokenStream {
    let mut report = Report::default();
    let attributes = Attributes::parse(attributes, target, &mut report);
    let block = match (|input: syn::parse::ParseStream<'_>| Block::parse(input, target)).parse2(item.clone())
    {
        Ok(block) => block,
        Err(error) => {
            report.push(error);
            let errors = report.into_tokens();
            return quote!(#item #errors);
        }
    };
    let handlers = handlers(&block, target, &mut report);
    check(&block, &attributes, &handlers, target, &mut report);
    let expansion = Expansion::new(target, &block, &attributes, &handlers);
    let own_methods = report.is_empty().then(|| registrations::own_methods(&expansion));
    let implementation = match (target.side, report.is_empty()) {
        (Side::Client, true) => client::implementation(&expansion),
        (_, true) => agent::implementation(&expansion),
        // Without its trait, `serve(MyAgent, …)` would be one more error.
        (_, false) if !lifetimes(&block).is_empty() => TokenStream::new(),
        (Side::Client, false) => client::fallback(&expansion),
        (_, false) => agent::fallback(&expansion),
    };
    let bounds = report.is_empty().then(|| expansion.bounds());
    let errors = report.into_tokens();
    // An editor shows the operation's documentation at the function's name.
    let block = block.to_tokens(|function| {
        handlers.iter().find(|handler| std::ptr::eq(handler.function, function)).and_then(docs)
    });
    quote!(#block #implementation #own_methods #bounds #errors)
}

/// Returns the text that is added to the function's own documentation.
fn docs(handler: &Handler<'_>) -> Option<String> {
    match &handler.role {
        Role::Command(command) => {
            Some(format!(" Runs the command `/{}`: {}", command.name.value(), command.description.value()))
        }
        Role::Operation(operation) => Some(format!(" Handles `{}`. {}", operation.method, operation.doc)),
        Role::Hook(hook) => Some(format!(" Called during `{}`. {}", hook.method, hook.doc)),
        Role::Extension(_) | Role::Typed(_) => None,
    }
}
