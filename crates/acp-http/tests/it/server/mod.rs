//! Tests of the server over raw sockets: bytes out, bytes in.

mod agents;
mod attacks;
pub(crate) mod authority;
mod credentials;
mod http2;
pub(crate) mod lab;
mod lifecycle;
mod limits;
mod logs;
mod policy;
mod post;
mod proxies;
mod routes;
mod security;
mod shutdown;
mod streams;
mod tls;
mod turns;
mod vanishing;
mod websocket;
