//! Messages, names and streams as they are on the wire.

#[cfg(any(feature = "server", feature = "__wire"))]
mod generated {
    pub(super) mod session_methods;
}
mod effect;
#[cfg(any(all(feature = "client", feature = "sse"), feature = "__wire"))]
pub(crate) mod event_reader;
pub(crate) mod head;
#[cfg(any(feature = "server", all(feature = "client", feature = "sse"), feature = "__wire"))]
pub(crate) mod headers;
#[cfg(any(feature = "server", feature = "__wire"))]
pub(crate) mod routes;
#[cfg(any(feature = "server", feature = "__wire"))]
pub(crate) mod sse;
#[cfg(any(feature = "server", feature = "__wire"))]
mod stream;
mod turns;
#[cfg(any(
    all(feature = "server", feature = "ws"),
    all(feature = "client", any(feature = "sse", feature = "ws")),
    feature = "__wire"
))]
pub(crate) mod unfinished;

#[cfg(any(feature = "server", feature = "__wire"))]
pub(crate) use self::generated::session_methods::SESSION_METHODS;
