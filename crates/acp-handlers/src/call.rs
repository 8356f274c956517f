//! A call of a handler.

use std::fmt;
use std::sync::Arc;

use acp_types::op::Op;

use crate::serve::Admit;

/// A call of the handler of operation `O`, admitted and ready to run. It is the source of the
/// handler's arguments.
pub struct Call<O: Op, Cx: Admit<O>> {
    context: Cx,
    params: Arc<O::Params>,
    admission: Cx::Admission,
}

impl<O: Op, Cx: Admit<O>> Call<O, Cx> {
    /// Creates a call.
    pub const fn new(context: Cx, params: Arc<O::Params>, admission: Cx::Admission) -> Self {
        Self { context, params, admission }
    }

    /// Returns this call as one of operation `P`, which has the same params and admission.
    #[must_use]
    pub fn into_call_of<P>(self) -> Call<P, Cx>
    where
        P: Op<Params = O::Params>,
        Cx: Admit<P, Admission = <Cx as Admit<O>>::Admission>,
    {
        Call { context: self.context, params: self.params, admission: self.admission }
    }

    /// Returns the params of the request or notification.
    #[must_use]
    pub fn params(&self) -> &O::Params {
        &self.params
    }

    /// Returns the context of the call.
    #[must_use]
    pub const fn context(&self) -> &Cx {
        &self.context
    }

    /// Returns the result of admission.
    #[must_use]
    pub const fn admission(&self) -> &Cx::Admission {
        &self.admission
    }
}

impl<O: Op, Cx: Admit<O>> Clone for Call<O, Cx> {
    fn clone(&self) -> Self {
        Self {
            context: self.context.clone(),
            params: Arc::clone(&self.params),
            admission: self.admission.clone(),
        }
    }
}

impl<O: Op, Cx: Admit<O>> fmt::Debug for Call<O, Cx> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").field("operation", &O::NAME).finish_non_exhaustive()
    }
}
