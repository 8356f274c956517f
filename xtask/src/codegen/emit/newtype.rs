//! Strings, integers and free JSON under a name, and enums of integers.

use quote::quote;

use super::context::{Context, gate, ident, rust_type};
use crate::codegen::format::Item;
use crate::codegen::ir::{Definition, IntegerValue, Type};

pub(super) fn emit(context: &Context<'_>, definition: &Definition, ty: &Type) -> Vec<Item> {
    let name = ident(&definition.name);
    let docs = context.definition_docs(definition);
    let eq = context.eq(definition);
    let (derives, inner, helper) = match ty {
        Type::String => (Context::derives(eq, false), quote!(Arc<str>), "string_newtype"),
        Type::U16 | Type::U32 | Type::U64 | Type::I32 | Type::I64 => {
            let inner = rust_type(ty);
            let derives = quote!(#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]);
            (derives, quote!(pub #inner), "integer_newtype")
        }
        ty => {
            let inner = rust_type(ty);
            (Context::derives(eq, false), quote!(pub #inner), "newtype")
        }
    };
    let inner_name = rust_type(ty).to_string().replace(' ', "");
    let runtime = context.runtime;
    let call = match ty {
        Type::String => format!("{runtime}::{helper}!({});\n", definition.name),
        _ => format!("{runtime}::{helper}!({}: {inner_name});\n", definition.name),
    };
    vec![Item::Tokens(quote!(#docs #derives pub struct #name(#inner);)), Item::Text(call)]
}

pub(super) fn emit_integer_enum(
    context: &Context<'_>,
    definition: &Definition,
    values: &[IntegerValue],
    repr: &Type,
) -> Vec<Item> {
    let name = ident(&definition.name);
    let mut items = emit(context, definition, repr);
    let constants = values.iter().map(|value| {
        let docs = Context::wording(context.docs.variant(&definition.described_by, &value.wire.to_string()));
        let constant = ident(&value.rust);
        let number = proc_macro2::Literal::i64_unsuffixed(value.wire);
        let gate = gate(value.unstable);
        quote!(#docs #gate pub const #constant: Self = Self(#number);)
    });
    let is_known = if values.iter().any(|value| value.unstable) {
        let known = values.iter().map(|value| {
            let (gate, name) = (gate(value.unstable), ident(&value.rust));
            quote!(#gate Self::#name => true)
        });
        quote!(match self { #(#known,)* _ => false })
    } else {
        let known = values.iter().map(|value| ident(&value.rust));
        quote!(matches!(self, #(Self::#known)|*))
    };
    items.push(Item::Tokens(quote! {
        impl #name {
            #(#constants)*

            /// Returns true if this version of the protocol gives the number a meaning.
            #[must_use]
            pub const fn is_known(self) -> bool {
                #is_known
            }
        }
    }));
    items
}
