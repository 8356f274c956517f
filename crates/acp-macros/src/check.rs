//! The rules that a block must keep.

use syn::{FnArg, GenericParam, ReceiverKind, Type};

use crate::classify::{Handler, Returns, Role};
use crate::parse::{Block, Function};
use crate::report::Report;
use crate::suggest::nearest;

/// Reports every rule that the block or one of its handlers breaks.
pub(crate) fn check(block: &Block, handlers: &[Handler<'_>], report: &mut Report) {
    check_block(block, report);
    for handler in handlers {
        check_receiver(handler.function, report);
        check_signature(handler.function, report);
        check_returns(handler, report);
    }
    check_twice(block, handlers, report);
    check_pairs(block, handlers, report);
}

fn check_block(block: &Block, report: &mut Report) {
    if let Some(of_trait) = &block.of_trait {
        report.error(of_trait, "`#[agent]` stands on an inherent impl block, not on the impl of a trait");
    }
    for parameter in &block.generics.params {
        if let GenericParam::Lifetime(lifetime) = parameter {
            report.error(
                lifetime,
                "an agent outlives every borrow: it is shared between tasks, so it owns its state (`Arc` shares it)",
            );
        }
    }
}

fn check_receiver(function: &Function, report: &mut Report) {
    let Some(FnArg::Receiver(receiver)) = function.signature.inputs.first() else {
        return report.error(
            &function.signature.ident,
            format_args!("`{}` takes no `&self`: a handler is a method of the agent", function.name()),
        );
    };
    match &receiver.kind {
        ReceiverKind::Reference(_, _, None) => {}
        ReceiverKind::Reference(_, _, Some(_)) => report.error(
            receiver,
            "a handler takes `&self`: handlers run beside each other, so what they change needs a lock of its own",
        ),
        _ => report.error(receiver, "a handler takes `&self`: the agent serves more than one call"),
    }
}

fn check_signature(function: &Function, report: &mut Report) {
    let signature = &function.signature;
    if signature.asyncness.is_none() {
        report.error(
            signature.fn_token,
            format_args!("a handler is an `async fn`: `async fn {}`", function.name()),
        );
    }
    if !signature.generics.params.is_empty() {
        report
            .error(&signature.generics, "a handler has no generic parameters: put them on the `impl` block");
    }
    for attribute in &function.attributes {
        if attribute.path().is_ident("cfg") {
            report.error(
                attribute,
                "a handler cannot be conditional, because the agent advertises what it has: \
                 put `#[cfg]` on two whole `impl` blocks",
            );
        }
    }
    for argument in &signature.inputs {
        if let FnArg::Typed(argument) = argument
            && let Type::ImplTrait(_) = &*argument.ty
        {
            report.error(&argument.ty, "name the argument's type: it decides what the handler is given");
        }
    }
}

fn check_returns(handler: &Handler<'_>, report: &mut Report) {
    let name = handler.name();
    match (&handler.role, &handler.returns) {
        (_, Returns::Result { .. }) | (Role::Extension(_), Returns::Nothing) => {}
        (Role::Extension(_), Returns::Other(other)) => report.error(
            other,
            format_args!(
                "`{name}` returns `Result<T>` to answer a request, or nothing to take a notification"
            ),
        ),
        (_, Returns::Other(other)) => report.error(other, must_return(handler)),
        (_, Returns::Nothing) => report.error(name, must_return(handler)),
    }
}

fn must_return(handler: &Handler<'_>) -> String {
    let value = match handler.role {
        Role::Operation(row) => match row.name {
            "prompt" => "StopReason",
            "new_session" | "load_session" | "resume_session" => "Opened<T>",
            _ => "_",
        },
        Role::Hook(_) => "Vec<AuthMethod>",
        Role::Extension(_) => "T",
    };
    format!(
        "`{}` returns a `Result<{value}>`, so that it can fail with an error for the client",
        handler.name()
    )
}

fn check_twice(block: &Block, handlers: &[Handler<'_>], report: &mut Report) {
    for function in block.duplicates() {
        report.error(function.name(), format_args!("`{}` has a handler already", function.name()));
    }
    for (index, handler) in handlers.iter().enumerate() {
        let Role::Extension(name) = &handler.role else { continue };
        let earlier = handlers.get(..index).unwrap_or_default();
        if earlier.iter().any(|other| matches!(&other.role, Role::Extension(text) if text == name)) {
            report.error(name, format_args!("`{}` has a handler already", name.value()));
        }
    }
}

fn check_pairs(block: &Block, handlers: &[Handler<'_>], report: &mut Report) {
    let find = |name| handlers.iter().find(|handler| handler.is(name));
    if find("prompt").is_none() && !has_misspelt_prompt(block) {
        report.error(
            &block.self_type,
            "an agent needs `async fn prompt(&self, turn: Turn) -> Result<StopReason>`",
        );
    }
    if let (Some(authenticate), None) = (find("authenticate"), find("auth_methods")) {
        report.error(
            authenticate.name(),
            "`authenticate` is called with one of the methods that the agent advertises: \
             add `async fn auth_methods(&self) -> Result<Vec<AuthMethod>>`",
        );
    }
}

/// A misspelt `prompt` has an error of its own, which asks for the same function.
fn has_misspelt_prompt(block: &Block) -> bool {
    block.functions().any(|function| nearest(&function.name().to_string(), ["prompt"]).is_some())
}
