//! A call of a handler.

use std::fmt;

use crate::op::Op;
use crate::{Cancel, Context};

/// A call of the handler of operation `O`. It is the source of the handler's arguments.
pub struct Call<O: Op> {
    params: O::Params,
    context: Context,
}

impl<O: Op> Call<O> {
    pub(crate) const fn new(params: O::Params, context: Context) -> Self {
        Self { params, context }
    }

    /// Returns the params of the request or notification.
    #[must_use]
    pub const fn params(&self) -> &O::Params {
        &self.params
    }

    /// Returns the context of the call.
    #[must_use]
    pub const fn context(&self) -> &Context {
        &self.context
    }

    /// Returns the cancellation of the call.
    #[must_use]
    pub fn cancel(&self) -> Cancel {
        self.context.cancel()
    }
}

impl<O: Op> fmt::Debug for Call<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").field("operation", &O::NAME).finish_non_exhaustive()
    }
}
