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
        Side::Client => "use crate::{Argument, Call, Context, FromCall, Returns, op};\n",
        _ => {
            "use crate::handler::arguments::Asks;\nuse crate::serve::lifecycle::rows;\n\
             use crate::{Argument, Call, FromCall, Opened, Returns, Scope, op};\n"
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
    let asks_in_session = operation.half.side == Side::Agent && operation.session == Membership::On;
    let session = asks_in_session.then_some("SessionId");
    let all = takes.chain(returns).chain([operation.method.params.as_str()]).chain(response).chain(session);
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
        let Cx { generics, context, arguments } = of_side(operation);
        quote! {
            #gate
            impl #generics FromCall<op::#marker, #context> for #ty {
                fn from_call(call: &mut Call<op::#marker #arguments>) -> Argument<'_, Self> {
                    Argument::now(#value)
                }
            }
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
    let Cx { generics, context, .. } = of_side(operation);
    quote! {
        #gate
        impl #generics Returns<op::#marker, #ty> for #context {
            fn answer(#argument: #ty) -> #answer {
                #value
            }
        }
    }
}

/// The context of a side in code: its type, its parameters, and those that a call of it takes.
struct Cx {
    generics: TokenStream,
    context: TokenStream,
    arguments: TokenStream,
}

fn of_side(operation: &Operation<'_>) -> Cx {
    match operation.half.side {
        Side::Client => Cx { generics: quote!(), context: quote!(Context), arguments: quote!() },
        _ => Cx {
            generics: quote!(<S: Send + Sync + 'static>),
            context: quote!(Scope<S>),
            arguments: quote!(, S),
        },
    }
}

/// The service by the machine, and calls of the library's macros: one for each column that says
/// something.
fn served(operation: &Operation<'_>) -> Vec<TokenStream> {
    let (gate, marker) = (operation.gate(), operation.marker());
    let mut items = Vec::new();
    if operation.half.side == Side::Client {
        return if operation.by_hand { items } else { vec![default(operation)] };
    }
    if !operation.by_hand {
        match operation.session {
            Membership::None => items.extend([
                quote!(#gate impl crate::serve::lifecycle::outside::Outside for op::#marker {}),
                default(operation),
            ]),
            Membership::On => {
                items.extend([quote!(#gate rows::served!(on_session #marker);), default(operation)]);
            }
            Membership::Ends => items.push(quote!(#gate rows::served!(ends_session #marker);)),
            Membership::Opens { named_by_client } => {
                let params = ident(&operation.method.params);
                let response = ident(operation.method.response.as_deref().unwrap_or_default());
                let named = ident(if named_by_client { "named_by_client" } else { "named_by_agent" });
                items.push(quote!(#gate rows::served!(opens_session #marker, #params => #response, #named);));
            }
        }
    }
    match operation.session {
        Membership::On => items.push(quote!(#gate rows::session!(#marker);)),
        Membership::Opens { .. } => items.push(quote!(#gate rows::mcp!(#marker);)),
        Membership::Ends | Membership::None => {}
    }
    // Nobody waits for a notification.
    if operation.is_request() && !has_turn(operation) {
        let session = (operation.session == Membership::On).then(|| {
            quote! {
                fn session(params: &Self::Params) -> Option<&SessionId> {
                    Some(&params.session_id)
                }
            }
        });
        items.push(quote!(#gate impl Asks for op::#marker { #session }));
    }
    items
}

/// The work that the machine does by itself: none around the handler.
fn default(operation: &Operation<'_>) -> TokenStream {
    let (gate, marker) = (operation.gate(), operation.marker());
    match operation.method.response.as_deref().map(ident) {
        Some(response) => quote! {
            #gate
            impl acp_handlers::Answered for op::#marker {
                type Answer = #response;

                fn reply(
                    answer: #response,
                    write: impl FnOnce(#response) -> acp_rpc::Reply,
                ) -> acp_rpc::Reply {
                    write(answer)
                }
            }
        },
        None => quote!(#gate impl acp_handlers::Notified for op::#marker {}),
    }
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
