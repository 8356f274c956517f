//! The `#[agent]` attribute of the `acp` crates; use it through `acp_agent::agent`, which documents it.
//!
//! The attribute reads the signatures of an impl block and writes down facts: which protocol operations the
//! block has, and how each function is called. What those facts mean (capabilities, negotiation, refusals,
//! sessions, cancellation) is decided by ordinary functions of `acp-agent`.
//!
//! One run goes through the files in this order: `attr` and `parse` read, `classify` finds what each
//! function is, `check` holds them against the rules, `expand` writes the code. Problems are collected in
//! a `report` on the way, so that one compilation shows all of them.

mod attr;
mod check;
mod classify;
mod expand;
mod generated;
mod operation;
mod parse;
mod report;
mod suggest;

use proc_macro::TokenStream;

/// Makes an agent of an impl block; see `acp_agent::agent`.
#[proc_macro_attribute]
pub fn agent(attributes: TokenStream, item: TokenStream) -> TokenStream {
    expand::agent(attributes.into(), &item.into()).into()
}
