//! The attributes `#[agent]` and `#[client]` of the `acp` crates; use them through `acp_agent::agent` and
//! `acp_client::client`, which document them.
//!
//! An attribute reads the signatures of an impl block and writes down facts: which protocol operations the
//! block has, and how each function is called. What those facts mean (capabilities, negotiation, refusals,
//! sessions, cancellation) is decided by ordinary functions of `acp-agent` and `acp-client`.
//!
//! One run goes through the files in this order: `attr` and `parse` read, `classify` and `method` find what each
//! function is, `check` holds them against the rules, `expand` writes the code: `calls` how functions are called,
//! `agent` with its `facts` and `client` the rest. `target` says what is not the same for both. Problems are collected
//! in a `report` on the way, so that one compilation shows all of them.

mod agent;
mod attr;
mod calls;
mod check;
mod classify;
mod client;
mod expand;
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at a broken assumption")]
mod expansions;
mod facts;
mod generated;
mod method;
mod operation;
mod parse;
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
