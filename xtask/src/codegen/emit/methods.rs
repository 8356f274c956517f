//! The markers of the methods and the table of them all.

use quote::quote;

use super::context::{Context, gate, ident};
use crate::codegen::format::Item;
use crate::codegen::ir::{Method, Schema, Side};

pub(super) fn emit(schema: &Schema, runtime: &str) -> Vec<Item> {
    let is_request = |method: &Method| method.response.is_some();
    let mut used = vec!["Kind", "Method", "MethodInfo"];
    used.extend((!schema.methods.iter().all(is_request)).then_some("Notification"));
    used.extend(schema.methods.iter().any(is_request).then_some("Request"));
    used.push("Side");
    let mut items = vec![Item::Text(format!("use {runtime}::method::{{{}}};\n", used.join(", ")))];
    items.push(Item::Tokens(table(schema)));
    for method in &schema.methods {
        items.extend(marker(method).into_iter().map(Item::Tokens));
    }
    items
}

fn table(schema: &Schema) -> proc_macro2::TokenStream {
    let rows = schema.methods.iter().map(|method| {
        let (name, handler, params) = (&method.name, side(method.handler), &method.params);
        let kind = if method.response.is_some() { quote!(Kind::Request) } else { quote!(Kind::Notification) };
        let response = option(method.response.as_deref());
        let capability = option(method.capability.as_deref());
        let gate = gate(method.unstable);
        quote! {
            #gate
            MethodInfo::new(#name, #kind, #handler, #params, #response, #capability)
        }
    });
    quote! {
        /// Every method and notification, in the order of names.
        pub const METHODS: &[MethodInfo] = &[#(#rows),*];
    }
}

fn marker(method: &Method) -> Vec<proc_macro2::TokenStream> {
    let (marker, name, handler, params) =
        (ident(&method.marker), &method.name, side(method.handler), ident(&method.params));
    let receiver = match method.handler {
        Side::Agent => "handled by the agent",
        Side::Client => "handled by the client",
        Side::Both => "handled by both sides",
        Side::Proxy => "handled by a proxy",
    };
    let needs = method.capability.as_ref().map(|path| format!("; needs `{path}`")).unwrap_or_default();
    let docs = match &method.response {
        Some(response) => format!(
            "`{name}`: a request {receiver}, [`{}`](super::{0}) to [`{response}`](super::{response}){needs}.",
            method.params,
        ),
        None => format!("`{name}`: a notification {receiver}, [`{}`](super::{0}){needs}.", method.params),
    };
    let docs = Context::wording(Some(&docs));
    let gate = gate(method.unstable);
    let kind = match &method.response {
        Some(response) => {
            let response = ident(response);
            quote! {
                #gate
                impl Request for #marker {
                    type Response = super::#response;
                }
            }
        }
        None => quote!(#gate impl Notification for #marker {}),
    };
    vec![
        quote!(#docs #gate #[derive(Clone, Copy, Debug)] pub enum #marker {}),
        quote! {
            #gate
            impl Method for #marker {
                const NAME: &'static str = #name;
                const HANDLER: Side = #handler;
                type Params = super::#params;
            }
        },
        kind,
    ]
}

fn side(side: Side) -> proc_macro2::TokenStream {
    match side {
        Side::Agent => quote!(Side::Agent),
        Side::Client => quote!(Side::Client),
        Side::Both => quote!(Side::Both),
        Side::Proxy => quote!(Side::Proxy),
    }
}

fn option(text: Option<&str>) -> proc_macro2::TokenStream {
    match text {
        Some(text) => quote!(Some(#text)),
        None => quote!(None),
    }
}
