//! The compiler's messages about mistakes in a `#[client]` block, with their places. The test of
//! the same name in `acp-agent` checks that every message of the macro has a case.
//!
//! `TRYBUILD=overwrite cargo test -p acp-client --test ui` writes the `.stderr` files anew; again
//! with `--all-features` for those that take features.

#[test]
fn every_mistake_is_explained_where_it_is() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/*.rs");
    if cfg!(feature = "unstable") {
        cases.compile_fail("tests/ui/features/*.rs");
    } else {
        cases.compile_fail("tests/ui/no_features/*.rs");
    }
}
