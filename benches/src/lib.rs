//! What the comparisons share: races between contenders, and counting of allocations.

mod allocations;
mod race;
mod table;

pub use allocations::{Counting, allocations};
pub use race::{Contender, Times, median, race};
pub use table::Table;
