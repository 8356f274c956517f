//! The facts that the library is told about an agent: `Profile`, own capabilities, store, MCP
//! servers.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};

use super::parts::Expansion;
use crate::attr::{Given, McpTransports, MetaEntry, Prompt};

/// Writes the facts of the block that are no handlers.
pub(crate) fn profile(expansion: &Expansion<'_>) -> TokenStream {
    let Expansion { attributes, krate, .. } = expansion;
    let (name, version) = (name(expansion), or_package(attributes.version.as_ref(), "CARGO_PKG_VERSION"));
    let Prompt { image, audio, embedded_context, queue, steering } = attributes.prompt;
    let McpTransports { http, sse } = attributes.mcp;
    let content =
        quote!(#krate::PromptContent { image: #image, audio: #audio, embedded_context: #embedded_context });
    let title = attributes.title.as_ref().map(|title| quote!(::core::option::Option::Some(#title)));
    let facts = [
        ("title", title),
        ("login_required", attributes.login_required.as_ref().map(|_| quote!(true))),
        ("prompt", (image || audio || embedded_context).then_some(content)),
        ("queue_prompts", queue.then(|| quote!(true))),
        ("steering", steering.then(|| quote!(true))),
        ("mcp", (http || sse).then(|| quote!(#krate::McpTransports { http: #http, sse: #sse }))),
        ("additional_directories", attributes.additional_directories.then(|| quote!(true))),
    ];
    let set = facts.into_iter().filter_map(|(field, value)| {
        let field = format_ident!("{field}");
        value.map(|value| quote!(profile.#field = #value;))
    });
    let set: TokenStream = set.collect();
    if set.is_empty() {
        return quote!(#krate::Profile::new(#name, #version));
    }
    quote! {
        let mut profile = #krate::Profile::new(#name, #version);
        #set
        profile
    }
}

/// Writes the functions for facts that are made at run time.
pub(crate) fn others(expansion: &Expansion<'_>) -> TokenStream {
    let (meta, store, mcp) = (meta(expansion), store(expansion), mcp(expansion));
    quote!(#meta #store #mcp)
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

/// Returns the capabilities that the protocol does not know.
fn meta(expansion: &Expansion<'_>) -> Option<TokenStream> {
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
fn store(expansion: &Expansion<'_>) -> Option<TokenStream> {
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
fn mcp(expansion: &Expansion<'_>) -> Option<TokenStream> {
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
