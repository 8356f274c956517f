//! The marks of types whose JSON is that of a version: its own types, and those of the version
//! before that look and mean the same.

use quote::quote;

use super::context::{gate, ident};
use crate::codegen::alike::Alike;
use crate::codegen::format::Item;
use crate::codegen::ir::Schema;

/// Emits the marks for a schema, and for types of the `earlier` version.
pub(super) fn emit(schema: &Schema, earlier: &str, alike: &[Alike]) -> Vec<Item> {
    let module = ident(earlier);
    let imports = "use super::super::alike::{ReadsV2, WritesV2};\n";
    let mut items = vec![Item::Text(imports.to_owned())];
    let own = schema.definitions.iter().filter(|definition| !schema.shared.contains_key(&definition.name));
    for definition in own {
        let (gate, name) = (gate(definition.unstable), ident(&definition.name));
        items.push(Item::Tokens(quote! {
            #gate impl WritesV2 for super::#name {}
            #gate impl ReadsV2 for super::#name {}
        }));
    }
    for Alike { name, unstable, written, read } in alike {
        let (gate, name) = (gate(*unstable), ident(name));
        let of = |is_so: bool, mark| is_so.then(|| quote!(#gate impl #mark for crate::#module::#name {}));
        let written = of(*written, quote!(WritesV2));
        let read = of(*read, quote!(ReadsV2));
        items.push(Item::Tokens(quote!(#written #read)));
    }
    items
}
