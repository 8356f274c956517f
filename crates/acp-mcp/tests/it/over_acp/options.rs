//! Options of servers over ACP at their extremes.

use std::sync::OnceLock;

use acp_mcp::{AcpLink, CallOptions, McpProvider};
use serde_json::json;

use super::scene::{Connection, connect, connection, status};
use crate::support::real::Real;

#[tokio::test]
async fn sizes_over_acp_at_their_extremes() {
    let server = || Real::new("modern");
    let told = "failed: the server cannot be reached: `mcp/message` was refused: too many requests";
    // "McpProvider::most_requests"
    for (most, outcome) in [(0, told), (1, "modern 2026-07-28"), (usize::MAX, "modern 2026-07-28")] {
        let provider = McpProvider::new().most_requests(most);
        let entry = provider.add("notes", server());
        let session = connect(connection(&provider).0, entry).await;
        assert!(status(&session).starts_with(outcome), "most_requests({most}): {}", status(&session));
    }
    // "AcpLink::with_most_waiting"
    for most in [0, 1, usize::MAX] {
        let provider = McpProvider::new();
        let entry = provider.add("notes", server());
        let (_, connection) = connection(&provider);
        let connection = Connection { link: std::sync::Arc::new(OnceLock::new()), ..connection };
        let link = AcpLink::with_most_waiting(connection.clone(), most);
        assert!(connection.link.set(link.clone()).is_ok());
        let session = connect(link, entry).await;
        session.tools().await;
        let (told, mut reports) = tokio::sync::mpsc::unbounded_channel();
        let options = CallOptions::new().on_progress(move |progress| told.send(progress).unwrap());
        let outcome = session.call_tool("notes__count", json!({}), options).await.unwrap();
        assert_eq!(outcome.text(), "3", "with_most_waiting({most})");
        assert!(reports.try_recv().is_ok(), "with_most_waiting({most})");
    }
}
