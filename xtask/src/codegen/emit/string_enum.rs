//! Enums of strings. What this version of the protocol does not know is kept as it came.

use std::fmt::Write as _;

use quote::quote;

use super::Item;
use super::context::{Context, ident};
use crate::codegen::ir::{Definition, StringEnum};

pub(super) fn emit(context: &Context<'_>, definition: &Definition, values: &StringEnum) -> Vec<Item> {
    let name = ident(&definition.name);
    let docs = context.definition_docs(definition);
    let derives = Context::derives(true, values.default.is_some());
    let variants = values.values.iter().map(|value| {
        let docs = Context::wording(context.docs.variant(&definition.described_by, &value.wire));
        let name = ident(&value.rust);
        let default = (values.default.as_ref() == Some(&value.rust)).then(|| quote!(#[default]));
        quote!(#docs #default #name)
    });
    let declaration = quote! {
        #docs
        #derives
        #[non_exhaustive]
        pub enum #name {
            #(#variants,)*
            #[doc = " A value that this version of the protocol does not know, as it came."]
            Unknown(Box<str>),
        }
    };
    let mut table = format!("crate::string_enum!({} {{\n", definition.name);
    for value in &values.values {
        let _ = writeln!(table, "    {} = {:?},", value.rust, value.wire);
    }
    table.push_str("});\n");
    vec![Item::Tokens(declaration), Item::Text(table)]
}
