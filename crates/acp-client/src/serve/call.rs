//! A call of a client's handler.

use crate::{Context, Error};

/// A call of the handler of operation `O`. It is the source of the handler's arguments.
pub type Call<O> = acp_handlers::Call<O, Context>;

/// An argument of a handler, on its way. Await it.
pub type Argument<'c, T> = acp_handlers::Argument<'c, T, Error>;
