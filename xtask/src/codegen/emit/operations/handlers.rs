//! The code by which functions handle an operation: its arguments, its results and its service.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::quote;

use super::convert::{Argument, Conversion, definitions_in};
use super::half::Half;
use super::markers::imports;
use super::membership::Membership;
use super::row::Operation;
use crate::codegen::emit::context::{Context, ident};
use crate::codegen::format::Item;
use crate::codegen::ir::{Schema, Side};

pub(super) fn emit(schema: &Schema, operations: &[Operation<'_>], half: &Half) -> Vec<Item> {
    let types = operations.iter().flat_map(|operation| types(schema, operation));
    let mut items = imports(types);
    let library = match half.side {
        Side::Client => {
            "use acp_handlers::{Answered, Notified};\nuse acp_rpc::Reply;\n\nuse crate::{Argument, Call, Context, FromCall, Returns, op};\n"
        }
        _ => {
            "use crate::serve::lifecycle::rows;\nuse crate::{Agent, Call, FromCall, IntoReply, Opened, Result, op};\n"
        }
    };
    items.push(Item::Text(library.to_owned()));
    items.extend(of_library(operations).into_iter().map(|ty| Item::Text(format!("use crate::{ty};\n"))));
    for operation in operations {
        items.extend(arguments(operation).chain(replies(operation)).map(Item::Tokens));
        items.extend(served(operation).into_iter().map(Item::Tokens));
    }
    items
}

/// The types of the library that results are, and those that stand for responses.
fn of_library<'o>(operations: &'o [Operation<'_>]) -> BTreeSet<&'o str> {
    let answers = operations.iter().filter_map(|operation| operation.answer);
    let results = operations.iter().flat_map(|operation| &operation.returns);
    let results = results.filter(|(_, conversion)| matches!(conversion, Conversion::From));
    answers.chain(results.map(|(ty, _)| *ty)).collect()
}

/// The types of the protocol that the code of the operation names, and whether that is unstable.
fn types<'s>(schema: &'s Schema, operation: &Operation<'s>) -> impl Iterator<Item = (&'s str, bool)> {
    let takes = operation.takes.iter().map(|(ty, _)| *ty);
    let returns = operation.returns.iter().map(|(ty, _)| *ty);
    // A session that is opened is made a response of later.
    let response = operation.method.response.as_deref().filter(|_| !operation.opens() || !operation.by_hand);
    let all = takes.chain(returns).chain([operation.method.params.as_str()]).chain(response);
    let unstable = operation.method.unstable;
    all.flat_map(|ty| definitions_in(schema, ty)).map(move |(name, _)| (name, unstable))
}

/// The params, and what is taken out of them.
fn arguments(operation: &Operation<'_>) -> impl Iterator<Item = TokenStream> {
    let (gate, marker) = (operation.gate(), operation.marker());
    let params = (operation.method.params.as_str(), quote!(call.params().clone()));
    let members = operation.takes.iter().filter_map(|(ty, argument)| match argument {
        Argument::Member(member) => {
            let member = ident(member);
            Some((*ty, quote!(call.params().#member.clone())))
        }
        Argument::Params | Argument::Library => None,
    });
    [params].into_iter().chain(members).map(move |(ty, value)| {
        let ty = ident(ty);
        match operation.half.side {
            Side::Client => quote! {
                #gate
                impl FromCall<op::#marker, Context> for #ty {
                    fn from_call(call: &mut Call<op::#marker>) -> Argument<'_, Self> {
                        Argument::now(#value)
                    }
                }
            },
            _ => quote! {
                #gate
                impl<A: Agent> FromCall<op::#marker, A> for #ty {
                    fn from_call(call: &mut Call<op::#marker, A::Session>) -> Result<Self> {
                        Ok(#value)
                    }
                }
            },
        }
    })
}

/// The results that become an answer: those of the row, and the response.
fn replies(operation: &Operation<'_>) -> impl Iterator<Item = TokenStream> {
    let response = operation.method.response.as_deref();
    let whole = response.filter(|_| !operation.opens()).map(|response| (response, quote!(value)));
    let others = operation
        .returns
        .iter()
        .map(move |(ty, conversion)| (*ty, conversion.of_self(response.unwrap_or_default()), conversion));
    let others =
        others.map(|(ty, value, conversion)| (ty, value, matches!(conversion, Conversion::Members(_))));
    let all = whole.map(|(ty, value)| (ty, value, false)).into_iter().chain(others);
    all.map(move |(ty, value, is_block)| reply(operation, ty, value, is_block))
}

fn reply(operation: &Operation<'_>, ty: &str, value: TokenStream, is_block: bool) -> TokenStream {
    let (gate, marker) = (operation.gate(), operation.marker());
    // A session holds `S` in the library, where no `T` is free.
    let ty = match ty {
        "T" => "S",
        "Opened<T>" => "Opened<S>",
        ty => ty,
    };
    let argument = if ty == "()" { quote!(_) } else { quote!(value) };
    let ty: syn::Type = syn::parse_str(ty).expect("a type that the overlay names");
    let (answer, value) = match (operation.opens(), operation.answer) {
        (true, _) => (quote!(Opened<S>), value),
        (false, Some(answer)) => {
            let answer = ident(answer);
            let value = if is_block { quote!({ #value }) } else { value };
            (quote!(#answer), quote!(#answer::from(#value)))
        }
        (false, None) => {
            let response = ident(operation.method.response.as_deref().unwrap_or_default());
            (quote!(#response), value)
        }
    };
    match operation.half.side {
        Side::Client => quote! {
            #gate
            impl Returns<op::#marker, #ty> for Context {
                fn answer(#argument: #ty) -> #answer {
                    #value
                }
            }
        },
        _ => quote! {
            #gate
            impl<S: Send + Sync + 'static> IntoReply<op::#marker, S> for #ty {
                fn into_reply(self) -> #answer {
                    let #argument = self;
                    #value
                }
            }
        },
    }
}

/// Calls of the library's macros: one for each column that says something.
fn served(operation: &Operation<'_>) -> Vec<TokenStream> {
    let (gate, marker) = (operation.gate(), operation.marker());
    let mut calls = Vec::new();
    let mut call = |name: &str, arguments: TokenStream| {
        let name = ident(name);
        calls.push(quote!(#gate rows::#name!(#arguments);));
    };
    if operation.half.side == Side::Client {
        return if operation.by_hand { calls } else { vec![default(operation)] };
    }
    if !operation.by_hand {
        match operation.session {
            Membership::None => call("served", quote!(outside_sessions #marker)),
            Membership::On => call("served", quote!(on_session #marker)),
            Membership::Ends => call("served", quote!(ends_session #marker)),
            Membership::Opens { named_by_client } => {
                let params = ident(&operation.method.params);
                let response = ident(operation.method.response.as_deref().unwrap_or_default());
                let named = ident(if named_by_client { "named_by_client" } else { "named_by_agent" });
                call("served", quote!(opens_session #marker, #params => #response, #named));
            }
        }
    }
    match operation.session {
        Membership::On => call("session", quote!(#marker)),
        Membership::Opens { .. } => call("mcp", quote!(#marker)),
        Membership::Ends | Membership::None => {}
    }
    match operation.session {
        // Nobody waits for a notification.
        _ if !operation.is_request() || has_turn(operation) => {}
        Membership::On => call("asks", quote!(in_session #marker)),
        _ => call("asks", quote!(by_request #marker)),
    }
    calls.extend(notified(operation));
    calls
}

/// The work that the machine does by itself: none around the handler.
fn default(operation: &Operation<'_>) -> TokenStream {
    let (gate, marker) = (operation.gate(), operation.marker());
    match operation.method.response.as_deref().map(ident) {
        Some(response) => quote! {
            #gate
            impl Answered for op::#marker {
                type Answer = #response;

                fn reply(answer: #response, write: impl FnOnce(#response) -> Reply) -> Reply {
                    write(answer)
                }
            }
        },
        None => quote!(#gate impl Notified for op::#marker {}),
    }
}

/// The trait by which routers take handlers that answer nothing.
fn notified(operation: &Operation<'_>) -> Option<TokenStream> {
    let (gate, marker) = (operation.gate(), operation.marker());
    (!operation.is_request()).then(|| quote!(#gate impl crate::Notified for op::#marker {}))
}

/// Tells whether its handlers have a `Turn`, which has the verbs of an `Elicitation`.
pub(super) fn has_turn(operation: &Operation<'_>) -> bool {
    operation.takes.iter().any(|(ty, _)| *ty == "Turn")
}

/// The names of the arguments that open a session.
pub(super) fn openings(operations: &[Operation<'_>]) -> Vec<Item> {
    let mut items = vec![Item::Text("use crate::{Opening, op};\n".to_owned())];
    items.extend(operations.iter().filter(|operation| operation.opens()).map(|operation| {
        let (gate, marker) = (operation.gate(), operation.marker());
        let docs = format!("The request that `{}` gets, and the session that it opens.", operation.name);
        let docs = Context::wording(Some(&docs));
        Item::Tokens(quote!(#docs #gate pub type #marker = Opening<op::#marker>;))
    }));
    items
}
