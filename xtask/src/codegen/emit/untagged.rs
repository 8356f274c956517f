//! Unions without a tag: the reader looks at the kind of value or at which member is there, and then reads
//! one arm.

use proc_macro2::TokenStream;
use quote::quote;

use super::Item;
use super::context::{Context, ident, reader, rust_type};
use crate::codegen::ir::{Arm, Definition, Peek, Type, Untagged};

pub(super) fn emit(context: &Context<'_>, definition: &Definition, union: &Untagged) -> Vec<Item> {
    let mut items = vec![Item::Tokens(declaration(context, definition, union))];
    match union.by {
        Peek::Member => {
            items.push(Item::Tokens(record(definition, union)));
            items.push(Item::Text(format!("acp_json::record!({});\n", definition.name)));
        }
        Peek::Kind | Peek::ItemMember => {
            items.push(Item::Tokens(from_node(definition, union)));
            items.push(Item::Tokens(serialize(definition, union)));
            items.push(Item::Text(format!("acp_json::from_node!({});\n", definition.name)));
        }
    }
    items.extend(conversions(definition, union).into_iter().map(Item::Tokens));
    items
}

fn declaration(context: &Context<'_>, definition: &Definition, union: &Untagged) -> TokenStream {
    let name = ident(&definition.name);
    let docs = context.definition_docs(definition);
    let derives = Context::derives(context.eq(definition), false);
    let arms = union.arms.iter().map(|arm| {
        let docs = Context::wording(context.docs.variant(&definition.described_by, &arm.key));
        let rust = ident(&arm.rust);
        match &arm.ty {
            None => quote!(#docs #rust),
            Some(ty) => {
                let ty = rust_type(ty);
                quote!(#docs #rust(#ty))
            }
        }
    });
    quote! {
        #docs
        #derives
        #[non_exhaustive]
        pub enum #name {
            #(#arms,)*
        }
    }
}

/// Arms that are objects: the union can share an object with other members.
fn record(definition: &Definition, union: &Untagged) -> TokenStream {
    let name = ident(&definition.name);
    let last = union.arms.len() - 1;
    let reads = union.arms.iter().enumerate().map(|(index, arm)| {
        let rust = ident(&arm.rust);
        match &arm.member {
            Some(member) if index < last => quote! {
                if fields.has(#member) {
                    return Record::read(fields).map(Self::#rust);
                }
            },
            _ => quote!(Record::read(fields).map(Self::#rust)),
        }
    });
    let writes = union.arms.iter().map(|arm| {
        let rust = ident(&arm.rust);
        quote!(Self::#rust(payload) => payload.write(map))
    });
    quote! {
        impl Record for #name {
            fn read(fields: &mut Fields<'_, '_>) -> Result<Self, ReadError> {
                #(#reads)*
            }

            fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
                match self {
                    #(#writes,)*
                }
            }
        }
    }
}

fn from_node(definition: &Definition, union: &Untagged) -> TokenStream {
    let name = ident(&definition.name);
    let body = if union.by == Peek::ItemMember { by_item(union) } else { by_kind(union) };
    quote! {
        impl FromNode for #name {
            fn from_node(node: Node<'_>, at: &At<'_>) -> Result<Self, ReadError> {
                #body
            }
        }
    }
}

fn by_item(union: &Untagged) -> TokenStream {
    // An empty list says nothing: it is the first arm.
    let (first, others) = union.arms.split_first().expect("a union has arms");
    let peeks = others.iter().map(|arm| {
        let (member, rust) = (arm.member.as_deref().unwrap_or_default(), ident(&arm.rust));
        let reader = arm.ty.as_ref().map(reader);
        quote! {
            if has(#member) {
                return #reader(node, at).map(Self::#rust);
            }
        }
    });
    let (rust, reader) = (ident(&first.rust), first.ty.as_ref().map(reader));
    quote! {
        let has = |member| matches!(&node, Node::Seq(items) if items.first().is_some_and(|item| item.get(member).is_some()));
        #(#peeks)*
        #reader(node, at).map(Self::#rust)
    }
}

fn by_kind(union: &Untagged) -> TokenStream {
    let has_number = union.arms.iter().any(|arm| arm.ty == Some(Type::F64));
    let arms = union.arms.iter().map(|arm| {
        let rust = ident(&arm.rust);
        let pattern = match &arm.ty {
            None => return quote!(Node::Null => Ok(Self::#rust)),
            Some(Type::Bool) => quote!(Node::Bool(_)),
            Some(Type::String) => quote!(Node::Str(_)),
            Some(Type::F64) => quote!(Node::U64(_) | Node::I64(_) | Node::F64(_)),
            // An integer that does not fit is a number still.
            Some(Type::I64) if has_number => quote!(Node::U64(_) | Node::I64(_) if node.as_i64().is_some()),
            // A whole number may be written with a fraction of zero.
            Some(Type::I64) => quote!(Node::U64(_) | Node::I64(_) | Node::F64(_)),
            Some(_) => quote!(Node::Seq(_)),
        };
        let reader = arm.ty.as_ref().map(reader);
        quote!(#pattern => #reader(node, at).map(Self::#rust))
    });
    let expected = union.arms.iter().map(expected).collect::<Vec<_>>().join(" or ");
    quote! {
        match node {
            #(#arms,)*
            #[allow(unreachable_patterns, reason = "some unions take every kind of value")]
            other => Err(ReadError::expected(at, #expected, &other)),
        }
    }
}

fn expected(arm: &Arm) -> &'static str {
    match &arm.ty {
        None => "null",
        Some(Type::Bool) => "a boolean",
        Some(Type::String) => "a string",
        Some(Type::F64) => "a number",
        Some(Type::I64) => "an integer",
        Some(_) => "a list",
    }
}

fn serialize(definition: &Definition, union: &Untagged) -> TokenStream {
    let name = ident(&definition.name);
    let arms = union.arms.iter().map(|arm| {
        let rust = ident(&arm.rust);
        match arm.ty {
            None => quote!(Self::#rust => serializer.serialize_unit()),
            Some(_) => quote!(Self::#rust(value) => value.serialize(serializer)),
        }
    });
    quote! {
        impl Serialize for #name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    #(#arms,)*
                }
            }
        }
    }
}

fn conversions(definition: &Definition, union: &Untagged) -> Vec<TokenStream> {
    let name = ident(&definition.name);
    let convert = |arm: &Arm| {
        let ty = rust_type(arm.ty.as_ref()?);
        let rust = ident(&arm.rust);
        Some(quote! {
            impl From<#ty> for #name {
                fn from(value: #ty) -> Self {
                    Self::#rust(value)
                }
            }
        })
    };
    union.arms.iter().filter_map(convert).collect()
}
