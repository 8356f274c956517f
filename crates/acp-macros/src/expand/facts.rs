//! The facts that the library is told about an agent: `Profile`, own capabilities, store, MCP
//! servers.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::Ident;

use super::agent::opens_sessions;
use super::calls::{at, located, marker};
use super::parts::Expansion;
use crate::attr::{Given, McpTransports, MetaEntry, Prompt};
use crate::classify::{Handler, Role};

/// Writes the facts of the block.
pub(crate) fn profile(expansion: &Expansion<'_>) -> TokenStream {
    let Expansion { attributes, handlers, krate, .. } = expansion;
    let (name, version) = (name(expansion), or_package(attributes.version.as_ref(), "CARGO_PKG_VERSION"));
    let title = attributes.title.as_ref().map(|title| quote!(.title(#title)));
    let operations = operations(expansion);
    let auth_methods = handlers.iter().any(|handler| handler.is("auth_methods"));
    let auth_methods = auth_methods.then(|| quote!(.auth_methods(true)));
    let login_required = attributes.login_required.as_ref().map(|_| quote!(.login_required(true)));
    let extensions: Vec<_> = extensions(expansion).collect();
    let extensions = (!extensions.is_empty()).then(|| quote!(.extensions(&[#(#extensions),*])));
    let Prompt { image, audio, embedded_context, queue } = attributes.prompt;
    let prompt = (image || audio || embedded_context).then(|| {
        quote!(.prompt(#krate::PromptContent { image: #image, audio: #audio, embedded_context: #embedded_context }))
    });
    let queue = queue.then(|| quote!(.queue_prompts(true)));
    let McpTransports { http, sse } = attributes.mcp;
    let mcp = (http || sse).then(|| quote!(.mcp(#krate::McpTransports { http: #http, sse: #sse })));
    let directories = attributes.additional_directories.then(|| quote!(.additional_directories(true)));
    quote! {
        #krate::Profile::new(#name, #version)
            #title
            .operations(&[#(#krate::Operation::#operations),*])
            #auth_methods #login_required #extensions #prompt #queue #mcp #directories
    }
}

fn name(expansion: &Expansion<'_>) -> TokenStream {
    or_package(expansion.attributes.name.as_ref(), "CARGO_PKG_NAME")
}

fn or_package(given: Option<&syn::LitStr>, variable: &str) -> TokenStream {
    match given {
        Some(given) => given.to_token_stream(),
        None => quote!(::core::env!(#variable)),
    }
}

/// Returns the variants of `Operation` that the block has. `session/new` is always answered.
fn operations(expansion: &Expansion<'_>) -> Vec<Ident> {
    let operations = expansion.handlers.iter().filter_map(Handler::operation);
    let mut operations: Vec<_> = operations.map(|operation| format_ident!("{}", operation.marker)).collect();
    if !opens_sessions(expansion.handlers) {
        operations.push(format_ident!("NewSession"));
    }
    operations
}

/// Returns the agent's extension methods.
fn extensions(expansion: &Expansion<'_>) -> impl Iterator<Item = TokenStream> {
    let krate = &expansion.krate;
    expansion.handlers.iter().filter_map(move |handler| {
        let kind = if handler.is_notification() { "notification" } else { "request" };
        let kind = format_ident!("{kind}");
        let name = match &handler.role {
            Role::Extension(name) => name.to_token_stream(),
            Role::Typed(path) => {
                let marker = marker(handler, krate);
                // It points at the marker, which is wrong when its name is.
                let request = quote!(#krate::Extension::#kind(<#marker as #krate::Op>::METHOD));
                return Some(located(request, at(path)));
            }
            Role::Operation(_) | Role::Hook(_) => return None,
        };
        Some(quote!(#krate::Extension::#kind(#name)))
    })
}

/// Returns the capabilities that the protocol does not know.
pub(crate) fn meta(expansion: &Expansion<'_>) -> Option<TokenStream> {
    let Expansion { attributes, krate, .. } = expansion;
    let entries = attributes.meta.iter().map(|MetaEntry { name, value }| quote!(.with(#name, #value)));
    (!attributes.meta.is_empty()).then(|| {
        quote! {
            fn capability_meta(&self) -> #krate::Meta {
                #krate::Meta::new() #(#entries)*
            }
        }
    })
}

/// Returns the store of the sessions.
pub(crate) fn store(expansion: &Expansion<'_>) -> Option<TokenStream> {
    let krate = &expansion.krate;
    let store = match expansion.attributes.store.as_ref()? {
        Given::Default => {
            let name = name(expansion);
            quote!(#krate::store::Journal::of_agent(#name))
        }
        Given::Value(store) => store.to_token_stream(),
    };
    Some(quote! {
        fn store(&self) -> ::core::option::Option<::std::sync::Arc<dyn #krate::store::SessionStore>> {
            ::core::option::Option::Some(::std::sync::Arc::new(#store))
        }
    })
}

/// Returns the options with which MCP servers are connected.
pub(crate) fn mcp(expansion: &Expansion<'_>) -> Option<TokenStream> {
    let krate = &expansion.krate;
    let options = match expansion.attributes.servers.as_ref()? {
        Given::Default => quote!(#krate::mcp::Options::new()),
        Given::Value(options) => options.to_token_stream(),
    };
    Some(quote! {
        fn mcp(&self) -> ::core::option::Option<#krate::mcp::Options> {
            ::core::option::Option::Some(#options)
        }
    })
}
