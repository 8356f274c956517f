//! The table by which the test kit finds a type by the name of its definition.

use quote::quote;

use super::Item;
use super::context::ident;
use crate::codegen::ir::Schema;

pub(super) fn emit(schema: &Schema) -> Vec<Item> {
    // Unions that lie flat in an object are types of ours, not definitions.
    let names = schema.definitions.iter().filter(|definition| definition.name == definition.described_by);
    let rows = names.map(|definition| {
        let (name, ty) = (&definition.name, ident(&definition.name));
        quote!((#name, round_trip::<v1::#ty>))
    });
    vec![
        Item::Text("use acp_types::v1;\n\nuse crate::roundtrip::{RoundTrip, round_trip};\n".to_owned()),
        Item::Tokens(quote! {
            /// Every definition of v1, by name.
            pub(crate) const V1: &[(&str, RoundTrip)] = &[#(#rows),*];
        }),
    ]
}
