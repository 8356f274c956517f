//! Unions told apart by the value of one member. The tag is looked at first; a malformed payload of
//! a known tag is an error, an unknown tag is kept with all its members.

use proc_macro2::TokenStream;
use quote::quote;

use super::context::{Context, gate, ident, payload_type};
use super::field;
use crate::codegen::format::Item;
use crate::codegen::ir::{Definition, Payload, Tagged, Unknown, Variant};

pub(super) fn emit(context: &Context<'_>, definition: &Definition, union: &Tagged) -> Vec<Item> {
    let mut items = vec![
        Item::Tokens(declaration(context, definition, union)),
        Item::Tokens(tag(definition, union)),
        Item::Tokens(record(definition, union)),
        Item::Text(format!("acp_json::record!({});\n", definition.name)),
    ];
    items.extend(conversions(definition, all(union)).into_iter().map(Item::Tokens));
    items
}

fn all(union: &Tagged) -> Vec<&Variant> {
    union.variants.iter().chain(&union.default).collect()
}

fn declaration(context: &Context<'_>, definition: &Definition, union: &Tagged) -> TokenStream {
    let fallback = ident(union.fallback);
    let name = ident(&definition.name);
    let docs = context.definition_docs(definition);
    let derives = Context::derives(false, false);
    let variants = all(union).into_iter().map(|variant| {
        let docs = Context::wording(context.docs.variant(&definition.described_by, &variant.wire));
        let rust = ident(&variant.rust);
        let payload = match &variant.payload {
            Payload::Inline(fields) => {
                let fields = fields.iter().map(|one| {
                    let docs = context.docs.variant_field(&definition.described_by, &variant.wire, &one.wire);
                    let (docs, name, ty) = (Context::wording(docs), ident(&one.rust), field::field_type(one));
                    quote!(#docs #name: #ty)
                });
                quote!({ #(#fields),* })
            }
            _ => payload_type(variant).map_or_else(TokenStream::new, |ty| quote!((#ty))),
        };
        let gate = gate(variant.unstable);
        quote!(#docs #gate #rust #payload)
    });
    let unknown = match &union.unknown {
        Unknown::KeepWith(typed) => {
            let fields = typed.fields.iter().map(|one| {
                let docs = format!(" The member `{}`, which every kind has.", one.wire);
                let (name, ty) = (ident(&one.rust), field::field_type(one));
                quote!(#[doc = #docs] #name: #ty)
            });
            let scope = typed.union.iter().map(|union| {
                let (field, ty) = (ident(&union.field), ident(&union.type_name));
                quote!(#[doc = " The part that every kind has."] #field: #ty)
            });
            let members = fields.chain(scope);
            quote!({
                #(#members,)*
                #[doc = " The tag and the other members."]
                other: UnknownVariant,
            })
        }
        _ => quote!((UnknownVariant)),
    };
    quote! {
        #docs
        #derives
        #[non_exhaustive]
        pub enum #name {
            #(#variants,)*
            #[doc = " A kind that this version of the protocol does not know, with all its members."]
            #fallback #unknown,
        }
    }
}

/// `tag()`: what kind a value is, as the wire names it.
fn tag(definition: &Definition, union: &Tagged) -> TokenStream {
    let fallback = ident(union.fallback);
    let name = ident(&definition.name);
    let optional = union.default.is_some();
    let some = |tag: TokenStream| if optional { quote!(Some(#tag)) } else { tag };
    let arms = union.variants.iter().map(|variant| {
        let (pattern, wire) = (any(variant), some(variant.wire.as_str().to_token_stream()));
        let gate = gate(variant.unstable);
        quote!(#gate #pattern => #wire)
    });
    let default = union.default.iter().map(|variant| {
        let pattern = any(variant);
        quote!(#pattern => None)
    });
    let unknown = match union.unknown {
        Unknown::KeepWith(_) => quote!(Self::#fallback { other, .. }),
        _ => quote!(Self::#fallback(other)),
    };
    let (kept, result) =
        (some(quote!(other.tag())), if optional { quote!(Option<&str>) } else { quote!(&str) });
    let docs = Context::wording(Some(&format!(
        "The kind as the wire names it, the member `{}`{}.",
        union.tag,
        if optional { "; `None` for the kind that goes without" } else { "" }
    )));
    quote! {
        impl #name {
            #docs
            #[must_use]
            pub fn tag(&self) -> #result {
                match self {
                    #(#arms,)*
                    #(#default,)*
                    #unknown => #kept,
                }
            }
        }
    }
}

use quote::ToTokens as _;

/// A pattern for the variant, whatever it holds.
fn any(variant: &Variant) -> TokenStream {
    let rust = ident(&variant.rust);
    match variant.payload {
        Payload::None => quote!(Self::#rust),
        Payload::Ref { .. } => quote!(Self::#rust(_)),
        Payload::Inline(_) => quote!(Self::#rust { .. }),
    }
}

fn record(definition: &Definition, union: &Tagged) -> TokenStream {
    let name = ident(&definition.name);
    let read = read(union);
    let write = write(union);
    quote! {
        impl Record for #name {
            fn read(fields: &mut Fields<'_, '_>) -> Result<Self, ReadError> {
                #read
            }

            fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
                #write
                Ok(())
            }
        }
    }
}

fn read(union: &Tagged) -> TokenStream {
    let fallback = ident(union.fallback);
    let tag = &union.tag;
    let arms = union.variants.iter().map(|variant| {
        let (gate, wire, payload) = (gate(variant.unstable), &variant.wire, read_payload(variant));
        quote!(#gate #wire => #payload)
    });
    let unknown = match (&union.unknown, &union.default) {
        (Unknown::KeepAsDefault, Some(default)) => {
            let payload = read_payload(default);
            quote!({
                // A value that does not fit the default variant either is malformed.
                fields.check(|fields| -> Result<Self, ReadError> { #payload })?;
                Ok(Self::#fallback(UnknownVariant::read(&tag, fields)))
            })
        }
        (Unknown::KeepWith(typed), _) => {
            let reads = typed.fields.iter().map(|one| {
                let (name, read) = (ident(&one.rust), field::read(one));
                quote!(#name: #read)
            });
            let scope = typed.union.iter().map(|union| {
                let field = ident(&union.field);
                quote!(#field: Record::read(fields)?)
            });
            let members = reads.chain(scope);
            quote!(Ok(Self::#fallback { #(#members,)* other: UnknownVariant::read(&tag, fields) }))
        }
        _ => quote!(Ok(Self::#fallback(UnknownVariant::read(&tag, fields)))),
    };
    let Some(default) = &union.default else {
        return quote! {
            let tag = fields.tag(#tag)?;
            match &*tag {
                #(#arms,)*
                _ => #unknown,
            }
        };
    };
    let default = read_payload(default);
    let also = union.default_tag.iter().map(|wire| quote!(#wire => #default,));
    let taken =
        if union.lenient { quote!(fields.lenient_tag(#tag)) } else { quote!(fields.optional_tag(#tag)?) };
    quote! {
        let Some(tag) = #taken else {
            return #default;
        };
        match &*tag {
            #(#arms,)*
            #(#also)*
            _ => #unknown,
        }
    }
}

/// An expression: the variant read from `fields`.
fn read_payload(variant: &Variant) -> TokenStream {
    let rust = ident(&variant.rust);
    match &variant.payload {
        Payload::None => quote!(Ok(Self::#rust)),
        Payload::Ref { .. } => quote!(Record::read(fields).map(Self::#rust)),
        Payload::Inline(members) => {
            let members = members.iter().map(|one| {
                let (name, read) = (ident(&one.rust), field::read(one));
                quote!(#name: #read)
            });
            quote!((|| Ok(Self::#rust { #(#members),* }))())
        }
    }
}

fn write(union: &Tagged) -> TokenStream {
    let fallback = ident(union.fallback);
    let tag = &union.tag;
    let arms = all(union).into_iter().map(|variant| {
        let rust = ident(&variant.rust);
        let is_default = union.default.as_ref().is_some_and(|default| default.wire == variant.wire);
        let wire = &variant.wire;
        let tag = (!is_default).then(|| quote!(map.serialize_entry(#tag, #wire)?;));
        let gate = gate(variant.unstable);
        match &variant.payload {
            Payload::None => quote!(#gate Self::#rust => { #tag }),
            Payload::Ref { .. } => quote!(#gate Self::#rust(payload) => { #tag payload.write(map)?; }),
            Payload::Inline(members) => {
                let names = members.iter().map(|one| ident(&one.rust));
                let writes = members.iter().map(|one| {
                    let name = ident(&one.rust);
                    field::write(one, &quote!(#name))
                });
                quote!(#gate Self::#rust { #(#names),* } => { #tag #(#writes)* })
            }
        }
    });
    let unknown = match &union.unknown {
        Unknown::KeepWith(typed) => {
            let names = typed.fields.iter().map(|one| ident(&one.rust));
            let writes = typed.fields.iter().map(|one| {
                let name = ident(&one.rust);
                field::write(one, &quote!(#name))
            });
            let scopes: Vec<_> = typed.union.iter().map(|union| ident(&union.field)).collect();
            quote!(Self::#fallback { #(#names,)* #(#scopes,)* other } => {
                map.serialize_entry(#tag, other.tag())?;
                #(#writes)*
                #(#scopes.write(map)?;)*
                other.write_members(map)?;
            })
        }
        _ => quote!(Self::#fallback(other) => other.write(#tag, map)?),
    };
    quote! {
        match self {
            #(#arms,)*
            #unknown,
        }
    }
}

/// `From` for each payload that only one variant holds.
pub(super) fn conversions(definition: &Definition, variants: Vec<&Variant>) -> Vec<TokenStream> {
    let union = ident(&definition.name);
    let name_of = |variant: &Variant| match &variant.payload {
        Payload::Ref { name, .. } => Some(name.clone()),
        _ => None,
    };
    let names: Vec<String> = variants.iter().filter_map(|variant| name_of(variant)).collect();
    let single = variants.into_iter().filter(|variant| {
        name_of(variant).is_some_and(|name| names.iter().filter(|other| **other == name).count() == 1)
    });
    single
        .map(|variant| {
            let (payload, rust) = (ident(&name_of(variant).unwrap_or_default()), ident(&variant.rust));
            let value = match variant.payload {
                Payload::Ref { boxed: true, .. } => quote!(Box::new(payload)),
                _ => quote!(payload),
            };
            let gate = gate(variant.unstable);
            quote! {
                #gate
                impl From<#payload> for #union {
                    fn from(payload: #payload) -> Self {
                        Self::#rust(#value)
                    }
                }
            }
        })
        .collect()
}
