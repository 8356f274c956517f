//! The rules that a block must keep.

use quote::ToTokens as _;
use syn::{FnArg, GenericArgument, GenericParam, Lifetime, PathArguments, ReceiverKind, Type};

use crate::attr::Attributes;
use crate::classify::{Handler, Returns, Role};
use crate::command::is_text;
use crate::operation::{Operation, Side};
use crate::parse::{Block, Function};
use crate::report::Report;
use crate::suggest::nearest;
use crate::target::Target;

/// Reports every rule that the block or one of its handlers breaks.
pub(crate) fn check(
    block: &Block,
    attributes: &Attributes,
    handlers: &[Handler<'_>],
    target: &Target,
    report: &mut Report,
) {
    check_block(block, target, report);
    for handler in handlers {
        check_receiver(handler.function, target, report);
        check_signature(handler, target, report);
        check_returns(handler, target, report);
    }
    check_twice(block, handlers, report);
    if target.side == Side::Agent {
        check_pairs(block, attributes, handlers, report);
        check_mcp(attributes, handlers, report);
    }
    check_capabilities(handlers, target, report);
}

fn check_block(block: &Block, target: &Target, report: &mut Report) {
    if let Some(of_trait) = &block.of_trait {
        let attribute = target.attribute;
        report.error(
            of_trait,
            format_args!("`#[{attribute}]` stands on an inherent impl block, not on the impl of a trait"),
        );
    }
    for lifetime in lifetimes(block) {
        report.error(
            lifetime,
            format_args!(
                "{} cannot borrow, because tasks share it: own the state, or share it in an `Arc`",
                target.one
            ),
        );
    }
}

/// Returns the lifetimes of the block, with `'_` in its type.
pub(crate) fn lifetimes(block: &Block) -> Vec<&Lifetime> {
    let declared = block.generics.lifetimes().map(|parameter| &parameter.lifetime);
    let Type::Path(path) = &block.self_type else { return declared.collect() };
    let arguments = path.path.segments.iter().filter_map(|segment| match &segment.arguments {
        PathArguments::AngleBracketed(arguments) => Some(&arguments.args),
        _ => None,
    });
    let elided = arguments.flatten().filter_map(|argument| match argument {
        GenericArgument::Lifetime(lifetime) if lifetime.ident == "_" => Some(lifetime),
        _ => None,
    });
    declared.chain(elided).collect()
}

fn check_receiver(function: &Function, target: &Target, report: &mut Report) {
    let Some(FnArg::Receiver(receiver)) = function.signature.inputs.first() else {
        return report.error(
            &function.signature.ident,
            format_args!(
                "`{}` takes no `&self`: a handler is a method of the {}",
                function.name(),
                target.attribute
            ),
        );
    };
    match &receiver.kind {
        ReceiverKind::Reference(_, _, None) => {}
        ReceiverKind::Typed(_, ty) if is_arc_of_self(ty) => {}
        ReceiverKind::Reference(_, _, Some(_)) => report.error(
            receiver,
            "a handler takes `&self`: handlers run concurrently, so state that they change needs a lock",
        ),
        _ => report.error(
            receiver,
            format_args!(
                "a handler takes `&self`, or `self: Arc<Self>` to pass the {0} to a task: the {0} serves further calls",
                target.attribute
            ),
        ),
    }
}

/// Returns true if this is `Arc<Self>`.
pub(crate) fn is_arc_of_self(ty: &Type) -> bool {
    let Type::Path(path) = ty else { return false };
    path.path.segments.last().is_some_and(|last| {
        last.ident == "Arc" && last.arguments.to_token_stream().to_string().replace(' ', "") == "<Self>"
    })
}

fn check_signature(handler: &Handler<'_>, target: &Target, report: &mut Report) {
    let function = handler.function;
    let signature = &function.signature;
    if signature.asyncness.is_none() {
        report.error(
            signature.fn_token,
            format_args!("a handler is an `async fn`: `async fn {}`", function.name()),
        );
    }
    for parameter in &signature.generics.params {
        match parameter {
            GenericParam::Lifetime(_) => {
                report.error(parameter, "a handler has no lifetime parameters: it owns its arguments");
            }
            _ => report.error(parameter, "a handler has no generic parameters: put them on the `impl` block"),
        }
    }
    for attribute in &function.attributes {
        if attribute.path().is_ident("cfg") {
            report.error(
                attribute,
                format_args!(
                    "a handler cannot be conditional, because the {} advertises its handlers: \
                     put `#[cfg]` on two whole `impl` blocks",
                    target.attribute
                ),
            );
        }
    }
    for argument in &signature.inputs {
        let FnArg::Typed(argument) = argument else { continue };
        match &*argument.ty {
            Type::ImplTrait(_) => {
                report.error(
                    &argument.ty,
                    "name the argument's type: it selects the value that the handler gets",
                );
            }
            ty if is_text(ty) && matches!(handler.role, Role::Command(_)) => {}
            Type::Reference(_) => {
                report.error(&argument.ty, "a handler takes its arguments by value: leave out the `&`");
            }
            _ => {}
        }
    }
}

fn check_returns(handler: &Handler<'_>, target: &Target, report: &mut Report) {
    let name = handler.name();
    let own = matches!(handler.role, Role::Extension(_) | Role::Typed(_));
    match &handler.returns {
        Returns::Nothing if own || handler.is_notification() => {}
        Returns::Result { whole, .. } | Returns::Other(whole) if handler.is_notification() => report.error(
            whole,
            format_args!("`{name}` handles a notification, which has no answer: return nothing"),
        ),
        Returns::Result { .. } => {}
        Returns::Other(other) if own => report.error(
            other,
            format_args!(
                "`{name}` returns `Result<T>` to answer a request, or nothing to handle a notification"
            ),
        ),
        Returns::Other(other) => report.error(other, must_return(handler, target)),
        Returns::Nothing => report.error(name, must_return(handler, target)),
    }
}

fn must_return(handler: &Handler<'_>, target: &Target) -> String {
    let value = match handler.role {
        Role::Operation(row) => match row.name {
            "prompt" => "StopReason",
            "request_permission" => "PermissionAnswer",
            "read_text_file" => "String",
            "create_terminal" => "TerminalId",
            "new_session" | "load_session" | "resume_session" | "fork_session" => "Opened<T>",
            _ => "_",
        },
        Role::Hook(_) => "Vec<AuthMethod>",
        Role::Extension(_) | Role::Typed(_) => "T",
        Role::Command(_) => "StopReason",
    };
    format!(
        "`{}` returns a `Result<{value}>`, so that it can fail with an error for the {}",
        handler.name(),
        target.peer
    )
}

fn check_twice(block: &Block, handlers: &[Handler<'_>], report: &mut Report) {
    for function in block.duplicates() {
        report.error(function.name(), format_args!("`{}` has a handler already", function.name()));
    }
    for (index, handler) in handlers.iter().enumerate() {
        let (Some(method), Some(place)) = (method(handler), handler.function.methods.first()) else {
            continue;
        };
        let earlier = handlers.get(..index).unwrap_or_default();
        let later = handlers.get(index + 1..).unwrap_or_default();
        // Of an operation's function and an `#[on]`, the `#[on]` is the superfluous one.
        let named = later.iter().filter(|other| other.function.methods.is_empty());
        if earlier.iter().chain(named).any(|other| self::method(other).as_ref() == Some(&method)) {
            report.error(place, format_args!("`{method}` has a handler already"));
        }
    }
}

/// Returns the method of the handler, as far as the macro knows it.
fn method(handler: &Handler<'_>) -> Option<String> {
    match &handler.role {
        Role::Operation(operation) => Some(operation.method.to_owned()),
        Role::Hook(_) => None,
        Role::Extension(name) => Some(name.value()),
        Role::Command(command) => Some(format!("/{}", command.name.value())),
        Role::Typed(marker) => Some(marker.to_token_stream().to_string().replace(' ', "")),
    }
}

fn check_pairs(block: &Block, attributes: &Attributes, handlers: &[Handler<'_>], report: &mut Report) {
    let find = |name| handlers.iter().find(|handler| handler.is(name));
    let has_commands = handlers.iter().any(|handler| matches!(handler.role, Role::Command(_)));
    if find("prompt").is_none() && !has_commands && !has_misspelt_prompt(block) {
        report.error(
            &block.self_type,
            "an agent needs `async fn prompt(&self, turn: Turn) -> Result<StopReason>`",
        );
    }
    if let (Some(authenticate), None) = (find("authenticate"), find("auth_methods")) {
        report.error(
            authenticate.name(),
            "`authenticate` gets one of the ways to log in that `auth_methods` lists: \
             add `async fn auth_methods(&self) -> Result<Vec<AuthMethod>>`",
        );
    }
    if let (Some(required), None) = (&attributes.login_required, find("auth_methods")) {
        report.error(
            required,
            "`auth(required)` needs a way to log in: \
             add `async fn auth_methods(&self) -> Result<Vec<AuthMethod>>`",
        );
    }
    if let (Some(archive), None, None) = (find("archive_session"), find("list_sessions"), &attributes.store) {
        report.error(archive.name(), "`archive_session` hides sessions from the list: add `list_sessions`");
    }
}

/// An `Mcp` is there only if the library connects the MCP servers. A type of the user's that has
/// the name is written with its path.
fn check_mcp(attributes: &Attributes, handlers: &[Handler<'_>], report: &mut Report) {
    let is_mcp = |path: &syn::Path| {
        let names: Vec<_> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        matches!(names[..], ["Mcp"] | ["mcp" | "acp_agent", "Mcp"] | ["acp_agent", "mcp", "Mcp"])
    };
    for argument in handlers.iter().flat_map(|handler| &handler.arguments) {
        match &*argument.ty {
            Type::Path(ty) if !is_mcp(&ty.path) || attributes.servers.is_some() => {}
            Type::Path(ty) if cfg!(feature = "mcp") => report.error(
                ty,
                "`Mcp` is an argument if the library connects the MCP servers: write `#[agent(mcp)]`",
            ),
            Type::Path(ty) => {
                report.error(ty, "`Mcp` needs the feature `mcp` of `acp-agent`, and `#[agent(mcp)]`")
            }
            _ => {}
        }
    }
}

/// A capability of several operations is advertised when all of them are there, so all are
/// required.
fn check_capabilities(handlers: &[Handler<'_>], target: &Target, report: &mut Report) {
    for (index, handler) in handlers.iter().enumerate() {
        let Some(operation) = handler.operation() else { continue };
        let mut earlier = handlers.iter().take(index).filter_map(Handler::operation);
        if operation.capability.is_some() && earlier.any(|other| other.capability == operation.capability) {
            continue;
        }
        let has = |other: &Operation| handlers.iter().any(|handler| handler.is(other.name));
        let missing: Vec<_> = target
            .siblings(operation)
            .filter(|other| !has(other))
            .map(|other| format!("`{}`", other.name))
            .collect();
        if let (Some(capability), false) = (operation.capability, missing.is_empty()) {
            report.error(
                handler.name(),
                format_args!(
                    "`{}` shares the capability `{capability}` with other operations: add {}",
                    operation.name,
                    missing.join(", "),
                ),
            );
        }
    }
}

/// A misspelt `prompt` has an error of its own, which asks for this function.
fn has_misspelt_prompt(block: &Block) -> bool {
    block.functions().any(|function| nearest(&function.name().to_string(), ["prompt"]).is_some())
}
