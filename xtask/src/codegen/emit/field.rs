//! One member of an object: its field, its setter, how it is read and written.

use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens as _, format_ident, quote};
use serde_json::Value as Json;

use super::context::{Context, gate, ident, reader, rust_type};
use crate::codegen::ir::{Definition, Field, OnError, Presence, Type};

/// `pub name: Type`, with its wording.
pub(super) fn declaration(context: &Context<'_>, owner: &Definition, field: &Field) -> TokenStream {
    let docs = context.field_docs(owner, field);
    let gate = gate(field.unstable);
    let name = ident(&field.rust);
    let ty = field_type(field);
    quote!(#docs #gate pub #name: #ty)
}

/// The type of the field, with what its presence adds.
pub(super) fn field_type(field: &Field) -> TokenStream {
    let ty = value_type(field);
    match field.presence {
        Presence::Patch => quote!(Maybe<#ty>),
        Presence::Optional | Presence::RequiredNullable => quote!(Option<#ty>),
        Presence::Required | Presence::Default(_) => ty,
    }
}

fn value_type(field: &Field) -> TokenStream {
    let ty = rust_type(&field.ty);
    if field.boxed { quote!(Box<#ty>) } else { ty }
}

/// The constructor's argument and the expression that takes it in.
pub(super) fn argument(field: &Field) -> (TokenStream, TokenStream) {
    let name = ident(&field.rust);
    let ty = field_type(field);
    if takes_as_is(&field.ty) {
        return (quote!(#name: #ty), quote!(#name));
    }
    (quote!(#name: impl Into<#ty>), quote!(#name: #name.into()))
}

/// A chainable setter.
pub(super) fn setter(field: &Field) -> TokenStream {
    let name = ident(&field.rust);
    let inner = rust_type(&field.ty);
    let docs = Context::wording(Some(&format!("Sets [`{}`](Self::{}).", field.rust, field.rust)));
    let converted = if takes_as_is(&field.ty) { quote!(#name) } else { quote!(#name.into()) };
    let (argument, value) = match field.presence {
        Presence::Patch => (quote!(impl Into<Maybe<#inner>>), quote!(#name.into())),
        _ => {
            let argument = if takes_as_is(&field.ty) { inner } else { quote!(impl Into<#inner>) };
            let value = if field.boxed { quote!(Box::new(#converted)) } else { converted };
            let optional = matches!(field.presence, Presence::Optional | Presence::RequiredNullable);
            (argument, if optional { quote!(Some(#value)) } else { value })
        }
    };
    let gate = gate(field.unstable);
    quote! {
        #docs
        #gate
        #[must_use]
        pub fn #name(mut self, #name: #argument) -> Self {
            self.#name = #value;
            self
        }
    }
}

/// Numbers and booleans are not converted: a literal would no longer know its type.
fn takes_as_is(ty: &Type) -> bool {
    matches!(ty, Type::Bool | Type::U16 | Type::U32 | Type::U64 | Type::I32 | Type::I64 | Type::F64)
}

/// The expression that reads the member out of `fields`, by the rule of the schema.
pub(super) fn read(field: &Field) -> TokenStream {
    let wire = &field.wire;
    let reader = match (&field.ty, field.skip_items) {
        (Type::List(item), true) => {
            let item = rust_type(item);
            quote!(skip_invalid::<#item>)
        }
        (ty, _) if field.boxed => {
            let ty = rust_type(ty);
            quote!(Box::<#ty>::from_node)
        }
        (ty, _) if field.presence == Presence::RequiredNullable => {
            let ty = rust_type(ty);
            quote!(Option::<#ty>::from_node)
        }
        (ty, _) => match range(field) {
            Some(range) => {
                let ty = rust_type(ty);
                quote!(|node, at| acp_json::within(#ty::from_node(node, at)?, #range, at))
            }
            None => reader(ty),
        },
    };
    let (rule, fallible) = rule(field);
    let rule = format_ident!("{rule}");
    let question = fallible.then(|| quote!(?));
    match field.presence {
        Presence::Default(_) => quote!(fields.#rule(#wire, #reader, Default::default) #question),
        Presence::Patch => quote!(Maybe::from_patch(fields.#rule(#wire, #reader) #question)),
        _ => quote!(fields.#rule(#wire, #reader) #question),
    }
}

/// The values that a number may have, where the schema says more about it than its type.
fn range(field: &Field) -> Option<TokenStream> {
    let number = |value: &Json| match field.ty {
        Type::F64 => value.as_f64().map(|number| quote!(#number)),
        _ => value.as_i64().map(|number| Literal::i64_unsuffixed(number).into_token_stream()),
    };
    let end = |keyword| {
        let (_, value) = field.bounds.iter().find(|(given, _)| *given == keyword)?;
        number(value)
    };
    match (end("minimum"), end("maximum")) {
        (Some(least), Some(most)) => Some(quote!(#least..=#most)),
        (Some(least), None) => Some(quote!(#least..)),
        (None, Some(most)) => Some(quote!(..=#most)),
        (None, None) => None,
    }
}

/// The method of `Fields` for the member's rule, and whether it can fail.
fn rule(field: &Field) -> (&'static str, bool) {
    match (&field.presence, field.on_error) {
        (Presence::Required | Presence::RequiredNullable, OnError::Fail) => ("required", true),
        (Presence::Required | Presence::RequiredNullable, OnError::FailExceptNull) => {
            ("required_or_null", true)
        }
        (Presence::Required | Presence::RequiredNullable, OnError::Default) => ("required_lenient", true),
        (Presence::Optional, OnError::Fail | OnError::FailExceptNull) => ("optional", true),
        (Presence::Optional, OnError::Default) => ("optional_lenient", false),
        (Presence::Patch, OnError::Fail | OnError::FailExceptNull) => ("patch", true),
        (Presence::Patch, OnError::Default) => ("patch_lenient", false),
        (Presence::Default(_), OnError::Fail) => ("defaulted", true),
        (Presence::Default(_), OnError::FailExceptNull) => ("defaulted_or_null", true),
        (Presence::Default(_), OnError::Default) => ("defaulted_lenient", false),
    }
}

/// The statement that writes the member: what equals its absence is not written.
pub(super) fn write(field: &Field, value: &TokenStream) -> TokenStream {
    let write = write_ungated(field, value);
    if field.unstable {
        let gate = gate(true);
        quote!(#gate { #write })
    } else {
        write
    }
}

fn write_ungated(field: &Field, value: &TokenStream) -> TokenStream {
    let wire = &field.wire;
    match (&field.presence, &field.ty) {
        // JSON has no text for some doubles, and a serializer would write `null` in their place.
        (Presence::Required, Type::F64) => {
            let value = dereferenced(value);
            quote!(map.serialize_entry(#wire, &acp_json::finite(#value, #wire))?;)
        }
        (Presence::Optional, Type::F64) => quote! {
            if let Some(value) = &#value {
                map.serialize_entry(#wire, &acp_json::finite(*value, #wire))?;
            }
        },
        (Presence::Required | Presence::RequiredNullable, _) => quote!(map.serialize_entry(#wire, &#value)?;),
        (Presence::Optional, _) => quote! {
            if let Some(value) = &#value {
                map.serialize_entry(#wire, value)?;
            }
        },
        (Presence::Patch, _) => quote!(#value.write(#wire, map)?;),
        (Presence::Default(_), ty) => {
            let compared = dereferenced(value);
            let differs = match ty {
                Type::Bool => compared,
                Type::List(_) | Type::Map(_) => quote!(!#value.is_empty()),
                ty => {
                    let ty = rust_type(ty);
                    quote!(#compared != #ty::default())
                }
            };
            quote! {
                if #differs {
                    map.serialize_entry(#wire, &#value)?;
                }
            }
        }
    }
}

/// The value itself: the members of a variant are bound by reference.
fn dereferenced(value: &TokenStream) -> TokenStream {
    let is_bound = syn::parse2::<syn::Ident>(value.clone()).is_ok();
    if is_bound { quote!(*#value) } else { value.clone() }
}
