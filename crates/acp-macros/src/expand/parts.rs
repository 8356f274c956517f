//! The parts from which an expansion is made.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Generics, Ident, Path, WherePredicate, parse_quote};

use super::calls::at;
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
        let library = Ident::new(target.library, Span::call_site());
        let krate = attributes.krate.clone().unwrap_or_else(|| syn::parse_quote!(::#library));
        Expansion { target, block, attributes, handlers, krate }
    }

    /// Writes `impl Trait for Type`, with these items.
    pub(crate) fn impl_of(&self, name: &str, items: &TokenStream) -> TokenStream {
        let Expansion { block, krate, .. } = self;
        let name = Ident::new(name, Span::call_site());
        let self_type = &block.self_type;
        let generics = self.shared_generics();
        let (parameters, _, clause) = generics.split_for_impl();
        quote! {
            impl #parameters #krate::#name for #self_type #clause {
                #items
            }
        }
    }

    /// Writes the assumption that `register` makes. Where it is false, the supertraits of the trait
    /// say so, and each handler would say it again.
    pub(crate) fn assumption() -> TokenStream {
        // With `for<'a>` rustc believes a bound that does not depend on parameters, too.
        quote!(where for<'a> Self: ::core::marker::Send + ::core::marker::Sync + 'static)
    }

    /// Checks the bounds of the block's parameters, which its impl of the trait assumes.
    pub(crate) fn bounds(&self) -> Option<TokenStream> {
        let Expansion { block, krate, .. } = self;
        let (parameters, _, clause) = block.generics.split_for_impl();
        let checks: Vec<_> = block
            .generics
            .type_params()
            .map(|parameter| {
                let name = &parameter.ident;
                quote_spanned!(at(name)=> #krate::assert_shared::<#name>();)
            })
            .collect();
        let self_type = &block.self_type;
        (!checks.is_empty()).then(|| {
            quote! {
                const _: () = {
                    #[allow(dead_code)]
                    trait Bounds {
                        fn check();
                    }
                    // An impl, because the clause may name `Self`.
                    impl #parameters Bounds for #self_type #clause {
                        fn check() {
                            #(#checks)*
                        }
                    }
                };
            }
        })
    }

    /// Returns the generics of the block, and the bounds that all its types need.
    fn shared_generics(&self) -> Generics {
        let mut generics = self.block.generics.clone();
        let names: Vec<_> = generics.type_params().map(|parameter| parameter.ident.clone()).collect();
        if !names.is_empty() {
            let bounds = names.iter().map(|name| -> WherePredicate {
                parse_quote!(#name: ::core::marker::Send + ::core::marker::Sync + 'static)
            });
            generics.make_where_clause().predicates.extend(bounds);
        }
        generics
    }
}
