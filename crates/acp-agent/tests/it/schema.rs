//! The canonical schema's opinion of values. The tests of acp-client use this file, too.

#![allow(dead_code, reason = "each side uses a part of it")]

use std::sync::LazyLock;

use acp_types::method::Side;
use testkit::{CanonicalSchema, LineCheck, ScriptedPeer};

/// The schemas of version 1 and of version 2.
static SCHEMAS: [LazyLock<CanonicalSchema>; 2] = [LazyLock::new(|| load("v1")), LazyLock::new(|| load("v2"))];

fn load(version: &str) -> CanonicalSchema {
    CanonicalSchema::load_as(version, cfg!(feature = "unstable")).unwrap()
}

fn of(version: u64) -> &'static CanonicalSchema {
    &SCHEMAS[usize::from(version == 2)]
}

/// Checks each line of our side, which is at the other end of the peer.
pub(crate) fn watch(peer: &mut ScriptedPeer, ours: Side) {
    let mut check = LineCheck::of(ours, cfg!(feature = "unstable")).unwrap();
    peer.watch(move |line| check.line(line));
}

/// Checks a value against a definition of a version.
pub(crate) fn validate(version: u64, definition: &str, value: &serde_json::Value) {
    if let Err(problem) = of(version).check(definition, value) {
        panic!("not as version {version} has it: {problem}: {value}");
    }
}

/// Returns the lists of values that are closed in the first version and open, or not there, in the
/// second.
pub(crate) fn closed_only_in(first: u64, second: u64) -> Vec<String> {
    let is_closed = |version: u64, name: &str| {
        let definition = of(version).definitions().get(name);
        let options = definition.and_then(|definition| definition["oneOf"].as_array());
        let options = options.filter(|options| !options.is_empty());
        options.is_some_and(|options| options.iter().all(|option| option["const"].is_string()))
    };
    let names = of(first).definitions().keys();
    let differs = |name: &&String| is_closed(first, name) && !is_closed(second, name);
    let mut lists: Vec<_> = names.filter(differs).cloned().collect();
    lists.sort();
    lists
}
