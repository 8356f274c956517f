//! The attributes `#[agent]`, `#[client]` and `#[proxy]` of the `acp` crates. Use them through
//! `acp_agent::agent`, `acp_client::client` and `acp_proxy::proxy`, which document them.
//!
//! An attribute reads the signatures of an impl block and writes down facts: the protocol
//! operations that the block has, and the call of each function. Ordinary functions of `acp-agent`
//! and `acp-client` decide what follows from the facts (capabilities, negotiation, refusals,
//! sessions, cancellation).
//!
//! A run goes through the files in this order. `attr` and `parse` read. `classify`, `method` and
//! `command` find the role of each function. `check` applies the rules. `expand` writes the code:
//! `calls` writes the calls of functions, `agent` with `facts` and `client` write the rest.
//! `target` has the differences between the first two attributes. `proxy` reads and writes for the
//! third one. A `report` collects the problems, so
//! that one compilation shows all of them.

mod attr;
mod check;
mod classify;
mod command;
mod expand;
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at a broken assumption")]
mod expansions;
mod generated;
mod method;
mod operation;
mod parse;
mod proxy;
mod report;
mod suggest;
mod target;

use proc_macro::TokenStream;

/// Makes an agent of an impl block; see `acp_agent::agent`.
#[proc_macro_attribute]
pub fn agent(attributes: TokenStream, item: TokenStream) -> TokenStream {
    expand::expand(&target::AGENT, attributes.into(), &item.into()).into()
}

/// Makes a client of an impl block; see `acp_client::client`.
#[proc_macro_attribute]
pub fn client(attributes: TokenStream, item: TokenStream) -> TokenStream {
    expand::expand(&target::CLIENT, attributes.into(), &item.into()).into()
}

/// Makes a proxy of an impl block; see `acp_proxy::proxy`.
#[proc_macro_attribute]
pub fn proxy(attributes: TokenStream, item: TokenStream) -> TokenStream {
    proxy::expand(attributes.into(), &item.into()).into()
}
