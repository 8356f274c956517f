//! The parts from which an expansion is made.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Ident, Path};

use crate::attr::Attributes;
use crate::classify::Handler;
use crate::parse::Block;
use crate::target::Target;

/// The parts from which the expansion is made.
pub(crate) struct Expansion<'a> {
    pub(crate) target: &'static Target,
    pub(crate) block: &'a Block,
    pub(crate) attributes: &'a Attributes,
    pub(crate) handlers: &'a [Handler<'a>],
    /// Returns the path of the library.
    pub(crate) krate: Path,
}

impl<'a> Expansion<'a> {
    pub(crate) fn new(
        target: &'static Target,
        block: &'a Block,
        attributes: &'a Attributes,
        handlers: &'a [Handler<'a>],
    ) -> Self {
        let library = Ident::new(target.library, proc_macro2::Span::call_site());
        let krate = attributes.krate.clone().unwrap_or_else(|| syn::parse_quote!(::#library));
        Expansion { target, block, attributes, handlers, krate }
    }

    /// Writes `impl Trait for Type`, with these items.
    pub(crate) fn impl_of(&self, name: &str, items: &TokenStream) -> TokenStream {
        let Expansion { block, krate, .. } = self;
        let name = Ident::new(name, proc_macro2::Span::call_site());
        let self_type = &block.self_type;
        let (parameters, _, clause) = block.generics.split_for_impl();
        quote! {
            impl #parameters #krate::#name for #self_type #clause {
                #items
            }
        }
    }
}
