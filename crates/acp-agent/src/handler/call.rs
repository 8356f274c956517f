//! One call of a handler, from which its arguments are taken.

use std::fmt;
use std::sync::Arc;

use acp_rpc::Id;

use crate::client::Client;
use crate::client::cancel::Cancel;
use crate::handler::agent::Agent;
use crate::serve::lifecycle::Lifecycle;
use crate::session::connection::Connection;
use crate::store::Reopening;

/// One call of the handler of operation `O`, admitted and ready to run.
pub struct Call<O: Lifecycle, A: Agent> {
    scope: Scope<A>,
    params: Arc<O::Params>,
    admitted: Arc<O::Admitted<A>>,
}

/// Where a call comes from.
pub struct Scope<A: Agent> {
    pub(crate) connection: Arc<Connection<A>>,
    pub(crate) client: Client,
    pub(crate) cancel: Cancel,
    /// The request; a notification has none.
    pub(crate) request_id: Option<Id>,
    /// Set when the handler for new sessions opens a stored one.
    pub(crate) reopening: Option<Reopening>,
}

impl<O: Lifecycle, A: Agent> Call<O, A> {
    pub(crate) const fn new(scope: Scope<A>, params: Arc<O::Params>, admitted: Arc<O::Admitted<A>>) -> Self {
        Call { scope, params, admitted }
    }

    /// The params of the request.
    #[must_use]
    pub fn params(&self) -> &O::Params {
        &self.params
    }

    /// The client.
    #[must_use]
    pub const fn client(&self) -> &Client {
        &self.scope.client
    }

    /// The cancellation of the request.
    #[must_use]
    pub const fn cancel(&self) -> &Cancel {
        &self.scope.cancel
    }

    pub(crate) const fn scope(&self) -> &Scope<A> {
        &self.scope
    }

    pub(crate) fn admitted(&self) -> &O::Admitted<A> {
        &self.admitted
    }
}

impl<A: Agent> Clone for Scope<A> {
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

impl<A: Agent> fmt::Debug for Scope<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").field("client", &self.client).finish_non_exhaustive()
    }
}

impl<O: Lifecycle, A: Agent> fmt::Debug for Call<O, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").field("operation", &O::NAME).finish_non_exhaustive()
    }
}
