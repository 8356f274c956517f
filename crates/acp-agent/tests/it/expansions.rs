//! The expansions of `#[agent]` that the tests of `acp-macros` compare: they compile.

#![allow(dead_code, clippy::let_unit_value, reason = "nothing is run, and nothing of it was written by hand")]

#[rustfmt::skip]
#[path = "../../../acp-macros/tests/expansions/echo.rs"]
mod echo;

#[rustfmt::skip]
#[path = "../../../acp-macros/tests/expansions/editor.rs"]
mod editor;

#[cfg(all(feature = "store", feature = "unstable"))]
#[rustfmt::skip]
#[path = "../../../acp-macros/tests/expansions/all_features.rs"]
mod all_features;

const fn assert_agent<A: acp_agent::Agent>() -> acp_agent::Profile<'static> {
    A::PROFILE
}

#[test]
fn the_facts_are_constants() {
    const ECHO: acp_agent::Profile<'static> = assert_agent::<echo::Echo>();
    assert_eq!(ECHO.name, "acp-agent");
    assert_eq!(assert_agent::<editor::Editor<String>>().extensions.len(), 3);
}
