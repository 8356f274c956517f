//! The content of rows: records, facts and names, and their forms outside of the database.

pub(crate) mod batch;
pub(crate) mod facts;
pub(crate) mod names;
