//! Calls of a handler, from which its arguments are taken.

use std::fmt;
use std::sync::Arc;

use acp_rpc::Id;

use crate::client::Client;
use crate::client::cancel::Cancel;
use crate::handler::operation::ServeOperation;
use crate::open::reopen::Reopening;
use crate::session::connection::Connection;

/// One call of the handler of operation `O`, admitted and ready to run. `S` is the state of a
/// session.
pub struct Call<O: ServeOperation, S: Send + Sync + 'static> {
    scope: Scope<S>,
    params: Arc<O::Params>,
    admission: Arc<O::Admission<S>>,
}

/// The origin of a call.
pub struct Scope<S> {
    pub(crate) connection: Arc<Connection<S>>,
    pub(crate) client: Client,
    pub(crate) cancel: Cancel,
    /// The id of the request. A notification has none.
    pub(crate) request_id: Option<Id>,
    /// Set if the handler for new sessions opens a stored one.
    pub(crate) reopening: Option<Reopening>,
}

impl<O: ServeOperation, S: Send + Sync + 'static> Call<O, S> {
    pub(crate) const fn new(
        scope: Scope<S>,
        params: Arc<O::Params>,
        admission: Arc<O::Admission<S>>,
    ) -> Self {
        Call { scope, params, admission }
    }

    /// Returns the params of the request.
    #[must_use]
    pub fn params(&self) -> &O::Params {
        &self.params
    }

    /// Returns the client.
    #[must_use]
    pub const fn client(&self) -> &Client {
        &self.scope.client
    }

    /// Returns the cancellation of the request.
    #[must_use]
    pub const fn cancel(&self) -> &Cancel {
        &self.scope.cancel
    }

    pub(crate) const fn scope(&self) -> &Scope<S> {
        &self.scope
    }

    pub(crate) fn admission(&self) -> &O::Admission<S> {
        &self.admission
    }
}

impl<S> Clone for Scope<S> {
    fn clone(&self) -> Self {
        Scope {
            connection: Arc::clone(&self.connection),
            client: self.client.clone(),
            cancel: self.cancel.clone(),
            request_id: self.request_id.clone(),
            reopening: self.reopening.clone(),
        }
    }
}

impl<S> fmt::Debug for Scope<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").field("client", &self.client).finish_non_exhaustive()
    }
}

impl<O: ServeOperation, S: Send + Sync + 'static> fmt::Debug for Call<O, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").field("operation", &O::NAME).finish_non_exhaustive()
    }
}
