//! Messages of the compiler about mistakes in an `#[agent]`, `#[client]` or `#[proxy]` block, and
//! the places they point at. All are in one program, so that their dependencies are checked once. A
//! test of `acp-macros` finds the messages of the macros that have no case here.
//!
//! `TRYBUILD=overwrite cargo test -p acp-ui-tests` writes the `.stderr` files anew. Run it again
//! with `--all-features` for the cases that take features.

#[test]
fn every_mistake_is_explained_where_it_is() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/agent/*.rs");
    cases.compile_fail("tests/ui/client/*.rs");
    cases.compile_fail("tests/ui/proxy/*.rs");
    if cfg!(all(feature = "mcp", feature = "store", feature = "unstable")) {
        cases.compile_fail("tests/ui/agent/features/*.rs");
    } else if cfg!(not(any(feature = "mcp", feature = "store", feature = "unstable"))) {
        cases.compile_fail("tests/ui/agent/no_features/*.rs");
    }
    if cfg!(feature = "unstable") {
        cases.compile_fail("tests/ui/client/features/*.rs");
    } else {
        cases.compile_fail("tests/ui/client/no_features/*.rs");
    }
}
