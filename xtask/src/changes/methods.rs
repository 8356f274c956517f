//! The methods that came, went and changed.

use super::change::{Api, Category, Change, Changes, Stability, Verb, Wire};
use crate::codegen::ir::{Method, Side};

pub(super) fn compared(old: &[Method], new: &[Method], unread: &[&str]) -> Vec<Change> {
    let same = |one: &Method, other: &Method| {
        one.name == other.name && one.response.is_some() == other.response.is_some()
    };
    let is_read = |method: &&Method| !unread.contains(&method.params.as_str());
    let gone: Vec<&Method> =
        old.iter().filter(is_read).filter(|method| !new.iter().any(|other| same(method, other))).collect();
    let came: Vec<&Method> =
        new.iter().filter(is_read).filter(|method| !old.iter().any(|other| same(method, other))).collect();
    let alike = |one: &Method, other: &Method| {
        (one.handler, &one.params, &one.response) == (other.handler, &other.params, &other.response)
    };
    let mut changes = Vec::new();
    for method in &came {
        let mut found = Changes::new(Stability::of(method.unstable));
        match gone.iter().find(|other| alike(other, method)) {
            Some(was) => found.push(
                (Category::Method, Verb::Renamed),
                &method.name,
                format!("was `{}`", was.name),
                (Wire::Breaking, Api::Major),
            ),
            None => found.push(
                (Category::Method, Verb::Added),
                &method.name,
                signature(method),
                (Wire::Compatible, Api::Minor),
            ),
        }
        changes.extend(found.found);
    }
    for method in gone.iter().filter(|method| !came.iter().any(|other| alike(method, other))) {
        let mut found = Changes::new(Stability::of(method.unstable));
        let judged = (Wire::Breaking, Api::Major);
        found.push((Category::Method, Verb::Removed), &method.name, signature(method), judged);
        changes.extend(found.found);
    }
    for method in new {
        if let Some(other) = old.iter().find(|other| same(other, method)) {
            changes.extend(changed_method(other, method));
        }
    }
    changes
}

fn changed_method(old: &Method, new: &Method) -> Vec<Change> {
    let mut changes = Changes::new(Stability::of(old.unstable && new.unstable));
    changes.moved(Category::Method, &new.name, old.unstable, new.unstable);
    if (old.handler, &old.params, &old.response) != (new.handler, &new.params, &new.response) {
        let detail = format!("{}, was {}", signature(new), signature(old));
        let judged = (Wire::Breaking, Api::Major);
        changes.push((Category::Method, Verb::Changed), &new.name, detail, judged);
    }
    if old.marker != new.marker {
        let detail = format!("the marker is `{}`, was `{}`", new.marker, old.marker);
        let judged = (Wire::Compatible, Api::Major);
        changes.push((Category::Method, Verb::Changed), &new.name, detail, judged);
    }
    if old.capability != new.capability {
        let named = |capability: &Option<String>| {
            capability.as_ref().map_or_else(|| "no capability".to_owned(), |path| format!("`{path}`"))
        };
        let detail = format!("needs {}, was {}", named(&new.capability), named(&old.capability));
        let judged = (Wire::compatible_if(new.capability.is_none()), Api::Patch);
        changes.push((Category::Method, Verb::Changed), &new.name, detail, judged);
    }
    changes.found
}

fn signature(method: &Method) -> String {
    let handler = match method.handler {
        Side::Agent => "the agent",
        Side::Client => "the client",
        Side::Both => "both sides",
        Side::Proxy => "a proxy",
    };
    match &method.response {
        Some(response) => format!("request to {handler}, `{}` to `{response}`", method.params),
        None => format!("notification to {handler}, `{}`", method.params),
    }
}
