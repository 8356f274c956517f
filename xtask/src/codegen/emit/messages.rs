//! The messages of each side, as enums that are read by the name of the method.

use proc_macro2::TokenStream;
use quote::quote;

use super::context::{Context, gate, ident};
use crate::codegen::format::Item;
use crate::codegen::ir::{Method, Schema, Side};

/// One enum: its name, what it is, and the type that it takes from a method, if any.
pub(super) struct Family {
    pub name: &'static str,
    pub docs: &'static str,
    of: fn(&Method) -> Option<&str>,
}

const FAMILIES: [Family; 6] = [
    Family {
        name: "ClientRequest",
        docs: "The params of a request that a client sends.",
        of: client_request,
    },
    Family {
        name: "ClientNotification",
        docs: "The params of a notification that a client sends.",
        of: client_notification,
    },
    Family {
        name: "ClientResponse",
        docs: "The result of a request that an agent sent.",
        of: client_response,
    },
    Family { name: "AgentRequest", docs: "The params of a request that an agent sends.", of: agent_request },
    Family {
        name: "AgentNotification",
        docs: "The params of a notification that an agent sends.",
        of: agent_notification,
    },
    Family { name: "AgentResponse", docs: "The result of a request that a client sent.", of: agent_response },
];

pub(super) fn emit(schema: &Schema) -> Vec<Item> {
    let mut items = vec![Item::Text(
        "use acp_json::{At, FromNode, Node, ReadError, Value};\n\
         use serde_core::ser::{Serialize, Serializer};\n"
            .to_owned(),
    )];
    for (family, members) in families(schema) {
        items.extend(enum_of(family, &members).map(Item::Tokens));
    }
    items
}

/// The enums that are not empty, and what they hold: methods, each with a type.
pub(super) fn families(schema: &Schema) -> impl Iterator<Item = (&'static Family, Vec<(&Method, &str)>)> {
    let of = |family: &'static Family| {
        let members = schema.methods.iter().filter_map(|method| Some((method, (family.of)(method)?)));
        (family, members.collect::<Vec<_>>())
    };
    FAMILIES.iter().map(of).filter(|(_, members)| !members.is_empty())
}

fn enum_of(family: &Family, members: &[(&Method, &str)]) -> [TokenStream; 3] {
    let name = ident(family.name);
    let docs = Context::wording(Some(family.docs));
    let rows: Vec<_> = members
        .iter()
        .map(|(method, ty)| (gate(method.unstable), ident(&method.marker), &method.name, ident(ty)))
        .collect();
    let variants = rows.iter().map(|(gate, marker, method, ty)| {
        let docs = format!(" `{method}`");
        quote!(#[doc = #docs] #gate #marker(Box<super::#ty>))
    });
    let names = rows.iter().map(|(gate, marker, method, _)| quote!(#gate Self::#marker(_) => #method));
    let reads = rows.iter().map(|(gate, marker, method, _)| {
        quote!(#gate #method => FromNode::from_node(content, at).map(Self::#marker))
    });
    let writes = rows
        .iter()
        .map(|(gate, marker, _, _)| quote!(#gate Self::#marker(content) => content.serialize(serializer)));
    [
        quote! {
            #docs
            #[derive(Clone, Debug, PartialEq)]
            #[non_exhaustive]
            pub enum #name {
                #(#variants,)*
                #[doc = " A method that is not known here, such as an extension's, with its content."]
                Unknown {
                    #[doc = " The method's name."]
                    method: Box<str>,
                    #[doc = " The content of the message."]
                    content: Value,
                },
            }
        },
        quote! {
            impl #name {
                /// The method's name.
                #[must_use]
                pub fn method(&self) -> &str {
                    match self {
                        #(#names,)*
                        Self::Unknown { method, .. } => method,
                    }
                }

                /// Reads the content of a method. Only the method's name decides about the type.
                ///
                /// # Errors
                /// Fails if the content does not have that type. The error names the path.
                pub fn read(method: &str, content: Node<'_>) -> Result<Self, ReadError> {
                    let at = &At::root();
                    match method {
                        #(#reads,)*
                        _ => Ok(Self::Unknown { method: method.into(), content: content.into() }),
                    }
                }
            }
        },
        quote! {
            impl Serialize for #name {
                fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    match self {
                        #(#writes,)*
                        Self::Unknown { content, .. } => content.serialize(serializer),
                    }
                }
            }
        },
    ]
}

fn client_request(method: &Method) -> Option<&str> {
    (method.handler == Side::Agent && method.response.is_some()).then_some(&method.params)
}

fn client_notification(method: &Method) -> Option<&str> {
    (matches!(method.handler, Side::Agent | Side::Both) && method.response.is_none())
        .then_some(&method.params)
}

fn client_response(method: &Method) -> Option<&str> {
    if method.handler == Side::Client { method.response.as_deref() } else { None }
}

fn agent_request(method: &Method) -> Option<&str> {
    (method.handler == Side::Client && method.response.is_some()).then_some(&method.params)
}

fn agent_notification(method: &Method) -> Option<&str> {
    (matches!(method.handler, Side::Client | Side::Both) && method.response.is_none())
        .then_some(&method.params)
}

fn agent_response(method: &Method) -> Option<&str> {
    if method.handler == Side::Agent { method.response.as_deref() } else { None }
}
