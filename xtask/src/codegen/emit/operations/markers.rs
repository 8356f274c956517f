//! The marker types of operations, and the enum of them all.

use proc_macro2::TokenStream;
use quote::{ToTokens as _, quote};

use super::super::context::{Context, gate, ident};
use super::{Half, Operation};
use crate::codegen::format::Item;
use crate::codegen::ir::Side;

pub(super) fn emit(operations: &[Operation<'_>], half: &Half) -> Vec<Item> {
    let mut items = vec![Item::Text("use acp_types::Meta;\n".to_owned())];
    items.extend([false, true].map(|unstable| Item::Tokens(imports(operations, unstable, true))));
    let library = match half.side {
        Side::Client => "use crate::op::{OnSession, Op};\nuse crate::{Argument, Call, FromCall};\n",
        _ => "use crate::op::{Op, Sealed};\n",
    };
    items.push(Item::Text(library.to_owned()));
    items.extend(operation_enum(operations, half).map(Item::Tokens));
    items.extend(operations.iter().flat_map(marker).filter(|tokens| !tokens.is_empty()).map(Item::Tokens));
    items
}

/// The requests of an agent's operations as arguments of their handlers, which stand above the
/// markers.
pub(super) fn arguments(operations: &[Operation<'_>]) -> Vec<Item> {
    let mut items: Vec<_> =
        [false, true].map(|unstable| Item::Tokens(imports(operations, unstable, false))).into();
    items.push(Item::Text(
        "use crate::error::Result;\nuse crate::handler::agent::Agent;\nuse crate::handler::arguments::FromCall;\n\
         use crate::handler::call::Call;\nuse crate::op;\n"
            .to_owned(),
    ));
    items.extend(operations.iter().map(argument).map(Item::Tokens));
    items
}

fn argument(operation: &Operation<'_>) -> TokenStream {
    let (gate, marker, params) =
        (operation.gate(), ident(&operation.marker), ident(&operation.method.params));
    quote! {
        #gate
        impl<A: Agent> FromCall<op::#marker, A> for #params {
            fn from_call(call: &mut Call<op::#marker, A::Session>) -> Result<Self> {
                Ok(call.params().clone())
            }
        }
    }
}

fn imports(operations: &[Operation<'_>], unstable: bool, responses: bool) -> TokenStream {
    let mut types: Vec<&str> = operations
        .iter()
        .map(|operation| operation.method)
        .filter(|method| method.unstable == unstable)
        .flat_map(|method| [Some(method.params.as_str()), method.response.as_deref().filter(|_| responses)])
        .flatten()
        .collect();
    let on_sessions = operations.iter().any(Operation::is_on_session_of_client);
    types.extend((on_sessions && !unstable).then_some("SessionId"));
    types.sort_unstable();
    types.dedup();
    let (gate, types) = (gate(unstable), types.into_iter().map(ident));
    quote!(#gate use acp_types::v1::{#(#types),*};)
}

fn operation_enum(operations: &[Operation<'_>], half: &Half) -> [TokenStream; 2] {
    let Half { article, attribute, .. } = half;
    let handled = Context::wording(Some(&format!(
        "A request or a notification of the protocol that {article} {attribute} handles."
    )));
    let named = Context::wording(Some(&format!(
        "The name of the function that handles it in {article} `#[{attribute}]` block."
    )));
    let stands_for = Context::wording(Some(&format!(
        "The capability of the {attribute} that stands for the operation; `None` when there is none to advertise."
    )));
    let variants: Vec<_> = operations.iter().map(|operation| ident(&operation.marker)).collect();
    let methods: Vec<_> = operations.iter().map(|operation| &operation.method.name).collect();
    let names = operations.iter().map(|operation| &operation.name);
    let gates: Vec<_> = operations.iter().map(Operation::gate).collect();
    let docs = operations.iter().map(|operation| {
        Context::wording(Some(&format!("`{}`, handled by `{}`.", operation.method.name, operation.name)))
    });
    let capabilities = operations.iter().map(|operation| match operation.capability() {
        Some(path) => quote!(Some(#path)),
        None => quote!(None),
    });
    let arms = |requests: bool| {
        let of_kind = operations.iter().filter(|operation| operation.is_request() == requests);
        of_kind
            .map(|operation| {
                let (gate, method, variant) =
                    (operation.gate(), &operation.method.name, ident(&operation.marker));
                quote!(#gate #method => Some(Operation::#variant),)
            })
            .collect::<TokenStream>()
    };
    let (requests, notifications) = (arms(true), arms(false));
    [
        quote! {
            #handled
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
            #[non_exhaustive]
            pub enum Operation {
                #(#docs #gates #variants,)*
            }
        },
        quote! {
            impl Operation {
                /// Every operation, in the order of names.
                pub const ALL: &[Operation] = &[#(#gates Operation::#variants),*];

                /// The operation that a request asks for.
                #[must_use]
                pub fn from_method(method: &str) -> Option<Self> {
                    match method {
                        #requests
                        _ => None,
                    }
                }

                /// The operation that a notification is for.
                #[must_use]
                pub fn from_notification(method: &str) -> Option<Self> {
                    match method {
                        #notifications
                        _ => None,
                    }
                }

                /// The protocol method.
                #[must_use]
                pub const fn method(self) -> &'static str {
                    match self {
                        #(#gates Operation::#variants => #methods,)*
                    }
                }

                #named
                #[must_use]
                pub const fn name(self) -> &'static str {
                    match self {
                        #(#gates Operation::#variants => #names,)*
                    }
                }

                #stands_for
                #[must_use]
                pub const fn capability(self) -> Option<&'static str> {
                    match self {
                        #(#gates Operation::#variants => #capabilities,)*
                    }
                }
            }
        },
    ]
}

fn marker(operation: &Operation<'_>) -> [TokenStream; 4] {
    let (name, method) = (&operation.name, &operation.method.name);
    let (marker, params) = (ident(&operation.marker), ident(&operation.method.params));
    let response = match &operation.method.response {
        Some(response) => ident(response).into_token_stream(),
        None => quote!(()),
    };
    let (docs, gate) = (Context::wording(Some(operation.doc)), operation.gate());
    let on_session = operation.is_on_session_of_client().then(|| {
        quote! {
            #gate
            impl OnSession for #marker {
                fn session(params: &Self::Params) -> &SessionId {
                    &params.session_id
                }
            }
        }
    });
    [
        quote!(#docs #gate #[derive(Debug)] pub enum #marker {}),
        quote! {
            #gate
            impl Op for #marker {
                const NAME: &'static str = #name;
                const METHOD: &'static str = #method;
                type Params = #params;
                type Response = #response;

                fn meta(params: &Self::Params) -> Option<&Meta> {
                    params.meta.as_ref()
                }
            }
        },
        on_session.unwrap_or_default(),
        match operation.half.side {
            Side::Client => quote! {
                #gate
                impl FromCall<#marker> for #params {
                    fn from_call(call: &mut Call<#marker>) -> Argument<'_, Self> {
                        Argument::now(call.params().clone())
                    }
                }
            },
            // The handlers of an agent stand above its markers: see `arguments`.
            _ => quote!(#gate impl Sealed for #marker {}),
        },
    ]
}
