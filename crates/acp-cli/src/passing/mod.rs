//! Messages that pass between a program and a remote peer, as bytes.

pub(crate) mod denied;
pub(crate) mod lines;
pub(crate) mod remote;
pub(crate) mod signals;
pub(crate) mod streams;

use std::pin::Pin;

use tokio::io::{AsyncRead, AsyncWrite};

/// A stream of bytes to read.
pub(crate) type Reader = Pin<Box<dyn AsyncRead + Send>>;
/// A stream of bytes to write.
pub(crate) type Writer = Pin<Box<dyn AsyncWrite + Send>>;
