//! The `impl Agent` for a block.

use proc_macro2::TokenStream;
use quote::{ToTokens as _, quote};

use super::calls::{body, marker};
use super::facts;
use super::parts::Expansion;
use crate::classify::{Handler, Returns, Role, session_state};
use crate::method;

/// Writes `impl Agent` for a correct block.
pub(crate) fn implementation(expansion: &Expansion<'_>) -> TokenStream {
    let krate = &expansion.krate;
    let session = session(expansion);
    let (profile, meta) = (facts::profile(expansion), facts::meta(expansion));
    let (store, mcp) = (facts::store(expansion), facts::mcp(expansion));
    let (calls, notifications) = (calls(expansion), notifications(expansion));
    expansion.impl_of(
        "Agent",
        &quote! {
            type Session = #session;
            const PROFILE: #krate::Profile<'static> = #profile;

            #meta
            #store
            #mcp

            fn call(incoming: #krate::Incoming<'_, Self>) -> #krate::Called {
                match incoming.method() {
                    #(#calls)*
                    _ => incoming.refuse(),
                }
            }

            #notifications
        },
    )
}

/// Writes `impl Agent` for a block with errors.
pub(crate) fn fallback(expansion: &Expansion<'_>) -> TokenStream {
    let krate = &expansion.krate;
    let session = session(expansion);
    expansion.impl_of(
        "Agent",
        &quote! {
            type Session = #session;
            const PROFILE: #krate::Profile<'static> = #krate::Profile::new("", "");

            fn call(incoming: #krate::Incoming<'_, Self>) -> #krate::Called {
                incoming.refuse()
            }
        },
    )
}

/// Returns the type of a session's state.
fn session(expansion: &Expansion<'_>) -> TokenStream {
    let opening = expansion.handlers.iter().find(|handler| handler.is("new_session"));
    match opening.map(|handler| &handler.returns) {
        Some(Returns::Result { value: Some(value), .. }) => session_state(value).to_token_stream(),
        _ => quote!(()),
    }
}

/// Returns true if the block opens its sessions itself. Otherwise they have no state.
pub(crate) fn opens_sessions(handlers: &[Handler<'_>]) -> bool {
    handlers.iter().any(|handler| handler.is("new_session"))
}

/// Writes the arms of the match on the method of a request.
fn calls(expansion: &Expansion<'_>) -> Vec<TokenStream> {
    let krate = &expansion.krate;
    let mut arms = arms(expansion, false);
    if !opens_sessions(expansion.handlers) {
        arms.push(quote! {
            "session/new" => incoming.run::<#krate::op::NewSession, _, _>(|_agent, _call| async move {
                ::core::result::Result::Ok(#krate::Opened::new(()))
            }),
        });
    }
    arms
}

/// Writes the match on the method of a notification, if the agent handles any.
fn notifications(expansion: &Expansion<'_>) -> Option<TokenStream> {
    let krate = &expansion.krate;
    let arms = arms(expansion, true);
    (!arms.is_empty()).then(|| {
        quote! {
            fn notify(incoming: #krate::IncomingNotification<'_, Self>) -> #krate::Delivery {
                match incoming.method() {
                    #(#arms)*
                    _ => incoming.ignore(),
                }
            }
        }
    })
}

fn arms(expansion: &Expansion<'_>, notifications: bool) -> Vec<TokenStream> {
    let krate = &expansion.krate;
    let handlers = expansion.handlers.iter().filter(|handler| handler.is_notification() == notifications);
    handlers
        .map(|handler| {
            let marker = marker(handler, krate);
            let pattern = match &handler.role {
                Role::Operation(operation) => match method::marker(handler.function) {
                    // The path is used as it was written; otherwise its import would be unused.
                    Some(path) => quote!(<#path as #krate::method::Method>::NAME),
                    None => operation.method.to_token_stream(),
                },
                Role::Hook(hook) => hook.method.to_token_stream(),
                Role::Extension(name) => name.to_token_stream(),
                Role::Typed(_) => quote!(<#marker as #krate::Op>::METHOD),
            };
            let body = body(handler, &marker, expansion);
            quote!(#pattern => incoming.run::<#marker, _, _>(#body),)
        })
        .collect()
}
