//! The output of `#[client]` compiles: these are the expansions that the tests of `acp-macros`
//! compare.

#![allow(dead_code, clippy::let_unit_value, reason = "nothing is run, and nothing of it was written by hand")]

#[rustfmt::skip]
#[path = "../../../acp-macros/tests/expansions/silent_client.rs"]
mod silent_client;

#[rustfmt::skip]
#[path = "../../../acp-macros/tests/expansions/editor_client.rs"]
mod editor_client;

#[test]
fn expansions_are_clients() {
    const fn assert_client<C: acp_client::Client>() {}
    const { assert_client::<silent_client::Silent>() };
    const { assert_client::<editor_client::Editor<String>>() };
}
