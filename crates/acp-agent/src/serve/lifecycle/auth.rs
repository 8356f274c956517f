//! Logging in and out.

use std::sync::Arc;

use acp_rpc::{Error as RpcError, Reply};
use acp_types::v1::{AuthenticateRequest, AuthenticateResponse, LogoutRequest, LogoutResponse};

use crate::error::Result;
use crate::handler::call::Scope;
use crate::handler::operation::ServeOperation;
use crate::op;
use crate::serve::lifecycle::answer::answer;

/// Implements an operation that changes whether the client is logged in.
macro_rules! logs {
    ($response:ty, $logged_in:literal) => {
        type Answer<S: Send + Sync + 'static> = $response;

        async fn finish<S: Send + Sync + 'static>(
            scope: &Scope<S>,
            (): &(),
            outcome: Result<$response>,
        ) -> Result<Reply, RpcError> {
            if outcome.is_ok() {
                scope.client.set_logged_in($logged_in);
            }
            answer(outcome)
        }
    };
}

impl ServeOperation for op::Authenticate {
    type Admission<S: Send + Sync + 'static> = ();
    logs!(AuthenticateResponse, true);

    fn admit<S: Send + Sync + 'static>(
        scope: &Scope<S>,
        params: &Arc<AuthenticateRequest>,
    ) -> Result<(), RpcError> {
        scope.connection.check_auth_method(&params.method_id)
    }
}

impl ServeOperation for op::Logout {
    type Admission<S: Send + Sync + 'static> = ();
    logs!(LogoutResponse, false);

    fn admit<S: Send + Sync + 'static>(_: &Scope<S>, _: &Arc<LogoutRequest>) -> Result<(), RpcError> {
        Ok(())
    }
}
