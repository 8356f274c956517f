//! The operations of an agent: the tables of the macro, the markers of the library, and the table that users read.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use proc_macro2::TokenStream;
use quote::{ToTokens as _, quote};

use super::context::{Context, gate, ident};
use super::{Item, rust_file};
use crate::codegen::format;
use crate::codegen::ir::{Method, Schema, Side};
use crate::codegen::names;
use crate::codegen::overlay::Overlay;
use crate::output::Output;

/// The generated folders of `acp-macros` and `acp-agent`.
pub(super) const MACROS: &str = "crates/acp-macros/src/generated";
pub(super) const AGENT: &str = "crates/acp-agent/src/generated";

/// The rules of `#[agent]`, written by hand around the table, and what the table stands between in it.
const RULES: &str = "crates/acp-agent/src/macro.md";
const BEGIN: &str = "<!-- operations: `cargo xtask codegen` writes this table -->";
const END: &str = "<!-- end of operations -->";
/// The same page for those who read the repository and not the documentation of the crate.
const PAGE: &str = "docs/MACROS.md";

/// A method of the protocol, and the function that answers it.
struct Operation<'s> {
    name: String,
    marker: String,
    doc: &'s str,
    method: &'s Method,
    /// What the documentation says.
    argument: String,
    result: &'s str,
    advertised: String,
}

impl Operation<'_> {
    fn is_request(&self) -> bool {
        self.method.response.is_some()
    }

    /// The capability, as a path below `agentCapabilities`.
    fn capability(&self) -> Option<&str> {
        let path = self.method.capability.as_deref()?;
        Some(path.strip_prefix("agentCapabilities.").unwrap_or(path))
    }

    fn gate(&self) -> TokenStream {
        gate(self.method.unstable)
    }
}

pub fn emit(root: &Path, schema: &Schema, overlay: &Overlay, header: &str) -> Result<Vec<Output>> {
    let operations = collect(schema, overlay)?;
    let (macros, agent) = (Path::new(MACROS), Path::new(AGENT));
    let table = |items: &[Item]| format::file(header, items);
    let mut outputs = vec![
        Output { path: rust_file(macros, "mod"), text: module(header, &["methods", "operations"]) },
        Output { path: rust_file(macros, "methods"), text: table(&[method_table(schema)])? },
        Output { path: rust_file(macros, "operations"), text: table(&[operation_table(&operations)])? },
        Output { path: rust_file(agent, "mod"), text: module(header, &["op"]) },
        Output { path: rust_file(agent, "op"), text: table(&markers(&operations))? },
    ];
    // A workspace may come without its documentation.
    if let Ok(rules) = fs::read_to_string(root.join(RULES)) {
        let rules = with_table(&rules, &readable_table(&operations));
        let rules =
            rules.with_context(|| format!("{RULES}: no place for the table, between {BEGIN} and {END}"))?;
        outputs.push(Output { path: PAGE.into(), text: page(&rules) });
        outputs.push(Output { path: RULES.into(), text: rules });
    }
    Ok(outputs)
}

fn collect<'s>(schema: &'s Schema, overlay: &'s Overlay) -> Result<Vec<Operation<'s>>> {
    let mut operations = Vec::new();
    for name in overlay.keys("operations") {
        let text = |key: &str| overlay.nested("operations", name, key);
        let required = |key: &str| text(key).with_context(|| format!("[operations] {name} has no {key}"));
        let wire = required("method")?;
        let mut methods = schema.methods.iter().filter(|method| method.name == wire).peekable();
        ensure!(methods.peek().is_some(), "[operations] {name}: the schema has no method \"{wire}\"");
        let method = methods
            .find(|method| method.handler == Side::Agent)
            .with_context(|| format!("[operations] {name}: \"{wire}\" is not handled by an agent"))?;
        let mut operation = Operation {
            name: name.to_owned(),
            marker: names::pascal(name),
            doc: required("doc")?,
            method,
            argument: text("argument").map_or_else(|| format!("`{}`", method.params), str::to_owned),
            result: required("result")?,
            advertised: String::new(),
        };
        operation.advertised = match (text("advertised"), operation.capability()) {
            (Some(text), _) => text.to_owned(),
            (None, Some(path)) => format!("`{path}`"),
            (None, None) => String::new(),
        };
        operations.push(operation);
    }
    Ok(operations)
}

