//! Common parts of the comparisons: races between contenders, counting of allocations, tables and
//! their page.

mod allocations;
mod document;
pub mod options;
pub mod peers;
pub mod placement;
mod race;
pub mod report;
mod table;

pub use allocations::{Counting, Heap, allocations, memory, start_counting, stop_counting};
pub use document::{write_figure, write_table};
pub use race::{Contender, Times, median, race};
pub use table::Table;
