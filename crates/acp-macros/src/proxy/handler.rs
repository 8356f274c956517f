//! One function of a proxy's block, and the message that it handles.

use syn::{Attribute, FnArg, Ident, ImplItemFn, LitStr, ReceiverKind, Token, Type};

use crate::generated::operations::{AGENT_OPERATIONS, CLIENT_OPERATIONS};
use crate::report::Report;
use crate::suggest::nearest;

/// The direction of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Toward {
    Agent,
    Client,
}

/// The form of a handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// It has the rest of the chain for a request.
    Next,
    /// It has the rest of the chain for a notification.
    Pass,
    /// It answers in place of the rest of the chain.
    Serves,
}

/// A handler.
pub(super) struct Handler {
    pub(super) function: Ident,
    pub(super) method: String,
    pub(super) toward: Toward,
    pub(super) form: Form,
    /// Its params are the text that came.
    pub(super) is_raw: bool,
    /// It is a function of the vocabulary.
    pub(super) is_named: bool,
}

/// An operation of the protocol: name, method, direction, and true for a notification.
type Operation = (&'static str, &'static str, Toward, bool);

/// Returns the operations that a function of the block may have the name of.
fn operations() -> impl Iterator<Item = Operation> {
    let agent = AGENT_OPERATIONS.iter().map(|it| (it.name, it.method, Toward::Agent, it.notification));
    let client = CLIENT_OPERATIONS.iter().map(|it| (it.name, it.method, Toward::Client, it.notification));
    let cancel = ("cancel", "session/cancel", Toward::Agent, true);
    agent.chain(client).chain([cancel])
}

/// Returns the direction of the requests of a method.
pub(super) fn method_of_name(method: &str) -> Option<Toward> {
    operations()
        .find(|(_, name, _, notification)| *name == method && !notification)
        .map(|(_, _, toward, _)| toward)
}

impl Handler {
    /// Reads a function, and takes its attribute away. Returns `None` for a function that handles
    /// nothing.
    pub(super) fn read(function: &mut ImplItemFn, report: &mut Report) -> Option<Self> {
        let own =
            |attribute: &Attribute| attribute.path().is_ident("ext") || attribute.path().is_ident("raw");
        let attribute = function.attrs.iter().position(own).map(|index| function.attrs.remove(index));
        let name = function.sig.ident.to_string();
        let form = form(function);
        let operation = operations().find(|(operation, ..)| *operation == name);
        let (method, toward, is_raw) = match (&attribute, operation, form) {
            (Some(attribute), ..) => {
                let (method, toward) = named(attribute, report)?;
                (method, toward, attribute.path().is_ident("raw"))
            }
            (None, Some((_, method, toward, notification)), _) => {
                if notification != (form == Form::Pass) {
                    let wants = if notification {
                        "takes the params, and then a `Pass`"
                    } else {
                        "takes the params, and then a `Next`, or the params alone"
                    };
                    report.error(&function.sig, format!("the handler of `{method}` {wants}"));
                    return None;
                }
                (method.to_owned(), toward, false)
            }
            (None, None, Form::Serves) => return None,
            (None, None, _) => {
                unknown(&function.sig.ident, &name, report);
                return None;
            }
        };
        check(function, form, report);
        let is_named = attribute.is_none();
        Some(Self { function: function.sig.ident.clone(), method, toward, form, is_raw, is_named })
    }

    pub(super) fn is_same(&self, other: &Self) -> bool {
        let is_notification = |handler: &Self| handler.form == Form::Pass;
        (&self.method, self.toward, is_notification(self))
            == (&other.method, other.toward, is_notification(other))
    }
}

/// Reads `("method")` or `("method", toward = client)`.
fn named(attribute: &Attribute, report: &mut Report) -> Option<(String, Toward)> {
    let read = attribute.parse_args_with(|input: syn::parse::ParseStream<'_>| {
        let method: LitStr = input.parse()?;
        let mut toward = Toward::Agent;
        if input.parse::<Option<Token![,]>>()?.is_some() {
            let key: Ident = input.parse()?;
            input.parse::<Token![=]>()?;
            let side: Ident = input.parse()?;
            toward = match (key.to_string().as_str(), side.to_string().as_str()) {
                ("toward", "client") => Toward::Client,
                ("toward", "agent") => Toward::Agent,
                _ => return Err(syn::Error::new_spanned(key, "write `toward = agent` or `toward = client`")),
            };
        }
        Ok((method, toward))
    });
    let (method, toward) = match read {
        Ok(read) => read,
        Err(error) => {
            report.push(error);
            return None;
        }
    };
    if attribute.path().is_ident("ext") && !method.value().starts_with('_') {
        let problem = "the name of an extension method starts with `_`: for others use `#[raw(…)]`";
        report.error(&method, problem);
        return None;
    }
    Some((method.value(), toward))
}

fn unknown(at: &Ident, name: &str, report: &mut Report) {
    let of_method = operations().find(|(_, method, ..)| method.replace('/', "_") == name);
    let near = || nearest(name, operations().map(|(operation, ..)| operation));
    let hint = match of_method.map(|(operation, ..)| operation).or_else(near) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "say which message it handles with `#[ext(\"_method\")]` or `#[raw(\"method\")]`".to_owned(),
    };
    report.error(at, format!("the protocol has no operation `{name}`: {hint}"));
}

/// Tells by its last argument what a function has of the chain.
fn form(function: &ImplItemFn) -> Form {
    let last = function.sig.inputs.last();
    let Some(FnArg::Typed(last)) = last else { return Form::Serves };
    let Type::Path(path) = &*last.ty else { return Form::Serves };
    match path.path.segments.last() {
        Some(segment) if segment.ident == "Next" => Form::Next,
        Some(segment) if segment.ident == "Pass" => Form::Pass,
        _ => Form::Serves,
    }
}

fn check(function: &ImplItemFn, form: Form, report: &mut Report) {
    let signature = &function.sig;
    if signature.asyncness.is_none() {
        report.error(signature, "a handler is an `async fn`");
    }
    let by_reference = matches!(
        signature.inputs.first(),
        Some(FnArg::Receiver(receiver)) if matches!(receiver.kind, ReceiverKind::Reference(_, _, None))
    );
    if !by_reference {
        report.error(&signature.ident, "a handler begins with `&self`: it may run more than once at a time");
    }
    let expected = if form == Form::Serves { 2 } else { 3 };
    if signature.inputs.len() != expected {
        report.error(
            &signature.ident,
            "a handler takes `&self`, then the params, and then a `Next` or a `Pass`",
        );
    }
}
