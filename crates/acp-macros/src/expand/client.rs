//! The `impl Client` for a block.

use proc_macro2::TokenStream;
use quote::quote;

use super::parts::Expansion;
use super::registrations::registrations;

/// Writes `impl Client` for a correct block.
pub(crate) fn implementation(expansion: &Expansion<'_>) -> TokenStream {
    // A client may serve nothing.
    let parameter = if expansion.handlers.is_empty() { quote!(_handlers) } else { quote!(handlers) };
    client(expansion, &parameter, &registrations(expansion))
}

/// Writes `impl Client` for a block with errors.
pub(crate) fn fallback(expansion: &Expansion<'_>) -> TokenStream {
    client(expansion, &quote!(_handlers), &TokenStream::new())
}

fn client(expansion: &Expansion<'_>, handlers: &TokenStream, registrations: &TokenStream) -> TokenStream {
    let krate = &expansion.krate;
    let assumption = Expansion::assumption();
    expansion.impl_of(
        "Client",
        &quote! {
            fn register(self: ::std::sync::Arc<Self>, #handlers: &mut #krate::Handlers)
            #assumption
            {
                #registrations
            }
        },
    )
}
