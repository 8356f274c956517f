//! The method tables: they list every method of a version, and agree with the markers.

mod v1;
#[cfg(feature = "v2")]
mod v2;

use std::any::type_name;
use std::collections::BTreeSet;

use acp_types::method::{Kind, Method, MethodInfo, Notification, Request, Side};

/// A method as the protocol has it: name, kind, and the side that handles it.
type Row = (&'static str, Kind, Side);

/// Checks that a table has these methods, in the order of their names. Methods of the unstable
/// schema count with the feature `unstable`.
fn check_table(table: &[MethodInfo], stable: &[Row], unstable: &[Row]) {
    let rows: Vec<Row> = table.iter().map(|info| (info.name, info.kind, info.handler)).collect();
    let more = if cfg!(feature = "unstable") { unstable } else { &[] };
    let mut expected = [stable, more].concat();
    // Where a name is both a request and a notification, the request comes first.
    expected.sort_by_key(|(name, kind, _)| (*name, *kind == Kind::Notification));
    assert_eq!(rows, expected);
}

/// Checks that exactly these methods of a table need no capability.
fn check_ungated(table: &[MethodInfo], expected: &[&str]) {
    let ungated: BTreeSet<&str> =
        table.iter().filter(|info| info.capability.is_none()).map(|info| info.name).collect();
    let listed = table.iter().map(|info| info.name).filter(|name| expected.contains(name)).collect();
    assert_eq!(ungated, listed);
}

fn distinct_names(table: &[MethodInfo]) -> usize {
    table.iter().map(|info| info.name).collect::<BTreeSet<_>>().len()
}

/// The facts of a marker, checked against its row.
type Marker = fn(&'static [MethodInfo]) -> &'static MethodInfo;

fn check_markers(table: &'static [MethodInfo], markers: &[Marker]) {
    let key = |info: &MethodInfo| (info.name, info.kind == Kind::Notification);
    let mut marked: Vec<_> = markers.iter().map(|marker| key(marker(table))).collect();
    marked.sort_unstable();
    let listed: Vec<_> = table.iter().map(key).collect();
    assert_eq!(marked, listed);
}

fn request<M: Request>(table: &'static [MethodInfo]) -> &'static MethodInfo {
    let info = info::<M>(table, Kind::Request);
    assert_eq!(info.response, type_name::<M::Response>().rsplit("::").next(), "{}", M::NAME);
    info
}

fn notification<M: Notification>(table: &'static [MethodInfo]) -> &'static MethodInfo {
    let info = info::<M>(table, Kind::Notification);
    assert_eq!(info.response, None, "{}", M::NAME);
    info
}

fn info<M: Method>(table: &'static [MethodInfo], kind: Kind) -> &'static MethodInfo {
    let mut rows = table.iter().filter(|info| (info.name, info.kind) == (M::NAME, kind));
    let info = rows.next().expect("a marker has a row");
    assert_eq!(info.handler, M::HANDLER, "{}", M::NAME);
    assert_eq!(Some(info.params), type_name::<M::Params>().rsplit("::").next(), "{}", M::NAME);
    info
}
