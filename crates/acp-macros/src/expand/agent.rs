//! The `impl Agent` for a block.

use proc_macro2::TokenStream;
use quote::{ToTokens as _, quote};

use super::facts;
use super::parts::Expansion;
use super::registrations::registrations;
use crate::classify::{Returns, session_state};

/// Writes `impl Agent` for a correct block.
pub(crate) fn implementation(expansion: &Expansion<'_>) -> TokenStream {
    let krate = &expansion.krate;
    let registrations = registrations(expansion);
    // Without a handler for new sessions, they have no state.
    let opens_sessions = expansion.handlers.iter().any(|handler| handler.is("new_session"));
    let empty_sessions = (!opens_sessions).then(|| {
        quote! {
            handlers.serve::<#krate::op::NewSession, _, _>(&self, |_agent, _call| async move {
                ::core::result::Result::Ok(#krate::Opened::new(()))
            });
        }
    });
    agent(
        expansion,
        &facts::profile(expansion),
        &facts::others(expansion),
        &quote!(handlers),
        &quote! {
            #registrations
            #empty_sessions
        },
    )
}

/// Writes `impl Agent` for a block with errors.
pub(crate) fn fallback(expansion: &Expansion<'_>) -> TokenStream {
    let krate = &expansion.krate;
    let profile = quote!(#krate::Profile::new("", ""));
    agent(expansion, &profile, &TokenStream::new(), &quote!(_handlers), &TokenStream::new())
}

fn agent(
    expansion: &Expansion<'_>,
    profile: &TokenStream,
    others: &TokenStream,
    handlers: &TokenStream,
    registrations: &TokenStream,
) -> TokenStream {
    let (krate, session) = (&expansion.krate, session(expansion));
    let assumption = Expansion::assumption();
    expansion.impl_of(
        "Agent",
        &quote! {
            type Session = #session;

            fn profile(&self) -> #krate::Profile {
                #profile
            }

            #others

            fn register(self: ::std::sync::Arc<Self>, #handlers: &mut #krate::Handlers<Self::Session>)
            #assumption
            {
                #registrations
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
