//! Enums of strings. What this version of the protocol does not know is kept as it came.

use std::fmt::Write as _;

use quote::quote;

use super::context::{Context, gate, ident};
use crate::codegen::format::Item;
use crate::codegen::ir::{Definition, StringEnum};

pub(super) fn emit(context: &Context<'_>, definition: &Definition, values: &StringEnum) -> Vec<Item> {
    let name = ident(&definition.name);
    let docs = context.definition_docs(definition);
    let derives = Context::derives(true, values.default.is_some());
    let variants = values.values.iter().map(|value| {
        let docs = Context::wording(context.docs.variant(&definition.described_by, &value.wire));
        let name = ident(&value.rust);
        let default = (values.default.as_ref() == Some(&value.rust)).then(|| quote!(#[default]));
        let gate = gate(value.unstable);
        quote!(#docs #gate #default #name)
    });
    let fallback = ident(values.fallback);
    let declaration = quote! {
        #docs
        #derives
        #[non_exhaustive]
        pub enum #name {
            #(#variants,)*
            #[doc = " A value that this version of the protocol does not know, as it came."]
            #fallback(Box<str>),
        }
    };
    let mut table =
        format!("{}::string_enum!({}, {} {{\n", context.runtime, definition.name, values.fallback);
    for value in &values.values {
        if value.unstable {
            table.push_str("    #[cfg(feature = \"unstable\")]\n");
        }
        let _ = writeln!(table, "    {} = {:?},", value.rust, value.wire);
    }
    table.push_str("});\n");
    vec![Item::Tokens(declaration), Item::Text(table)]
}
