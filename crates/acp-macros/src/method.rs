//! `#[ext(…)]` and `#[on(…)]`: the method that a function is for.

use quote::ToTokens;
use syn::{Attribute, LitStr, Path};

use crate::classify::{Role, enabled};
use crate::operation::{Method, Operation, Side};
use crate::parse::Function;
use crate::report::Report;
use crate::suggest::nearest_method;

/// The name in `#[ext("_vendor/name")]`.
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

/// What `#[on("session/fork")]`, `#[on(methods::SessionFork)]` or a marker of one's own stands for.
pub(crate) fn protocol_method(attribute: &Attribute, report: &mut Report) -> Option<Role> {
    if let Ok(name) = attribute.parse_args::<LitStr>() {
        return named(&name.value(), &name, report);
    }
    let Ok(marker) = attribute.parse_args_with(Path::parse_mod_style) else {
        report.error(
            attribute,
            "`#[on]` takes a method: by its name, `#[on(\"session/fork\")]`, or by its marker, \
             `#[on(methods::SessionFork)]`",
        );
        return None;
    };
    let last = marker.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
    match Method::of_marker(&last) {
        Some(method) if matches!(method.side, Side::Client | Side::Proxy) => {
            report.error(&marker, other_side(method));
            None
        }
        Some(method) => named(method.name, &marker, report),
        None => Some(Role::Typed(marker)),
    }
}

/// The marker in `#[on(methods::SessionFork)]`.
pub(crate) fn marker(function: &Function) -> Option<Path> {
    let attribute = function.methods.first().filter(|attribute| attribute.path().is_ident("on"))?;
    attribute.parse_args_with(Path::parse_mod_style).ok()
}

fn named(name: &str, place: &impl ToTokens, report: &mut Report) -> Option<Role> {
    if let Some(operation) = Operation::of_method(name) {
        return enabled(operation, place, report);
    }
    let message = match Method::named(name).next() {
        Some(method) if method.side == Side::Agent || method.side == Side::Both => served(name),
        Some(method) => other_side(method),
        None => unknown(name),
    };
    report.error(place, message);
    None
}

/// Methods without a handler of their own.
fn served(name: &str) -> String {
    let instead = match name {
        "initialize" => "`auth_methods` is called during it",
        _ => "`Cancel`, `Turn` and what they await notice it",
    };
    format!("`{name}` is dealt with by the library: {instead}")
}

fn other_side(method: &Method) -> String {
    let name = method.name;
    match method.side {
        Side::Proxy => format!("`{name}` is for proxies, not for agents"),
        Side::Agent | Side::Client | Side::Both => {
            format!("`{name}` is handled by the client: an agent sends it")
        }
    }
}

fn unknown(name: &str) -> String {
    if name.starts_with('_') {
        return format!("`{name}` is no method of the protocol: use `#[ext(\"{name}\")]`");
    }
    match nearest_method(name, Operation::enabled().map(|row| row.method)) {
        Some(meant) => format!("the protocol has no method `{name}`: did you mean `{meant}`?"),
        None => {
            let stable = Operation::enabled().filter(|row| !row.unstable);
            let methods: Vec<_> = stable.map(|row| format!("`{}`", row.method)).collect();
            format!(
                "the protocol has no method `{name}`\n\
                 methods of an agent: {}\n\
                 a method of one's own starts with `_` and takes `#[ext]`",
                methods.join(", ")
            )
        }
    }
}
