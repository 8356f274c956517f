//! The operations of an agent: the table of the macro, and the markers of the library.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use proc_macro2::TokenStream;
use quote::quote;

use super::context::{Context, ident};
use super::{Item, rust_file};
use crate::codegen::format;
use crate::codegen::ir::{Method, Schema, Side};
use crate::codegen::names;
use crate::codegen::overlay::Overlay;
use crate::output::Output;

/// The generated folders of `acp-macros` and `acp-agent`.
pub(super) const MACROS: &str = "crates/acp-macros/src/generated";
pub(super) const AGENT: &str = "crates/acp-agent/src/generated";

/// A request of the protocol, and the function that answers it.
struct Operation<'s> {
    name: String,
    marker: String,
    doc: &'s str,
    method: &'s Method,
    response: &'s str,
}

pub fn emit(schema: &Schema, overlay: &Overlay, header: &str) -> Result<Vec<Output>> {
    let operations = collect(schema, overlay)?;
    let (macros, agent) = (Path::new(MACROS), Path::new(AGENT));
    Ok(vec![
        Output { path: rust_file(macros, "mod"), text: module(header, "operations") },
        Output { path: rust_file(macros, "operations"), text: format::file(header, &[table(&operations)])? },
        Output { path: rust_file(agent, "mod"), text: module(header, "op") },
        Output { path: rust_file(agent, "op"), text: format::file(header, &markers(&operations))? },
    ])
}

fn collect<'s>(schema: &'s Schema, overlay: &'s Overlay) -> Result<Vec<Operation<'s>>> {
    let mut operations = Vec::new();
    for name in overlay.keys("operations") {
        let wire =
            overlay.nested("operations", name, "method").with_context(|| format!("{name} has no method"))?;
        let doc = overlay.nested("operations", name, "doc").with_context(|| format!("{name} has no doc"))?;
        let method = schema.methods.iter().find(|method| method.name == wire && method.response.is_some());
        let method =
            method.with_context(|| format!("[operations] {name}: the schema has no request \"{wire}\""))?;
        ensure!(method.handler == Side::Agent, "[operations] {name}: \"{wire}\" is not handled by an agent");
        let response = method.response.as_deref().unwrap_or_default();
        operations.push(Operation {
            name: name.to_owned(),
            marker: names::pascal(name),
            doc,
            method,
            response,
        });
    }
    Ok(operations)
}

fn module(header: &str, name: &str) -> String {
    format!(
        "{header}\n// Formatted by the generator, so that it does not depend on the toolchain.\n#[rustfmt::skip]\npub(crate) mod {name};\n"
    )
}

/// The macro's table: rows on one line each, laid out by hand.
fn table(operations: &[Operation<'_>]) -> Item {
    let mut text = String::from(
        "use crate::operation::Operation;\n\n\
         /// Every operation an agent may have, by the name of its function.\n\
         pub(crate) const OPERATIONS: &[Operation] = &[\n",
    );
    for Operation { name, marker, method, .. } in operations {
        let method = &method.name;
        let _ = writeln!(text, "    Operation {{ name: {name:?}, marker: {marker:?}, method: {method:?} }},");
    }
    text.push_str("];\n");
    Item::Text(text)
}

fn markers(operations: &[Operation<'_>]) -> Vec<Item> {
    let mut types: Vec<&str> = operations
        .iter()
        .flat_map(|operation| [operation.method.params.as_str(), operation.response])
        .collect();
    types.sort_unstable();
    let types = types.into_iter().map(ident);
    let mut items = vec![
        Item::Tokens(quote!(
            use acp_types::Meta;
        )),
        Item::Tokens(quote!(use acp_types::v1::{#(#types),*};)),
        Item::Text(
            "use crate::agent::Agent;\nuse crate::call::Call;\nuse crate::error::Result;\n\
             use crate::extract::FromCall;\nuse crate::op::Op;\n"
                .to_owned(),
        ),
    ];
    items.extend(operation_enum(operations).map(Item::Tokens));
    items.extend(operations.iter().flat_map(marker).map(Item::Tokens));
    items
}

fn operation_enum(operations: &[Operation<'_>]) -> [TokenStream; 2] {
    let variants: Vec<_> = operations.iter().map(|operation| ident(&operation.marker)).collect();
    let methods: Vec<_> = operations.iter().map(|operation| &operation.method.name).collect();
    let docs = operations.iter().map(|operation| {
        Context::wording(Some(&format!("`{}`, handled by `{}`.", operation.method.name, operation.name)))
    });
    let capabilities = operations.iter().map(|operation| {
        let path = operation.method.capability.as_deref();
        match path.map(|path| path.strip_prefix("agentCapabilities.").unwrap_or(path)) {
            Some(path) => quote!(Some(#path)),
            None => quote!(None),
        }
    });
    let count = proc_macro2::Literal::usize_unsuffixed(operations.len());
    [
        quote! {
            /// A request of the protocol that an agent answers.
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
            pub enum Operation {
                #(#docs #variants,)*
            }
        },
        quote! {
            impl Operation {
                /// Every operation, in the order of names.
                pub const ALL: [Operation; #count] = [#(Operation::#variants),*];

                /// The operation that a method asks for.
                #[must_use]
                pub fn from_method(method: &str) -> Option<Self> {
                    match method {
                        #(#methods => Some(Operation::#variants),)*
                        _ => None,
                    }
                }

                /// The capability of the agent that stands for the operation; `None` when there is none to
                /// advertise.
                #[must_use]
                pub const fn capability(self) -> Option<&'static str> {
                    match self {
                        #(Operation::#variants => #capabilities,)*
                    }
                }
            }
        },
    ]
}

fn marker(operation: &Operation<'_>) -> [TokenStream; 3] {
    let (name, method) = (&operation.name, &operation.method.name);
    let (marker, params) = (ident(&operation.marker), ident(&operation.method.params));
    let response = ident(operation.response);
    let docs = Context::wording(Some(operation.doc));
    [
        quote!(#docs #[derive(Debug)] pub enum #marker {}),
        quote! {
            impl Op for #marker {
                const NAME: &'static str = #name;
                const METHOD: &'static str = #method;
                type Params = #params;
                type Response = #response;

                fn meta(params: &Self::Params) -> Option<&Meta> {
                    params.meta.as_ref()
                }
            }
        },
        quote! {
            impl<A: Agent> FromCall<#marker, A> for #params {
                fn from_call(call: &mut Call<#marker, A>) -> Result<Self> {
                    Ok(call.params().clone())
                }
            }
        },
    ]
}
