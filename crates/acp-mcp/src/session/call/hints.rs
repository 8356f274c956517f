//! Results without `ttlMs` and `cacheScope`, which modern servers must send. Some do not, and that
//! is not treated as an error.

use rmcp::model::ServerResult;

use crate::session::state::entry::{Connection, Entry};
use crate::values::version::Era;

/// Warns of a result without these hints, once for each server and method.
pub(in crate::session) fn check(
    entry: &Entry,
    connection: &Connection,
    method: &'static str,
    result: &ServerResult,
) {
    if connection.info.era == Era::Legacy || has_hints(result) || !entry.first_without_hints(method) {
        return;
    }
    tracing::warn!(
        server = entry.name,
        method,
        "a result of an MCP server lacks `ttlMs` or `cacheScope`; it is treated as not cacheable"
    );
}

fn has_hints(result: &ServerResult) -> bool {
    let (time, scope) = match result {
        ServerResult::ListToolsResult(result) => (result.ttl_ms, &result.cache_scope),
        ServerResult::ListPromptsResult(result) => (result.ttl_ms, &result.cache_scope),
        ServerResult::ListResourcesResult(result) => (result.ttl_ms, &result.cache_scope),
        ServerResult::ListResourceTemplatesResult(result) => (result.ttl_ms, &result.cache_scope),
        ServerResult::ReadResourceResult(result) => (result.ttl_ms, &result.cache_scope),
        // Other results do not have them.
        _ => return true,
    };
    time.is_some() && scope.is_some()
}
