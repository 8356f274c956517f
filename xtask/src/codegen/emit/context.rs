//! Answers to emitters about other definitions, and the writing of types and wording.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

use crate::codegen::api_lock;
use crate::codegen::derives::Derives;
use crate::codegen::ir::{Definition, Field, Object, Payload, Presence, Schema, Type, Variant};
use crate::schema::docs::Docs;

pub(super) struct Context<'s> {
    derives: Derives<'s>,
    schema: &'s Schema,
    /// The path of what generated code uses.
    pub runtime: &'s str,
    pub docs: &'s Docs,
}

impl<'s> Context<'s> {
    pub(super) fn new(schema: &'s Schema, docs: &'s Docs, runtime: &'s str) -> Self {
        Context { derives: Derives::new(schema), schema, docs, runtime }
    }

    /// The attribute lines of a piece of wording; of nothing, when it is not written yet.
    pub(super) fn wording(text: Option<&str>) -> TokenStream {
        let lines = text.unwrap_or_default().trim().lines().map(|line| {
            let line = if line.is_empty() { String::new() } else { format!(" {line}") };
            quote!(#[doc = #line])
        });
        quote!(#(#lines)*)
    }

    pub(super) fn definition_docs(&self, definition: &Definition) -> TokenStream {
        Self::wording(self.definition_text(definition).as_deref())
    }

    pub(super) fn definition_text(&self, definition: &Definition) -> Option<String> {
        if let Some(arm) = &definition.arm {
            return self.docs.variant(&definition.described_by, arm).map(str::to_owned);
        }
        if definition.name == definition.described_by {
            return self.docs.definition(&definition.name).map(str::to_owned);
        }
        Some(format!("The part of [`{}`] that comes in several kinds.", definition.described_by))
    }

    pub(super) fn field_docs(&self, owner: &Definition, field: &Field) -> TokenStream {
        Self::wording(self.field_text(owner, field))
    }

    pub(super) fn field_text(&self, owner: &Definition, field: &Field) -> Option<&str> {
        let described = match &owner.arm {
            Some(arm) => self.docs.variant_field(&owner.described_by, arm, &field.wire),
            None => self.docs.field(&owner.name, &field.wire),
        };
        described.or((field.ty == Type::Meta).then_some(META))
    }

    pub(super) fn variant_text(&self, owner: &Definition, key: &str) -> Option<&str> {
        self.docs.variant(&owner.described_by, key)
    }

    /// The arguments of the constructor, in the order that the lock keeps.
    pub(super) fn arguments(&self, definition: &Definition, object: &Object) -> Vec<String> {
        api_lock::constructor(self.schema, definition, object)
    }

    /// Returns true if the definition's type has a `Default`.
    pub(super) fn defaults(&self, definition: &Definition) -> bool {
        self.derives.defaults(definition)
    }

    /// Returns true if the definition's type has an `Eq`.
    pub(super) fn eq(&self, definition: &Definition) -> bool {
        self.derives.definition_has_eq(definition)
    }

    /// The derives that every type has, and those that its content allows.
    pub(super) fn derives(eq: bool, default: bool) -> TokenStream {
        let eq = eq.then(|| quote!(, Eq, Hash));
        let default = default.then(|| quote!(, Default));
        quote!(#[derive(Clone, Debug, PartialEq #eq #default)])
    }
}

const META: &str = "Data of extensions, by name. No meaning may be assumed for names of others.";

pub(super) fn is_required(field: &Field) -> bool {
    matches!(field.presence, Presence::Required | Presence::RequiredNullable)
}

/// The type as it is written in a struct.
pub(super) fn rust_type(ty: &Type) -> TokenStream {
    match ty {
        Type::Bool => quote!(bool),
        Type::U16 => quote!(u16),
        Type::U32 => quote!(u32),
        Type::U64 => quote!(u64),
        Type::I32 => quote!(i32),
        Type::I64 => quote!(i64),
        Type::F64 => quote!(f64),
        Type::String => quote!(String),
        Type::Any => quote!(Value),
        Type::Meta => quote!(Meta),
        Type::Ref(name) => {
            let name = ident(name);
            quote!(#name)
        }
        Type::List(item) => {
            let item = rust_type(item);
            quote!(Vec<#item>)
        }
        Type::Map(member) => {
            let member = rust_type(member);
            quote!(Map<#member>)
        }
    }
}

/// The function that reads a value of the type.
pub(super) fn reader(ty: &Type) -> TokenStream {
    match ty {
        Type::List(item) => {
            let item = rust_type(item);
            quote!(Vec::<#item>::from_node)
        }
        Type::Map(member) => {
            let member = rust_type(member);
            quote!(Map::<#member>::from_node)
        }
        ty => {
            let ty = rust_type(ty);
            quote!(#ty::from_node)
        }
    }
}

/// The payload's type, of a variant that has one.
pub(super) fn payload_type(variant: &Variant) -> Option<TokenStream> {
    match &variant.payload {
        Payload::Ref { name, boxed } => {
            let name = ident(name);
            Some(if *boxed { quote!(Box<#name>) } else { quote!(#name) })
        }
        _ => None,
    }
}

/// The attribute of what only the unstable schema has.
pub(super) fn gate(unstable: bool) -> TokenStream {
    if unstable { quote!(#[cfg(feature = "unstable")]) } else { TokenStream::new() }
}

/// An identifier; a word of Rust is escaped.
pub(super) fn ident(name: &str) -> Ident {
    if syn::parse_str::<Ident>(name).is_ok() {
        Ident::new(name, Span::call_site())
    } else {
        format_ident!("r#{name}")
    }
}
