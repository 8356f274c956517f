//! `#[ext(…)]` and `#[on(…)]`: the method that a function handles.

use quote::ToTokens;
use syn::{Attribute, LitStr, Path};

use crate::classify::{Role, enabled};
use crate::operation::{Method, Side};
use crate::parse::Function;
use crate::report::Report;
use crate::suggest::nearest_method;
use crate::target::Target;

/// Reads the name in `#[ext("_vendor/name")]`.
pub(crate) fn extension(attribute: &Attribute, report: &mut Report) -> Option<LitStr> {
    let Ok(name) = attribute.parse_args::<LitStr>() else {
        report.error(attribute, "`#[ext]` takes the method's name: `#[ext(\"_vendor/name\")]`");
        return None;
    };
    if !name.value().starts_with('_') {
        report.error(
            &name,
            "the name of an extension method starts with `_`: all others belong to the protocol",
        );
    }
    Some(name)
}

/// Finds the method of `#[on("session/fork")]`, `#[on(methods::SessionFork)]` or an extension's
/// marker.
pub(crate) fn protocol_method(attribute: &Attribute, target: &Target, report: &mut Report) -> Option<Role> {
    if let Ok(name) = attribute.parse_args::<LitStr>() {
        return named(&name.value(), &name, target, report);
    }
    let Ok(marker) = attribute.parse_args_with(Path::parse_mod_style) else {
        let (method, marker) = target.method;
        report.error(
            attribute,
            format_args!(
                "`#[on]` takes a method: by its name, `#[on(\"{method}\")]`, or by its marker, \
                 `#[on(methods::{marker})]`"
            ),
        );
        return None;
    };
    let last = marker.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
    match Method::of_marker(&last) {
        Some(method) if method.side != target.side && method.side != Side::Both => {
            report.error(&marker, other_side(method, target));
            None
        }
        Some(method) => named(method.name, &marker, target, report),
        None => Some(Role::Typed(marker)),
    }
}

/// Returns the marker in `#[on(methods::SessionFork)]`.
pub(crate) fn marker(function: &Function) -> Option<Path> {
    let attribute = function.methods.first().filter(|attribute| attribute.path().is_ident("on"))?;
    attribute.parse_args_with(Path::parse_mod_style).ok()
}

fn named(name: &str, place: &impl ToTokens, target: &Target, report: &mut Report) -> Option<Role> {
    if let Some(operation) = target.of_method(name) {
        return enabled(operation, place, target, report);
    }
    let served = target.served.iter().find(|(method, _)| *method == name);
    let message = match (served, Method::named(name).next()) {
        (Some((method, instead)), _) => served_itself(method, instead),
        (None, Some(method)) => other_side(method, target),
        (None, None) => unknown(name, target),
    };
    report.error(place, message);
    None
}

/// Returns the message about a method that has no handler of its own.
pub(crate) fn served_itself(method: &str, instead: &str) -> String {
    format!("the library answers `{method}` itself: {instead}")
}

fn other_side(method: &Method, target: &Target) -> String {
    let name = method.name;
    let Target { attribute, one, peer, .. } = target;
    match method.side {
        Side::Proxy => format!("`{name}` is for proxies, not for {attribute}s"),
        Side::Agent | Side::Client | Side::Both => {
            format!("the {peer} handles `{name}`: {one} sends it")
        }
    }
}

fn unknown(name: &str, target: &Target) -> String {
    if name.starts_with('_') {
        return format!("`{name}` is not a method of the protocol: use `#[ext(\"{name}\")]`");
    }
    match nearest_method(name, target.enabled().map(|row| row.method)) {
        Some(meant) => format!("the protocol has no method `{name}`: did you mean `{meant}`?"),
        None => {
            let stable = target.enabled().filter(|row| !row.unstable);
            let methods: Vec<_> = stable.map(|row| format!("`{}`", row.method)).collect();
            format!(
                "the protocol has no method `{name}`\n\
                 methods of {}: {}\n\
                 an extension method starts with `_`, and its handler has `#[ext]`",
                target.one,
                methods.join(", ")
            )
        }
    }
}
