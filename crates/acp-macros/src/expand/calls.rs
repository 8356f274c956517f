//! The call of a handler: its arguments, the call, its result.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{FnArg, Ident, Path, ReceiverKind, Type};

use super::parts::Expansion;
use crate::check::is_arc_of_self;
use crate::classify::{Handler, Returns, Role};
use crate::command::is_text;
use crate::operation::Side;
use crate::parse::Function;

/// Returns the marker type of the operation that the handler answers.
pub(crate) fn marker(handler: &Handler<'_>, krate: &Path) -> TokenStream {
    // It points at the function's name. The marker is missing if the library is of another release.
    let of_protocol = |marker| {
        let marker = Ident::new(marker, handler.name().span());
        quote!(#krate::op::#marker)
    };
    match &handler.role {
        Role::Operation(operation) => of_protocol(operation.marker),
        Role::Hook(hook) => of_protocol(hook.marker),
        Role::Command(_) => quote!(#krate::op::Command),
        Role::Extension(_) => quote!(#krate::op::Extension),
        Role::Typed(marker) if handler.is_notification() => quote!(#krate::op::Notification<#marker>),
        Role::Typed(marker) => quote!(#krate::op::Request<#marker>),
    }
}

/// The closure that gets the arguments, calls the handler and converts its result.
pub(crate) fn body(handler: &Handler<'_>, marker: &TokenStream, expansion: &Expansion<'_>) -> TokenStream {
    let Expansion { target, krate, .. } = expansion;
    let context = match target.side {
        Side::Client => quote!(#krate::Context),
        _ => quote!(#krate::Scope<<Self as #krate::Agent>::Session>),
    };
    let this = Ident::new(target.attribute, Span::call_site());
    let name = handler.name();
    let names: Vec<_> = (0..handler.arguments.len()).map(|index| format_ident!("argument_{index}")).collect();
    let arguments = handler.arguments.iter().zip(&names).map(|(argument, name)| {
        let ty = owned(&argument.ty);
        // It points at the argument's type, because a wrong type is an error about the argument.
        quote_spanned! {at(&argument.ty)=>
            let #name = <#ty as #krate::FromCall<#marker, #context>>::from_call(&mut call).await?;
        }
    });
    let call = if names.is_empty() { quote!(_call) } else { quote!(mut call) };
    let borrowed = if keeps_itself(handler.function) { quote!(#this) } else { quote!(&#this) };
    let passed = handler.arguments.iter().zip(&names).map(|(argument, name)| {
        let reference = is_text(&argument.ty).then(|| quote!(&));
        quote!(#reference #name)
    });
    let value = quote!(Self::#name(#borrowed #(, #passed)*).await);
    let reply = match &handler.returns {
        Returns::Result { whole, value: ty, error } => {
            let place = error.map_or_else(|| at(whole), at);
            let error = error.map_or_else(|| quote!(_), ToTokens::to_token_stream);
            let value = quote_spanned! {place=>
                match #value {
                    ::core::result::Result::Ok(value) => value,
                    ::core::result::Result::Err(error) => {
                        let error = <#error as #krate::IntoError<#krate::Error>>::into_error(error);
                        return ::core::result::Result::Err(error);
                    }
                }
            };
            let ty = ty.map_or_else(|| quote!(_), ToTokens::to_token_stream);
            let (context, returns) =
                (located(context.clone(), at(&ty)), located(quote!(#krate::Returns), at(&ty)));
            quote_spanned! {at(&ty)=> {
                let value = #value;
                <#context as #returns<#marker, #ty>>::answer(value)
            }}
        }
        Returns::Nothing | Returns::Other(_) => {
            return quote! {
                |#this, #call| async move {
                    #(#arguments)*
                    #value;
                    ::core::result::Result::Ok(())
                }
            };
        }
    };
    quote! {
        |#this, #call| async move {
            #(#arguments)*
            ::core::result::Result::Ok(#reply)
        }
    }
}

/// Returns the type in which a handler's argument is made: its own, or `String` for a `&str`.
fn owned(ty: &Type) -> TokenStream {
    if is_text(ty) { quote!(::std::string::String) } else { ty.to_token_stream() }
}

/// Returns the tokens at a single position, where errors then point.
pub(crate) fn located(tokens: TokenStream, span: Span) -> TokenStream {
    let locate = |mut token: TokenTree| {
        token.set_span(span);
        token
    };
    tokens.into_iter().map(locate).collect()
}

/// Returns true if the handler takes `self: Arc<Self>`.
fn keeps_itself(function: &Function) -> bool {
    match function.signature.inputs.first() {
        Some(FnArg::Receiver(receiver)) => {
            matches!(&receiver.kind, ReceiverKind::Typed(_, ty) if is_arc_of_self(ty))
        }
        _ => false,
    }
}

/// Returns the position of `ty`, but as the macro's own code: lints leave it alone.
pub(crate) fn at(ty: &impl Spanned) -> Span {
    Span::call_site().located_at(ty.span())
}
