//! The expansions of `#[agent]` that the tests of `acp-macros` compare: they compile.

#![allow(dead_code, clippy::let_unit_value, reason = "nothing is run, and nothing of it was written by hand")]

use std::sync::Arc;

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

#[test]
fn facts_and_handlers_are_those_of_the_block() {
    use acp_agent::Agent as _;
    assert_eq!(echo::Echo.profile().name, "acp-agent");
    let editor = Arc::new(editor::Editor(Arc::new(String::new())));
    assert_eq!(editor.profile().title, Some("Editor"));
    let mut handlers = acp_agent::Handlers::default();
    editor.register(&mut handlers);
    let served =
        ["session/prompt", "initialize", "_acme.dev/count", "_acme.dev/undo", "_acme.dev/seen", "logout"];
    assert_eq!(served.map(|method| handlers.has(method)), [true, true, true, true, true, false]);
}
