//! The code of a proxy.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{ItemImpl, Type};

use super::Arguments;
use super::handler::{Form, Handler, Toward, method_of_name};

/// Returns the code that makes a proxy of the block.
pub(super) fn expand(arguments: &Arguments, block: &ItemImpl, handlers: &[Handler]) -> TokenStream {
    let self_type = &block.self_ty;
    let (generics, _, clause) = block.generics.split_for_impl();
    let name = arguments.name.as_ref().map_or_else(|| name_of(self_type), syn::LitStr::value);
    let registrations = handlers.iter().map(registration);
    let refused = arguments.refused.iter().map(|method| {
        let toward = toward(method_of_name(&method.value()).unwrap_or(Toward::Agent));
        quote!(let proxy = proxy.refuse(#toward, #method);)
    });
    quote! {
        #[automatically_derived]
        impl #generics ::core::convert::From<#self_type> for ::acp_proxy::Proxy #clause {
            fn from(this: #self_type) -> Self {
                let this = ::std::sync::Arc::new(this);
                let proxy = ::acp_proxy::Proxy::new(#name);
                #(#registrations)*
                #(#refused)*
                proxy
            }
        }
    }
}

fn registration(handler: &Handler) -> TokenStream {
    let Handler { function, method, form, is_raw, is_named, .. } = handler;
    let toward = toward(handler.toward);
    let register = match (form, is_raw) {
        (Form::Next, false) if *is_named => quote!(__vocabulary_request),
        (Form::Pass, false) if *is_named => quote!(__vocabulary_notification),
        (Form::Next, false) => quote!(request),
        (Form::Next | Form::Serves, true) => quote!(raw_request),
        (Form::Pass, false) => quote!(notification),
        (Form::Pass, true) => quote!(raw_notification),
        (Form::Serves, false) if *is_named => quote!(__vocabulary_serve),
        (Form::Serves, false) => quote!(serve),
    };
    let call = match form {
        Form::Serves => quote! {
            ::core::mem::drop(rest);
            ::acp_proxy::__served(this.#function(params).await)
        },
        Form::Next | Form::Pass => quote!(this.#function(params, rest).await),
    };
    quote! {
        let proxy = {
            let this = ::std::sync::Arc::clone(&this);
            proxy.#register(#toward, #method, move |params, rest| {
                let this = ::std::sync::Arc::clone(&this);
                async move { #call }
            })
        };
    }
}

fn toward(toward: Toward) -> TokenStream {
    match toward {
        Toward::Agent => quote!(::acp_proxy::Toward::Agent),
        Toward::Client => quote!(::acp_proxy::Toward::Client),
    }
}

/// Returns the last part of the type's name.
fn name_of(self_type: &Type) -> String {
    match self_type {
        Type::Path(path) => {
            path.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default()
        }
        _ => String::from("proxy"),
    }
}
