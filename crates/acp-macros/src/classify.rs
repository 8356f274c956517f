//! The role of each function of the block.

use syn::{FnArg, GenericArgument, Ident, LitStr, PatType, Path, PathArguments, ReturnType, Type};

use crate::command::{Command, command};
use crate::method::{extension, protocol_method, served_itself};
use crate::operation::{Hook, Operation};
use crate::parse::{Block, Function, Member};
use crate::report::Report;
use crate::suggest::nearest;
use crate::target::Target;

/// A function that the macro will call.
#[derive(Debug)]
pub(crate) struct Handler<'a> {
    pub(crate) role: Role,
    pub(crate) function: &'a Function,
    /// The arguments after `self`.
    pub(crate) arguments: Vec<&'a PatType>,
    pub(crate) returns: Returns<'a>,
}

/// The occasion on which a function is called.
#[derive(Debug)]
pub(crate) enum Role {
    /// A method of the protocol.
    Operation(&'static Operation),
    /// A question of the library.
    Hook(&'static Hook),
    /// An extension method: a request, or a notification when the function returns nothing.
    Extension(LitStr),
    /// An extension method, given by a marker that has its types.
    Typed(Path),
    /// A slash command.
    Command(Command),
}

/// The result type of a function.
#[derive(Debug)]
pub(crate) enum Returns<'a> {
    Nothing,
    /// `Result<value, error>`; either may be hidden behind an alias.
    Result {
        whole: &'a Type,
        value: Option<&'a Type>,
        error: Option<&'a Type>,
    },
    Other(&'a Type),
}

impl Handler<'_> {
    pub(crate) fn name(&self) -> &Ident {
        self.function.name()
    }

    /// Returns true for a notification.
    pub(crate) const fn is_notification(&self) -> bool {
        match self.role {
            Role::Operation(operation) => operation.notification,
            Role::Hook(_) | Role::Command(_) => false,
            Role::Extension(_) | Role::Typed(_) => matches!(self.returns, Returns::Nothing),
        }
    }

    /// Returns the operation, if the role is one.
    pub(crate) const fn operation(&self) -> Option<&'static Operation> {
        match self.role {
            Role::Operation(operation) => Some(operation),
            Role::Hook(_) | Role::Extension(_) | Role::Typed(_) | Role::Command(_) => None,
        }
    }

    /// Returns true if the role is the operation or the hook of this name.
    pub(crate) fn is(&self, name: &str) -> bool {
        match self.role {
            Role::Operation(operation) => operation.name == name,
            Role::Hook(hook) => hook.name == name,
            Role::Extension(_) | Role::Typed(_) | Role::Command(_) => false,
        }
    }
}

/// Finds the role of every function, and reports functions without one.
pub(crate) fn handlers<'a>(block: &'a Block, target: &Target, report: &mut Report) -> Vec<Handler<'a>> {
    let mut handlers = Vec::new();
    for member in &block.members {
        match member {
            Member::Function(function) => handlers.extend(handler(function, target, report)),
            Member::Other(tokens) => report.error(
                tokens,
                format_args!("only handlers stand in {}: move this to another `impl` block", target.block),
            ),
        }
    }
    handlers
}

fn handler<'a>(function: &'a Function, target: &Target, report: &mut Report) -> Option<Handler<'a>> {
    let role = role(function, target, report)?;
    let arguments = function.signature.inputs.iter().filter_map(|argument| match argument {
        FnArg::Typed(argument) => Some(argument),
        FnArg::Receiver(_) => None,
    });
    Some(Handler {
        role,
        function,
        arguments: arguments.collect(),
        returns: returns(&function.signature.output),
    })
}

fn role(function: &Function, target: &Target, report: &mut Report) -> Option<Role> {
    if let [first, more @ ..] = function.methods.as_slice() {
        for attribute in more {
            report.error(
                attribute,
                "a function answers one method or command: keep one `#[ext]`, `#[on]` or `#[command]`",
            );
        }
        return if first.path().is_ident("ext") {
            extension(first, report).map(Role::Extension)
        } else if first.path().is_ident("command") {
            command(first, target, report).map(Role::Command)
        } else {
            protocol_method(first, target, report)
        };
    }
    let name = function.name().to_string();
    if let Some(hook) = target.hook(&name) {
        return Some(Role::Hook(hook));
    }
    let Some(operation) = target.named(&name) else {
        report.error(function.name(), no_operation(&name, target));
        return None;
    };
    enabled(operation, function.name(), target, report)
}

