//! The tests of the tool, in one program.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test stops at a broken assumption"
)]

mod alike;
mod api_lock;
mod as_is;
mod attacks;
mod built_mistakes;
mod changes;
mod conformance;
mod crate_dependencies;
mod door;
mod floors;
mod generated_is_current;
mod lowering_refused;
mod map;
mod new_methods;
mod options;
mod overlay_columns;
mod overlay_subjects;
mod own_schema;
mod packages;
mod rules;
mod schema_docs;
mod schema_import;
mod schema_refused;
mod schemas_page;
mod second_reader;
mod shapes;
mod shared_types;
mod unit_tests;
mod words;
