//! How the agent is called: from a method to the arguments, the function and its result.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{FnArg, Ident, Path, ReceiverKind};

use crate::check::is_arc_of_self;
use crate::classify::{Handler, Returns, Role};
use crate::expand::Expansion;
use crate::parse::Function;

/// The arms of the match on the method of a request.
pub(crate) fn calls(expansion: &Expansion<'_>) -> Vec<TokenStream> {
    let krate = &expansion.krate;
    let mut arms = arms(expansion, false);
    if !expansion.opens_sessions() {
        arms.push(quote! {
            "session/new" => incoming.run::<#krate::op::NewSession, _, _>(|_agent, _call| async move {
                ::core::result::Result::Ok(#krate::Opened::new(()))
            }),
        });
    }
    arms
}

/// The match on the method of a notification, where the agent takes any.
pub(crate) fn notifications(expansion: &Expansion<'_>) -> Option<TokenStream> {
    let krate = &expansion.krate;
    let arms = arms(expansion, true);
    (!arms.is_empty()).then(|| {
        quote! {
            fn notify(incoming: #krate::IncomingNotification<'_, Self>) -> #krate::Delivery {
                match incoming.method() {
                    #(#arms)*
                    _ => incoming.ignore(),
                }
            }
        }
    })
}

fn arms(expansion: &Expansion<'_>, notifications: bool) -> Vec<TokenStream> {
    let krate = &expansion.krate;
    let handlers = expansion.handlers.iter().filter(|handler| handler.is_notification() == notifications);
    handlers
        .map(|handler| {
            let marker = marker(handler, krate);
            let pattern = match &handler.role {
                Role::Operation(operation) => match crate::method::marker(handler.function) {
                    // The path that was written is used, or its import would not be.
                    Some(path) => quote!(<#path as #krate::method::Method>::NAME),
                    None => operation.method.to_token_stream(),
                },
                Role::Hook(hook) => hook.method.to_token_stream(),
                Role::Extension(name) => name.to_token_stream(),
                Role::Typed(_) => quote!(<#marker as #krate::Op>::METHOD),
            };
            let body = body(handler, &marker, krate);
            quote!(#pattern => incoming.run::<#marker, _, _>(#body),)
        })
        .collect()
}

/// The marker type of what the handler answers.
pub(crate) fn marker(handler: &Handler<'_>, krate: &Path) -> TokenStream {
    // At the function's name, where it is missing if the library is of another release.
    let of_protocol = |marker| {
        let marker = Ident::new(marker, handler.name().span());
        quote!(#krate::op::#marker)
    };
    match &handler.role {
        Role::Operation(operation) => of_protocol(operation.marker),
        Role::Hook(hook) => of_protocol(hook.marker),
        Role::Extension(_) => quote!(#krate::op::Extension),
        Role::Typed(marker) if handler.is_notification() => quote!(#krate::op::Notification<#marker>),
        Role::Typed(marker) => quote!(#krate::op::Request<#marker>),
    }
}

/// The closure that gets the arguments, calls the handler and converts its result.
fn body(handler: &Handler<'_>, marker: &TokenStream, krate: &Path) -> TokenStream {
    let name = handler.name();
    let names: Vec<_> = (0..handler.arguments.len()).map(|index| format_ident!("argument_{index}")).collect();
    let arguments = handler.arguments.iter().zip(&names).map(|(argument, name)| {
        let ty = &*argument.ty;
        // At the argument's type, because that is what the error is about when it is the wrong one.
        quote_spanned! {at(ty)=>
            let #name = <#ty as #krate::FromCall<#marker, Self>>::from_call(&mut call)?;
        }
    });
    let call = if names.is_empty() { quote!(_call) } else { quote!(mut call) };
    let agent = if keeps_agent(handler.function) { quote!(agent) } else { quote!(&agent) };
    let value = quote!(Self::#name(#agent #(, #names)*).await);
    let reply = match &handler.returns {
        Returns::Result { whole, value: ty, error } => {
            let value = match error {
                Some(error) => quote_spanned! {at(error)=>
                    match #value {
                        ::core::result::Result::Ok(value) => value,
                        ::core::result::Result::Err(error) => {
                            let error = <#error as ::core::convert::Into<#krate::Error>>::into(error);
                            return ::core::result::Result::Err(error);
                        }
                    }
                },
                None => quote_spanned!(at(whole)=> #value?),
            };
            let ty = ty.map_or_else(|| quote!(_), ToTokens::to_token_stream);
            quote_spanned! {at(&ty)=> {
                let value = #value;
                <#ty as #krate::IntoReply<#marker, <Self as #krate::Agent>::Session>>::into_reply(value)
            }}
        }
        Returns::Nothing | Returns::Other(_) => {
            return quote! {
                |agent, #call| async move {
                    #(#arguments)*
                    #value;
                    ::core::result::Result::Ok(())
                }
            };
        }
    };
    quote! {
        |agent, #call| async move {
            #(#arguments)*
            ::core::result::Result::Ok(#reply)
        }
    }
}

/// Whether the handler takes `self: Arc<Self>`.
fn keeps_agent(function: &Function) -> bool {
    match function.signature.inputs.first() {
        Some(FnArg::Receiver(receiver)) => {
            matches!(&receiver.kind, ReceiverKind::Typed(_, ty) if is_arc_of_self(ty))
        }
        _ => false,
    }
}

/// Where this stands, but as the macro's own code: lints leave it alone.
pub(crate) fn at(ty: &impl Spanned) -> Span {
    Span::call_site().located_at(ty.span())
}
