//! Unions without a tag: the reader looks at the kind of value or at which member is there, and
//! then reads one arm.

use proc_macro2::TokenStream;
use quote::quote;

use super::context::{Context, ident, reader, rust_type};
use crate::codegen::format::Item;
use crate::codegen::ir::{Arm, Definition, Peek, Type, Untagged};

pub(super) fn emit(context: &Context<'_>, definition: &Definition, union: &Untagged) -> Vec<Item> {
    let mut items = vec![Item::Tokens(declaration(context, definition, union))];
    match union.by {
        Peek::Member => {
            items.push(Item::Tokens(record(definition, union)));
            items.push(Item::Text(format!("acp_json::record!({});\n", definition.name)));
        }
        Peek::Kind | Peek::ItemMember | Peek::MemberOrAny => {
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
        let described = context.docs.variant(&definition.described_by, &arm.key);
        let any = (arm.ty == Some(Type::Any)).then_some("Anything else, as it came.");
        let docs = Context::wording(described.or(any));
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
    let exclusive = union.exclusive.then(|| {
        let members = union.arms.iter().filter_map(|arm| arm.member.as_ref());
        quote!(fields.one_of(&[#(#members),*])?;)
    });
    let writes = union.arms.iter().map(|arm| {
        let rust = ident(&arm.rust);
        quote!(Self::#rust(payload) => payload.write(map))
    });
    quote! {
        impl Record for #name {
            fn read(fields: &mut Fields<'_, '_>) -> Result<Self, ReadError> {
                #exclusive
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
    let body = match union.by {
        Peek::ItemMember => by_item(union),
        Peek::MemberOrAny => by_member_or_any(union),
        Peek::Kind | Peek::Member => by_kind(union),
    };
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

/// The known shapes are only hints here: a value of another shape is kept as it came.
fn by_member_or_any(union: &Untagged) -> TokenStream {
    let (any, shapes) = union.arms.split_last().expect("a union has arms");
    let shapes = shapes.iter().map(|arm| {
        let (member, rust) = (arm.member.as_deref().unwrap_or_default(), ident(&arm.rust));
        let reader = arm.ty.as_ref().map(reader);
        quote! {
            if node.get(#member).is_some() && let Some(value) = at.attempt(|| #reader(node.clone(), at)) {
                return Ok(Self::#rust(value));
            }
        }
    });
    let any = ident(&any.rust);
    quote! {
        #(#shapes)*
        Value::from_node(node, at).map(Self::#any)
    }
}

fn by_kind(union: &Untagged) -> TokenStream {
    let has_number = union.arms.iter().any(|arm| arm.ty == Some(Type::F64));
    let takes_all = union.arms.iter().any(|arm| arm.ty == Some(Type::Any));
    let arms = union.arms.iter().map(|arm| {
        let rust = ident(&arm.rust);
        let pattern = match &arm.ty {
            None => return quote!(Node::Null => Ok(Self::#rust)),
            Some(Type::Bool) => quote!(Node::Bool(_)),
            Some(Type::String) => quote!(Node::Str(_)),
            Some(Type::F64) => quote!(Node::U64(_) | Node::I64(_) | Node::F64(_) | Node::Exact(_)),
            // An integer that does not fit is a number still.
            Some(Type::I64) if has_number => quote!(Node::U64(_) | Node::I64(_) if node.as_i64().is_some()),
            // A whole number may be written with a fraction of zero.
            Some(Type::I64) => quote!(Node::U64(_) | Node::I64(_) | Node::F64(_) | Node::Exact(_)),
            Some(Type::Any) => return quote!(other => Value::from_node(other, at).map(Self::#rust)),
            // A list of something else is what the arm for anything is there for.
            Some(_) if takes_all => {
                quote!(Node::Seq(ref items) if items.iter().all(|item| item.as_str().is_some()))
            }
            Some(_) => quote!(Node::Seq(_)),
        };
        let reader = arm.ty.as_ref().map(reader);
        quote!(#pattern => #reader(node, at).map(Self::#rust))
    });
    let expected = union.arms.iter().map(expected).collect::<Vec<_>>().join(" or ");
    let other = (!takes_all).then(|| quote!(other => Err(ReadError::expected(at, #expected, &other)),));
    quote! {
        match node {
            #(#arms,)*
            #other
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
        Some(Type::Any) => "anything",
        Some(_) => "a list",
    }
}

fn serialize(definition: &Definition, union: &Untagged) -> TokenStream {
    let name = ident(&definition.name);
    let arms = union.arms.iter().map(|arm| {
        let rust = ident(&arm.rust);
        match arm.ty {
            None => quote!(Self::#rust => serializer.serialize_unit()),
            Some(Type::F64) => {
                let name = &definition.name;
                quote!(Self::#rust(value) => acp_json::finite(*value, #name).serialize(serializer))
            }
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
