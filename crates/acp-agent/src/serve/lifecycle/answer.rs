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

/// Implements operations that the library only reads and writes. The session that one names need
/// not be open.
#[cfg(feature = "unstable")]
macro_rules! passed_on {
    ($($marker:ident),* $(,)?) => {
        $(impl ServeOperation for op::$marker {
            type Admission<S: Send + Sync + 'static> = ();
            answered!(<Self as op::Op>::Response);

            fn admit<S: Send + Sync + 'static>(_: &Scope<S>, _: &Arc<Self::Params>) -> Result<(), RpcError> {
                Ok(())
            }
        })*
    };
}
#[cfg(feature = "unstable")]
pub(crate) use passed_on;
