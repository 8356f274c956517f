//! Requests to cancel a part of a session: a tool call, a terminal.

use std::sync::Arc;

use acp_json::Node;
use acp_rpc::{Error as RpcError, Task};

use crate::error::Shown;
use crate::session::connection::Connection;
use crate::wire::Wire;

/// Serves such a request. Returns `None` for another one.
///
/// The work is looked up here, on the reader: it is that of the moment when the request came. It is
/// cancelled behind the answer, so its end is told after that.
pub(crate) fn cancel<S: Send + Sync + 'static>(
    connection: &Arc<Connection<S>>,
    wire: &Wire,
    method: &str,
    params: &Node<'_>,
) -> Option<Result<Task, RpcError>> {
    let cancelled = wire.cancelled_entity(method, params)?.and_then(|(id, entity)| {
        let session = connection.sessions.find(&id)?;
        if let Some(token) = session.updates().wire().offered(&entity) {
            return Ok(wire.cancelling_entity().after(move |_| token.cancel()));
        }
        // Rules `v2-tcc-03`, `v2-err-05`.
        Err(RpcError::invalid_params(format!(
            "`{method}`: session `{}` has no such work that can be cancelled now",
            Shown(&id)
        )))
    });
    Some(cancelled.map(|reply| -> Task { Box::pin(async { Ok(reply) }) }))
}
