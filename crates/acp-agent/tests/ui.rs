//! What the compiler says about mistakes in an `#[agent]` block: each message, and where it points.
//!
//! `TRYBUILD=overwrite cargo test -p acp-agent --test ui` writes the `.stderr` files anew.

#[test]
fn every_mistake_is_explained_where_it_is() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
