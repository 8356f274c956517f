use crate::{Context, RpcError};

/// What comes of it, or -32800 when the agent withdraws the request first.
pub(crate) async fn unless_withdrawn<T>(
    context: &Context,
    what: impl Future<Output = T>,
) -> Result<T, RpcError> {
    tokio::select! {
        biased;
        value = what => Ok(value),
        () = context.cancelled() => Err(RpcError::cancelled()),
    }
}