/// Returns the operation, unless it needs a feature that is off.
pub(crate) fn enabled(
    operation: &'static Operation,
    place: impl quote::ToTokens,
    target: &Target,
    report: &mut Report,
) -> Option<Role> {
    if operation.is_enabled() {
        return Some(Role::Operation(operation));
    }
    report.error(
        place,
        format_args!(
            "`{}` ({}) is unstable: enable the feature `unstable` of `{}`",
            operation.name, operation.method, target.package
        ),
    );
    None
}

fn no_operation(name: &str, target: &Target) -> String {
    let operations = target.enabled().map(|row| row.name);
    if let Some(name_meant) = nearest(name, operations.chain(target.hooks.iter().map(|hook| hook.name))) {
        return format!("`{name}` is not an operation: did you mean `{name_meant}`?");
    }
    // The name is that of a method, or of a part of one.
    let is_method = |method: &str| method.replace('/', "_") == name;
    if let Some(row) = target.enabled().find(|row| is_method(row.method)) {
        return format!(
            "`{name}` is not an operation: did you mean `{}`, which handles `{}`?",
            row.name, row.method
        );
    }
    let is_served = |method: &str| is_method(method) || method.rsplit('/').next() == Some(name);
    if let Some((method, instead)) = target.served.iter().find(|(method, _)| is_served(method)) {
        return format!("`{name}` is not an operation: {}", served_itself(method, instead));
    }
    if let Some(row) = target.other().named(name) {
        let Target { peer, one, .. } = target;
        return format!(
            "`{name}` is an operation of the {peer}, which handles `{}`: {one} sends it",
            row.method
        );
    }
    // The unstable ones are left out: their users know the names.
    let operations: Vec<_> = target
        .enabled()
        .filter(|row| !row.unstable)
        .map(|row| format!("`{}` ({})", row.name, row.method))
        .collect();
    let hooks = target.hooks.iter().map(|hook| format!("hooks: `{}` (at {})\n", hook.name, hook.method));
    format!(
        "`{name}` is not an operation\n\
         operations: {}\n\
         {}\
         a helper belongs in another `impl` block, an extension method needs `#[ext(\"_vendor/name\")]`",
        operations.join(", "),
        hooks.collect::<String>(),
    )
}

fn returns(output: &ReturnType) -> Returns<'_> {
    let ReturnType::Type(_, whole) = output else { return Returns::Nothing };
    match &**whole {
        Type::Tuple(tuple) if tuple.elems.is_empty() => Returns::Nothing,
        Type::Path(path) => match path.path.segments.last() {
            // Aliases such as `anyhow::Result<T>` and `PromptResult` count.
            Some(last) if last.ident.to_string().ends_with("Result") => {
                let mut types = types(&last.arguments);
                let value = types.next();
                // The meaning of a second parameter of a foreign alias is unknown.
                let error = types.next().filter(|_| last.ident == "Result");
                Returns::Result { whole, value, error }
            }
            _ => Returns::Other(whole),
        },
        _ => Returns::Other(whole),
    }
}

/// Returns the types among the arguments of a path's segment.
fn types(arguments: &PathArguments) -> impl Iterator<Item = &Type> {
    let arguments = match arguments {
        PathArguments::AngleBracketed(arguments) => Some(&arguments.args),
        _ => None,
    };
    arguments.into_iter().flatten().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}

/// Returns the `T` of `Opened<T>`, or the type itself: the state of a session whose opening returns
/// this.
pub(crate) fn session_state(returned: &Type) -> &Type {
    if let Type::Path(path) = returned
        && let Some(last) = path.path.segments.last()
        && last.ident == "Opened"
    {
        return types(&last.arguments).next().unwrap_or(returned);
    }
    returned
}
