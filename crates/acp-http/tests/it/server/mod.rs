//! Tests of the server over raw sockets: bytes out, bytes in.

pub(crate) mod lab;
mod lifecycle;
mod post;
mod security;
mod streams;
mod websocket;
