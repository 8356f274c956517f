//! Operations whose reply is what the handler returned.

use acp_rpc::{Error as RpcError, Reply};
use serde_core::Serialize;

use crate::error::{Error, Result};

/// Makes the reply of the handler's result.
pub(crate) fn answer<R: Serialize + Send + 'static>(outcome: Result<R>) -> Result<Reply, RpcError> {
    outcome.map(Reply::new).map_err(Error::into_rpc)
}

/// Implements an operation whose reply is what the handler returned.
macro_rules! answered {
    ($response:ty) => {
        type Answer<S: Send + Sync + 'static> = $response;

        async fn finish<S: Send + Sync + 'static>(
            _: &Scope<S>,
            _: &Self::Admission<S>,
            outcome: Result<$response>,
        ) -> Result<Reply, RpcError> {
            answer(outcome)
        }
    };
}
pub(crate) use answered;
