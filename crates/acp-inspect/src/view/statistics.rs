//! Counts and latencies by method.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::store::Store;
use crate::store::entry::{Kind, Marks};

#[derive(Default)]
struct Line {
    count: u64,
    errors: u64,
    latencies: Vec<u64>,
}

/// Returns a line for each method and direction. Latencies are exact, in microseconds.
pub(crate) fn statistics(store: &Store) -> Value {
    let state = store.lock();
    let mut lines: BTreeMap<(u16, bool), Line> = BTreeMap::new();
    for entry in state.entries.iter().filter(|entry| state.is_in_front(entry)) {
        let is_of_client = state.is_of_client(entry);
        match entry.kind {
            Kind::Request | Kind::Notification => {
                lines.entry((entry.method, is_of_client)).or_default().count += 1;
            }
            Kind::Response => {
                let Some(asked) = state.entry(u64::from(entry.pair)) else { continue };
                let line = lines.entry((entry.method, !is_of_client)).or_default();
                line.errors += u64::from(entry.marks.has(Marks::ERROR));
                line.latencies.push(entry.micros.saturating_sub(asked.micros));
            }
            Kind::Other => {}
        }
    }
    let methods = lines.into_iter().map(|((method, is_of_client), mut line)| {
        line.latencies.sort_unstable();
        let direction = if is_of_client { "client → agent" } else { "agent → client" };
        json!({
            "method": state.methods.name(method),
            "direction": direction,
            "count": line.count,
            "errors": line.errors,
            "p50": percentile(&line.latencies, 50),
            "p99": percentile(&line.latencies, 99),
        })
    });
    json!({"methods": methods.collect::<Vec<_>>()})
}

/// Returns a percentile by the nearest rank, or `None` if nothing was answered.
fn percentile(sorted: &[u64], percent: usize) -> Option<u64> {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.checked_sub(1)?).copied()
}
