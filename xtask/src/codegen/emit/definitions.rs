//! The table by which the test kit finds a type by the name of its definition.

use quote::quote;

use super::context::{gate, ident};
use crate::codegen::format::Item;
use crate::codegen::ir::Schema;
use crate::codegen::version::Version;

pub(super) fn emit(schemas: &[(&Version, Schema)]) -> Vec<Item> {
    let mut items = vec![Item::Text("use crate::definition::Definition;\n".to_owned())];
    for (version, schema) in schemas {
        // A type without a definition in the schema is ours.
        let definitions =
            schema.definitions.iter().filter(|definition| definition.name == definition.described_by);
        let module = ident(version.name);
        let rows = definitions.map(|definition| {
            let (gate, name, ty) = (gate(definition.unstable), &definition.name, ident(&definition.name));
            quote!(#gate Definition::of::<acp_types::#module::#ty>(#name))
        });
        let table = ident(&version.name.to_uppercase());
        let docs = format!(" Every definition of {}, by name.", version.name);
        let gate = version.feature.map(|feature| quote!(#[cfg(feature = #feature)]));
        items.push(Item::Tokens(quote! {
            #[doc = #docs]
            #gate
            pub(crate) const #table: &[Definition] = &[#(#rows),*];
        }));
    }
    items
}
