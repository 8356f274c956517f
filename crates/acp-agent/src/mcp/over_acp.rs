//! Servers that the client provides. Their requests and notifications travel over the client's
//! connection.

use acp_json::Node;
use acp_mcp::{AcpCallError, AcpCaller, AcpLink, Answering};
use acp_rpc::{CallError, Delivery, LaneKey, Options};
use acp_types::v1::{McpRequestId, MessageMcpNotification, MessageMcpRequest};

use crate::client::Client;
use crate::op::{McpMessage, Op as _};
use crate::wire::Wire;

/// Returns how many bytes of the servers' notifications may wait. Past the connection's budget the
/// reader pauses, and the client with it, unless somebody waits for the client. Then reading goes
/// on, and the request of the server that floods fails alone, before the connection's ceiling fails
/// everybody who waits.
pub(super) const fn most_waiting(options: &Options) -> usize {
    let Options { incoming_budget: budget, incoming_ceiling: ceiling, .. } = *options;
    budget.saturating_add(ceiling.saturating_sub(budget) / 2)
}

/// Returns the link over this connection.
pub(super) fn link(client: &Client, most_waiting: usize) -> AcpLink {
    AcpLink::with_most_waiting(Caller(client.clone()), most_waiting)
}

/// Returns whether the notification with these params is about a request of a link.
pub(super) fn is_about_ours(wire: &Wire, params: &Node<'_>) -> bool {
    wire.request_of_mcp(params).is_some_and(AcpLink::has_sent)
}

/// Delivers a notification of a server, after those before it.
pub(super) fn deliver(link: &AcpLink, wire: &Wire, params: Node<'_>) -> Delivery {
    let notification = wire.read::<MessageMcpNotification>(McpMessage::METHOD, params);
    let Ok(notification) = notification else { return Delivery::Ignore };
    let lane = lane(&notification.request_id);
    Delivery::Lane { lane, job: link.notified(notification) }
}

/// Returns the lane of a request's notifications. Its answer comes behind them.
fn lane(request: &McpRequestId) -> LaneKey {
    format!("mcp {request}").into()
}

struct Caller(Client);

impl AcpCaller for Caller {
    fn message(&self, request: MessageMcpRequest) -> Answering {
        let client = self.0.clone();
        Box::pin(async move {
            let lane = lane(&request.request_id);
            // Requests of MCP have time limits of their own.
            let peer = client.peer().timeout(None);
            let answer = client.wire().ask_in_lane(&peer, lane, &request).await;
            answer.map_err(|error| match error {
                CallError::Remote(error) => {
                    AcpCallError::Refused { code: error.code, message: error.message.into_owned() }
                }
                error @ CallError::Closed(_) => AcpCallError::Closed { problem: error.to_string() },
                error => AcpCallError::Failed { problem: error.to_string() },
            })
        })
    }
}
