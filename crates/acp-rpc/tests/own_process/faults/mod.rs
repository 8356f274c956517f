//! Hostile input: the right answer, the right report, and the next valid request is served. One
//! table, over a pipe in memory and over those of real processes, for which this program starts
//! itself in either role.

mod handlers;
mod lines;
mod link;
mod process;
mod row;

use std::panic::{AssertUnwindSafe, catch_unwind};

use link::Link;
use row::Row;

pub(crate) use process::plays_a_part;

pub(crate) fn run(is_picked: impl Fn(&str) -> bool) {
    process::silence();
    let rows = lines::rows().into_iter().chain(handlers::rows());
    let rows: Vec<Row> = rows.filter(|row| is_picked(&format!("faults: {}", row.name))).collect();
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
