//! The methods of the protocol, from the marks on the definitions and from the envelopes.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

use crate::codegen::defect::Defect;
use crate::codegen::ir::{Method, Side};
use crate::codegen::names;
use crate::codegen::overlay::Overlay;

use super::place::Place;

/// The part of a definition in its method.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Role {
    Request,
    Response,
    Notification,
}

/// Every method, in the order of names. What makes none goes to `defects`.
pub(super) fn collect(schema: &Json, overlay: &Overlay, defects: &mut Vec<Defect>) -> Vec<Method> {
    let roles = roles(schema);
    let mut methods: BTreeMap<(String, bool), Method> = BTreeMap::new();
    let mut responses: BTreeMap<String, String> = BTreeMap::new();
    for (name, definition) in schema.get("$defs").and_then(Json::as_object).into_iter().flatten() {
        let place = Place::definition(name, definition);
        let Some(method) = definition.get("x-method").and_then(Json::as_str) else { continue };
        let handler = match definition.get("x-side").and_then(Json::as_str) {
            Some("agent") => Side::Agent,
            Some("client") => Side::Client,
            Some("protocol" | "both") => Side::Both,
            Some("proxy") => Side::Proxy,
            side => {
                defects.push(place.defect(format!("nobody known handles this: x-side is {side:?}")));
                continue;
            }
        };
        let is_protocol = definition.get("x-side").is_some_and(|side| side == "protocol");
        let role = if is_protocol { Some(&Role::Notification) } else { roles.get(name.as_str()) };
        match role {
            None => defects.push(place.defect(
                "has a method, but no envelope carries it; in a schema without envelopes the name of the definition \
                 ends in Request, Response or Notification",
            )),
            Some(Role::Response) => {
                responses.insert(method.to_owned(), name.clone());
            }
            Some(role) => {
                let capability = overlay.text("capabilities", method).map(str::to_owned);
                let marker = names::marker(method);
                let entry = Method {
                    name: method.to_owned(),
                    marker,
                    handler,
                    params: name.clone(),
                    response: None,
                    capability,
                    unstable: false,
                };
                if methods.insert((method.to_owned(), *role == Role::Notification), entry).is_some() {
                    defects.push(place.defect(format!("a second definition for the params of {method}")));
                }
            }
        }
    }
    let requests: BTreeSet<String> = methods.keys().filter(|key| !key.1).map(|key| key.0.clone()).collect();
    methods.retain(|(method, notification), entry| {
        if *notification {
            if requests.contains(method) {
                // The request of this name has the marker of this name.
                entry.marker.push_str("Notify");
            }
            return true;
        }
        entry.response = responses.remove(method);
        if entry.response.is_none() {
            let place = Place::definition(&entry.params, schema);
            defects.push(place.defect(format!(
                "{method} is a request without a response; add a definition for its result with \
                 \"x-method\": \"{method}\""
            )));
        }
        entry.response.is_some()
    });
    for (method, name) in responses {
        let message = format!("a result of {method}, but no definition has the params of such a request");
        defects.push(Defect::of(&name, message));
    }
    methods.into_values().collect()
}

/// Which definitions are carried, and as what: the envelopes tell, or in a schema without any the
/// names of the definitions themselves.
fn roles(schema: &Json) -> BTreeMap<&str, Role> {
    let mut roles = BTreeMap::new();
    let definitions = || schema.get("$defs").and_then(Json::as_object).into_iter().flatten();
    let role_of = |name: &str| {
        let ends =
            [("Response", Role::Response), ("Notification", Role::Notification), ("Request", Role::Request)];
        ends.into_iter().find(|(end, _)| name.ends_with(end)).map(|(_, role)| role)
    };
    if definitions().all(|(_, definition)| definition.get("x-docs-ignore").is_none()) {
        return definitions().filter_map(|(name, _)| Some((name.as_str(), role_of(name)?))).collect();
    }
    for (name, envelope) in definitions().filter(|(_, it)| it.get("x-docs-ignore").is_some()) {
        let role = role_of(name).unwrap_or(Role::Request);
        let mut carried = BTreeSet::new();
        references(envelope, &mut carried);
        roles.extend(carried.into_iter().map(|name| (name, role)));
    }
    roles
}

fn references<'s>(node: &'s Json, out: &mut BTreeSet<&'s str>) {
    match node {
        Json::Object(members) => {
            if let Some(name) =
                node.get("$ref").and_then(Json::as_str).and_then(|path| path.strip_prefix("#/$defs/"))
            {
                out.insert(name);
            }
            members.values().for_each(|member| references(member, out));
        }
        Json::Array(items) => items.iter().for_each(|item| references(item, out)),
        _ => {}
    }
}
