//! Messages, names and streams as they are on the wire.

#[cfg(feature = "server")]
mod generated {
    pub(super) mod session_methods;
}
#[cfg(all(feature = "client", feature = "sse"))]
pub(crate) mod event_reader;
pub(crate) mod head;
pub(crate) mod headers;
#[cfg(feature = "server")]
pub(crate) mod routes;
#[cfg(feature = "server")]
pub(crate) mod sse;
#[cfg(feature = "server")]
mod stream;

#[cfg(feature = "server")]
pub(crate) use self::generated::session_methods::SESSION_METHODS;
