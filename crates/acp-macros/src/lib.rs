//! The `#[agent]` attribute of the `acp` crates; use it through `acp_agent::agent`, which documents it.
//!
//! The attribute reads the signatures of an impl block and writes down facts: which protocol operations the
//! block has, and how each function is called. What those facts mean (capabilities, negotiation, refusals,
//! sessions, cancellation) is decided by ordinary functions of `acp-agent`.
//!
//! One run goes through the files in this order: `attr` and `parse` read, `classify` and `method` find what each
//! function is, `check` holds them against the rules, `expand` writes the code: `facts` what the agent has,
//! `calls` how it is called. Problems are collected in a `report` on the way, so that one compilation shows all
//! of them.

mod attr;
mod calls;
mod check;
mod classify;
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

use proc_macro::TokenStream;

/// Makes an agent of an impl block; see `acp_agent::agent`.
#[proc_macro_attribute]
pub fn agent(attributes: TokenStream, item: TokenStream) -> TokenStream {
    expand::agent(attributes.into(), &item.into()).into()
}
