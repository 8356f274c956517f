//! The marker types of operations, and the enum of them all.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::{ToTokens as _, quote};

use super::half::Half;
use super::membership::Membership;
use super::row::Operation;
use crate::codegen::emit::context::{Context, gate, ident};
use crate::codegen::format::Item;
use crate::codegen::ir::{Method, Side};

pub(super) fn emit(operations: &[Operation<'_>], hooks: &[Operation<'_>], half: &Half) -> Vec<Item> {
    let mut items = vec![Item::Text("use acp_types::Meta;\n".to_owned())];
    let types = operations.iter().chain(hooks).flat_map(|operation| {
        let Method { params, response, unstable, .. } = operation.method;
        let session = is_on_session_of_client(operation).then_some("SessionId");
        [Some(params.as_str()), response.as_deref(), session].into_iter().flatten().map(|ty| (ty, *unstable))
    });
    items.extend(imports(types));
    let library = if half.side == Side::Client {
        "use acp_handlers::OnSession;\n\nuse crate::op::Op;\n"
    } else {
        "use crate::op::Op;\n"
    };
    items.push(Item::Text(library.to_owned()));
    items.extend(operation_enum(operations, half).map(Item::Tokens));
    items.extend((half.side == Side::Agent).then(|| Item::Tokens(columns(operations))));
    items.extend(
        operations.iter().chain(hooks).flat_map(marker).filter(|tokens| !tokens.is_empty()).map(Item::Tokens),
    );
    items
}

/// The imports of these types. A type that only unstable operations use is behind the feature, as
/// they are.
pub(super) fn imports<'t>(types: impl Iterator<Item = (&'t str, bool)>) -> Vec<Item> {
    let types: Vec<_> = types.collect();
    let used = |unstable| -> BTreeSet<&str> {
        types.iter().filter(|(_, of)| *of == unstable).map(|(name, _)| *name).collect()
    };
    let (stable, unstable) = (used(false), used(true));
    let lines = [
        (stable.iter().copied().collect::<Vec<_>>(), gate(false)),
        (unstable.difference(&stable).copied().collect(), gate(true)),
    ];
    let lines = lines.into_iter().filter(|(names, _)| !names.is_empty());
    let line = |(names, gate): (Vec<&str>, TokenStream)| {
        let names = names.into_iter().map(ident);
        Item::Tokens(quote!(#gate use acp_types::v1::{#(#names),*};))
    };
    lines.map(line).collect()
}

/// In an agent, only its connections know which sessions are open.
fn is_on_session_of_client(operation: &Operation<'_>) -> bool {
    operation.half.side == Side::Client && operation.session == Membership::On
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
    let variants: Vec<_> = operations.iter().map(|operation| operation.marker()).collect();
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
                let (gate, method, variant) = (operation.gate(), &operation.method.name, operation.marker());
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

/// The columns that only the operations of agents have.
fn columns(operations: &[Operation<'_>]) -> TokenStream {
    let chosen = |is_chosen: fn(&Operation<'_>) -> bool| {
        let chosen: Vec<_> = operations.iter().filter(|operation| is_chosen(operation)).collect();
        let gates: Vec<_> = chosen.iter().map(|operation| operation.gate()).collect();
        let variants: Vec<_> = chosen.iter().map(|operation| operation.marker()).collect();
        (gates, variants)
    };
    let (stored_gates, stored) = chosen(|operation| operation.stored);
    let (exempt_gates, exempt) = chosen(|operation| operation.before_login);
    quote! {
        impl Operation {
            /// The operations that an agent with a store of sessions has without functions.
            pub(crate) const STORED: &[Operation] = &[#(#stored_gates Operation::#stored),*];

            /// Tells whether the operation waits for the login, where the agent requires one.
            pub(crate) const fn needs_login(self) -> bool {
                match self {
                    #(#exempt_gates Operation::#exempt => false,)*
                    _ => true,
                }
            }
        }
    }
}

fn marker(operation: &Operation<'_>) -> [TokenStream; 3] {
    let (name, method) = (&operation.name, &operation.method.name);
    let (marker, params) = (operation.marker(), ident(&operation.method.params));
    let response = match &operation.method.response {
        Some(response) => ident(response).into_token_stream(),
        None => quote!(()),
    };
    let during = format!("`{method}`, which the library answers. It calls the hook `{name}` for that.");
    let doc = if operation.hook { &during } else { operation.doc };
    let (docs, gate) = (Context::wording(Some(doc)), operation.gate());
    let on_session = is_on_session_of_client(operation).then(|| {
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
    ]
}
