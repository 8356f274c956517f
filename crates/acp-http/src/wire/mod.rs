//! Messages, names and streams as they are on the wire.

mod generated {
    pub(super) mod session_methods;
}
pub(crate) mod head;
pub(crate) mod headers;
pub(crate) mod routes;
pub(crate) mod sse;
mod stream;

pub(crate) use self::generated::session_methods::SESSION_METHODS;
