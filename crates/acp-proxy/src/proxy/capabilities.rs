//! The capabilities in `initialize` that follow from what a proxy serves and refuses.

use super::builder::Handlers;
use crate::flow::route::Toward;
use crate::wire::member::{at, with, with_at};
use crate::wire::methods::methods;

/// Capabilities of version 1 that are true or false. All others are objects.
const FLAGS: [&str; 4] = ["loadSession", "readTextFile", "writeTextFile", "terminal"];

/// Returns the params of `initialize` as the rest of the chain gets them, unless nothing changes.
pub(super) fn asked(params: &str, handlers: &Handlers) -> Option<String> {
    let version = at(params, &["protocolVersion"]).and_then(|version| version.parse::<u64>().ok());
    let is_higher = version.is_some_and(|version| version > 1);
    let lowered = if handlers.only_v1 && is_higher { with(params, "protocolVersion", "1") } else { None };
    changed(lowered.as_deref().unwrap_or(params), handlers, Toward::Client).or(lowered)
}

/// Returns the result of `initialize` as the chain before the proxy gets it, unless nothing
/// changes.
pub(super) fn answered(result: &str, handlers: &Handlers) -> Option<String> {
    changed(result, handlers, Toward::Agent)
}

/// Adds the capabilities of requests that are served in this direction, and removes those of
/// requests that are refused.
fn changed(text: &str, handlers: &Handlers, toward: Toward) -> Option<String> {
    let table = methods(at(text, &["protocolVersion"]));
    let served = handlers.served().map(|(of, method)| (of, method, true));
    let refused = handlers.refused().map(|(of, method)| (of, method, false));
    let mut changed = None;
    for (of, method, is_served) in served.chain(refused) {
        let row = table.iter().find(|row| row.name == method);
        // The ways to log in are a list, not a capability.
        let is_capability = |path: &&str| of == toward && *path != "authMethods";
        let Some(path) = row.and_then(|row| row.capability).filter(is_capability) else { continue };
        let path: Vec<&str> = path.split('.').collect();
        let object = changed.as_deref().unwrap_or(text);
        let value = new_value(at(object, &path), is_served, &path);
        changed = value.and_then(|value| with_at(object, &path, value)).or(changed);
    }
    changed
}

/// Returns the value that a capability gets, if it has to change.
fn new_value(old: Option<&str>, is_served: bool, path: &[&str]) -> Option<&'static str> {
    let is_flag = path.last().is_some_and(|name| FLAGS.contains(name));
    match (is_served, old) {
        (true, None | Some("null" | "false")) if is_flag => Some("true"),
        (true, None | Some("null" | "false")) => Some("{}"),
        (false, Some("true")) => Some("false"),
        (false, Some(old)) if old != "false" && old != "null" => Some("null"),
        _ => None,
    }
}
