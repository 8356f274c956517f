//! Logging in and out.

use std::sync::Arc;

use acp_handlers::{Admit, ServeRequest};
use acp_rpc::{Error as RpcError, Reply};
use acp_types::v1::{AuthenticateRequest, AuthenticateResponse, LogoutResponse};

use crate::error::Result;
use crate::handler::scope::{Call, Scope};
use crate::op;

impl<S: Send + Sync + 'static> Admit<op::Authenticate> for Scope<S> {
    type Admission = ();

    fn admit(&self, params: &Arc<AuthenticateRequest>) -> Result<(), RpcError> {
        self.connection.check_auth_method(&params.method_id)
    }
}

/// Serves an operation that changes whether the client is logged in.
macro_rules! logs {
    ($marker:ident, $response:ty, $logged_in:literal) => {
        impl<S: Send + Sync + 'static> ServeRequest<op::$marker> for Scope<S> {
            type Answer = $response;

            async fn finish(
                call: &Call<op::$marker, S>,
                outcome: Result<$response>,
            ) -> Result<Reply, RpcError> {
                if outcome.is_ok() {
                    call.context().client.set_logged_in($logged_in);
                }
                call.context().answer(outcome)
            }
        }
    };
}

logs!(Authenticate, AuthenticateResponse, true);
logs!(Logout, LogoutResponse, false);
