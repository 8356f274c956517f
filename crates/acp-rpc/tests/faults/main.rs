//! Whatever a peer sends: the right answer, the right report, and the next valid request is served. One table, over a
//! pipe in memory and over those of real processes, from which this program starts itself in either role.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "a test fails by panicking, and says where it is; what another process reports goes to stderr"
)]

#[path = "../common/mod.rs"]
mod common;
mod handlers;
mod lines;
mod link;
mod process;
mod row;

use std::panic::{AssertUnwindSafe, catch_unwind};

use link::Link;
use row::Row;

fn main() {
    if process::run() {
        return;
    }
    process::silence();
    // As `cargo test` does, takes a part of a name to pick rows by.
    let picked = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    let rows: Vec<Row> =
        lines::rows().into_iter().chain(handlers::rows()).filter(|row| row.name.contains(&picked)).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut failed = 0;
    for link in Link::ALL {
        let passes = |row: &&Row| {
            process::at(format!("{} ({link:?})", row.name));
            catch_unwind(AssertUnwindSafe(|| runtime.block_on(row.check(link)))).is_ok()
        };
        let passed = rows.iter().filter(passes).count();
        eprintln!("test faults: {passed} of {} rows pass over {link:?}", rows.len());
        failed += rows.len() - passed;
    }
    assert_eq!(failed, 0, "rows failed");
}
