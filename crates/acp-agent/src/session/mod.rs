//! Open sessions, and the connection that they belong to.

pub(crate) mod closing;
pub(crate) mod connection;
pub(crate) mod queue;
pub(crate) mod running;
pub(crate) mod session;
pub(crate) mod table;

pub(crate) use self::session::Entry;
pub use self::session::Session;
