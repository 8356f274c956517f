use std::fmt;

use crate::op::Op;
use crate::{Cancel, Context};

/// One call of the handler of operation `O`, from which its arguments are taken.
pub struct Call<O: Op> {
    params: O::Params,
    context: Context,
}

impl<O: Op> Call<O> {
    pub(crate) const fn new(params: O::Params, context: Context) -> Self {
        Self { params, context }
    }

    /// What the agent asks or tells.
    #[must_use]
    pub const fn params(&self) -> &O::Params {
        &self.params
    }

    /// What is known of the call beside its params.
    #[must_use]
    pub const fn context(&self) -> &Context {
        &self.context
    }

    /// The cancellation of the call.
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
