//! Objects: a struct, its constructor and setters, its reader and writer.

use quote::quote;

use super::context::{Context, gate, ident, is_required};
use super::field;
use crate::codegen::format::Item;
use crate::codegen::ir::{Definition, Object};

pub(super) fn emit(context: &Context<'_>, definition: &Definition, object: &Object) -> Vec<Item> {
    vec![
        Item::Tokens(declaration(context, definition, object)),
        Item::Tokens(constructor(context, definition, object)),
        Item::Tokens(record(definition, object)),
        Item::Text(if definition.whole_null {
            format!("acp_json::record!({}, null => Default);\n", definition.name)
        } else {
            format!("acp_json::record!({});\n", definition.name)
        }),
    ]
}

fn declaration(context: &Context<'_>, definition: &Definition, object: &Object) -> proc_macro2::TokenStream {
    let name = ident(&definition.name);
    let docs = context.definition_docs(definition);
    let derives = Context::derives(context.eq(definition), context.defaults(definition));
    let fields = object.fields.iter().map(|field| field::declaration(context, definition, field));
    let union = object.union.iter().map(|union| {
        let (field, ty) = (ident(&union.field), ident(&union.type_name));
        quote!(#[doc = " The part that comes in several kinds."] pub #field: #ty)
    });
    let others = object.others.then(|| {
        let field = ident(Object::OTHERS);
        quote!(#[doc = " Members that the schema does not name, in the order in which they came."] pub #field: Map)
    });
    let members = fields.chain(union).chain(others);
    quote! {
        #docs
        #derives
        #[non_exhaustive]
        pub struct #name {
            #(#members,)*
        }
    }
}

fn constructor(context: &Context<'_>, definition: &Definition, object: &Object) -> proc_macro2::TokenStream {
    let name = ident(&definition.name);
    let mut arguments = Vec::new();
    let mut members = Vec::new();
    for one in &object.fields {
        if is_required(one) {
            let (argument, member) = field::argument(one);
            arguments.push((&one.rust, argument));
            members.push(member);
        } else {
            let (gate, name) = (gate(one.unstable), ident(&one.rust));
            members.push(quote!(#gate #name: Default::default()));
        }
    }
    if let Some(union) = &object.union {
        let (field, ty) = (ident(&union.field), ident(&union.type_name));
        arguments.push((&union.field, quote!(#field: impl Into<#ty>)));
        members.push(quote!(#field: #field.into()));
    }
    if object.others {
        let field = ident(Object::OTHERS);
        members.push(quote!(#field: Map::new()));
    }
    let order = context.arguments(definition, object);
    arguments.sort_by_key(|(name, _)| order.iter().position(|other| other == *name));
    let arguments: Vec<_> = arguments.into_iter().map(|(_, argument)| argument).collect();
    let setters = object.fields.iter().filter(|one| !is_required(one)).map(field::setter);
    let setters = setters.chain(object.others.then(others_setter));
    let docs = Context::wording(Some(if arguments.is_empty() {
        "A value without any of the optional members."
    } else {
        "A value with the members that it must have; the others have setters."
    }));
    quote! {
        impl #name {
            #docs
            #[must_use]
            pub fn new(#(#arguments),*) -> Self {
                Self { #(#members),* }
            }

            #(#setters)*
        }
    }
}

fn others_setter() -> proc_macro2::TokenStream {
    let name = ident(Object::OTHERS);
    let docs = Context::wording(Some(&format!("Sets [`{name}`](Self::{name}).")));
    quote! {
        #docs
        #[must_use]
        pub fn #name(mut self, #name: Map) -> Self {
            self.#name = #name;
            self
        }
    }
}

fn record(definition: &Definition, object: &Object) -> proc_macro2::TokenStream {
    let name = ident(&definition.name);
    let reads = object.fields.iter().map(|one| {
        let (gate, name, read) = (gate(one.unstable), ident(&one.rust), field::read(one));
        quote!(#gate #name: #read)
    });
    let union_reads = object.union.iter().map(|union| {
        let field = ident(&union.field);
        quote!(#field: Record::read(fields)?)
    });
    // Last: it takes what nothing else has taken.
    let others_read = object.others.then(|| {
        let field = ident(Object::OTHERS);
        quote!(#field: fields.rest().into_iter().map(|(name, node)| (name, Value::from(node))).collect())
    });
    let reads = reads.chain(union_reads).chain(others_read);
    let writes = object.fields.iter().map(|one| {
        let name = ident(&one.rust);
        field::write(one, &quote!(self.#name))
    });
    let union_writes = object.union.iter().map(|union| {
        let field = ident(&union.field);
        quote!(self.#field.write(map)?;)
    });
    let others_write = object.others.then(|| {
        let field = ident(Object::OTHERS);
        quote!(self.#field.iter().try_for_each(|(name, value)| map.serialize_entry(name, value))?;)
    });
    let writes = union_writes.chain(writes).chain(others_write);
    let (fields, map) = if object.fields.is_empty() && object.union.is_none() && !object.others {
        (quote!(_fields), quote!(_map))
    } else {
        (quote!(fields), quote!(map))
    };
    quote! {
        impl Record for #name {
            fn read(#fields: &mut Fields<'_, '_>) -> Result<Self, ReadError> {
                Ok(Self { #(#reads),* })
            }

            fn write<M: SerializeMap>(&self, #map: &mut M) -> Result<(), M::Error> {
                #(#writes)*
                Ok(())
            }
        }
    }
}