fn module(header: &str, names: &[&str]) -> String {
    let mut text =
        format!("{header}\n// Formatted by the generator, so that it does not depend on the toolchain.\n");
    for name in names {
        let _ = writeln!(text, "#[rustfmt::skip]\npub(crate) mod {name};");
    }
    text
}

/// What the macro knows about methods: rows on one line each, laid out by hand.
fn method_table(schema: &Schema) -> Item {
    let mut text = String::from(
        "use crate::operation::{Method, Side};\n\n\
         /// Every method and notification of the protocol, in the order of names.\n\
         pub(crate) const METHODS: &[Method] = &[\n",
    );
    for Method { name, marker, handler, .. } in &schema.methods {
        let _ =
            writeln!(text, "    Method {{ name: {name:?}, marker: {marker:?}, side: Side::{handler:?} }},");
    }
    text.push_str("];\n");
    Item::Text(text)
}

/// The same about operations.
fn operation_table(operations: &[Operation<'_>]) -> Item {
    let mut text = String::from(
        "use crate::operation::Operation;\n\n\
         /// Every operation an agent may have, by the name of its function.\n\
         pub(crate) const OPERATIONS: &[Operation] = &[\n",
    );
    for operation in operations {
        let Operation { name, marker, doc, method, .. } = operation;
        let capability = operation.capability();
        let (notification, unstable) = (!operation.is_request(), method.unstable);
        let method = &method.name;
        let _ = writeln!(
            text,
            "    Operation {{\n        name: {name:?},\n        marker: {marker:?},\n        method: {method:?},\n        \
             doc: {doc:?},\n        capability: {capability:?},\n        notification: {notification},\n        \
             unstable: {unstable},\n    }},",
        );
    }
    text.push_str("];\n");
    Item::Text(text)
}

/// The operations as people read them: stable ones, then unstable ones.
fn readable_table(operations: &[Operation<'_>]) -> String {
    let mut text = String::new();
    for unstable in [false, true] {
        if unstable {
            text.push_str("\nWith the feature `unstable`, without any promise:\n\n");
        }
        text.push_str(
            "| function | method | argument of its own | result | advertised as |\n|---|---|---|---|---|\n",
        );
        for operation in operations.iter().filter(|operation| operation.method.unstable == unstable) {
            let Operation { name, method, argument, result, advertised, .. } = operation;
            let advertised = if advertised.is_empty() { " ".to_owned() } else { format!(" {advertised} ") };
            let kind = if operation.is_request() { "" } else { ", a notification" };
            let _ =
                writeln!(text, "| `{name}` | `{}`{kind} | {argument} | {result} |{advertised}|", method.name);
        }
    }
    text
}

/// The rules with this table in its place.
fn with_table(rules: &str, table: &str) -> Option<String> {
    let (before, rest) = rules.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n\n{table}\n{END}{after}"))
}

/// The rules without what only rustdoc understands: links to items, lines of code that are not shown.
fn page(rules: &str) -> String {
    let mut text = format!("<!-- `cargo xtask codegen` writes this page from {RULES}. -->\n\n");
    let mut in_code = false;
    for line in rules.lines() {
        let fence = line.starts_with("```");
        match (fence, in_code) {
            (true, false) => text.push_str("```rust"),
            (false, true) if line.starts_with("# ") => continue,
            _ => text.push_str(&without_item_links(line)),
        }
        in_code ^= fence;
        text.push('\n');
    }
    text
}

/// The line with `[name](crate::name)` as `name`.
fn without_item_links(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("](crate::") {
        let (Some((lead, name)), Some((_, tail))) = (before.rsplit_once('['), after.split_once(')')) else {
            break;
        };
        text.extend([lead, name]);
        rest = tail;
    }
    text + rest
}

fn markers(operations: &[Operation<'_>]) -> Vec<Item> {
    let mut items = vec![Item::Text("use acp_types::Meta;\n".to_owned())];
    items.extend([false, true].map(|unstable| Item::Tokens(imports(operations, unstable))));
    items.push(Item::Text(
        "use crate::agent::Agent;\nuse crate::call::Call;\nuse crate::error::Result;\n\
         use crate::extract::FromCall;\nuse crate::op::Op;\n"
            .to_owned(),
    ));
    items.extend(operation_enum(operations).map(Item::Tokens));
    items.extend(operations.iter().flat_map(marker).map(Item::Tokens));
    items
}

fn imports(operations: &[Operation<'_>], unstable: bool) -> TokenStream {
    let mut types: Vec<&str> = operations
        .iter()
        .map(|operation| operation.method)
        .filter(|method| method.unstable == unstable)
        .flat_map(|method| [Some(method.params.as_str()), method.response.as_deref()])
        .flatten()
        .collect();
    types.sort_unstable();
    let (gate, types) = (gate(unstable), types.into_iter().map(ident));
    quote!(#gate use acp_types::v1::{#(#types),*};)
}

fn operation_enum(operations: &[Operation<'_>]) -> [TokenStream; 2] {
    let variants: Vec<_> = operations.iter().map(|operation| ident(&operation.marker)).collect();
    let methods: Vec<_> = operations.iter().map(|operation| &operation.method.name).collect();
    let names = operations.iter().map(|operation| &operation.name);
    let gates: Vec<_> = operations.iter().map(Operation::gate).collect();
    let docs = operations.iter().map(|operation| {
        Context::wording(Some(&format!("`{}`, handled by `{}`.", operation.method.name, operation.name)))
    });
    let capabilities = operations.iter().map(|operation| match operation.capability() {
        Some(path) => quote!(Some(#path)),
        None => quote!(None),
    });
    let arms = |requests: bool| {
        let of_kind = operations.iter().filter(|operation| operation.is_request() == requests);
        of_kind
            .map(|operation| {
                let (gate, method, variant) =
                    (operation.gate(), &operation.method.name, ident(&operation.marker));
                quote!(#gate #method => Some(Operation::#variant),)
            })
            .collect::<TokenStream>()
    };
    let (requests, notifications) = (arms(true), arms(false));
    [
        quote! {
            /// A request or a notification of the protocol that an agent handles.
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
            pub enum Operation {
                #(#docs #gates #variants,)*
            }
        },
        quote! {
            impl Operation {
                /// Every operation, in the order of names.
                pub const ALL: &[Operation] = &[#(#gates Operation::#variants),*];

                /// The operation that a request asks for.
                #[must_use]
                pub fn from_method(method: &str) -> Option<Self> {
                    match method {
                        #requests
                        _ => None,
                    }
                }

                /// The operation that a notification is for.
                #[must_use]
                pub fn from_notification(method: &str) -> Option<Self> {
                    match method {
                        #notifications
                        _ => None,
                    }
                }

                /// The protocol method.
                #[must_use]
                pub const fn method(self) -> &'static str {
                    match self {
                        #(#gates Operation::#variants => #methods,)*
                    }
                }

                /// The name of the function that handles it in an `#[agent]` block.
                #[must_use]
                pub const fn name(self) -> &'static str {
                    match self {
                        #(#gates Operation::#variants => #names,)*
                    }
                }

                /// The capability of the agent that stands for the operation; `None` when there is none to
                /// advertise.
                #[must_use]
                pub const fn capability(self) -> Option<&'static str> {
                    match self {
                        #(#gates Operation::#variants => #capabilities,)*
                    }
                }
            }
        },
    ]
}

fn marker(operation: &Operation<'_>) -> [TokenStream; 3] {
    let (name, method) = (&operation.name, &operation.method.name);
    let (marker, params) = (ident(&operation.marker), ident(&operation.method.params));
    let response = match &operation.method.response {
        Some(response) => ident(response).into_token_stream(),
        None => quote!(()),
    };
    let (docs, gate) = (Context::wording(Some(operation.doc)), operation.gate());
    [
        quote!(#docs #gate #[derive(Debug)] pub enum #marker {}),
        quote! {
            #gate
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
            #gate
            impl<A: Agent> FromCall<#marker, A> for #params {
                fn from_call(call: &mut Call<#marker, A>) -> Result<Self> {
                    Ok(call.params().clone())
                }
            }
        },
    ]
}
