//! `#[command(…)]`: the slash command that a function runs.

use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ExprLit, Ident, Lit, LitStr, Token, Type};

use crate::attr::unknown;
use crate::operation::Side;
use crate::report::Report;
use crate::target::Target;

/// The arguments of the attribute.
#[derive(Debug)]
pub(crate) struct Command {
    /// The name, without a slash.
    pub(crate) name: LitStr,
    pub(crate) description: LitStr,
    /// The hint about the text after the name.
    pub(crate) hint: Option<LitStr>,
}

const KEYS: [&str; 1] = ["hint"];

/// Reads `#[command("edit", "Appends to a file", hint = "…")]`.
pub(crate) fn command(attribute: &Attribute, target: &Target, report: &mut Report) -> Option<Command> {
    if target.side != Side::Agent {
        report.error(
            attribute,
            "a client has no commands: agents have them, and a prompt that begins with `/` and the name calls one",
        );
        return None;
    }
    let parsed = attribute.parse_args_with(Punctuated::<Argument, Token![,]>::parse_terminated);
    let (mut texts, mut hint) = (Vec::new(), None);
    for argument in parsed.into_iter().flatten() {
        match argument {
            Argument::Text(text) => texts.push(text),
            Argument::Named(key, value) => hint = self::hint(&key, &value, hint, report),
        }
    }
    let mut texts = texts.into_iter();
    let Some(name) = texts.next() else {
        report.error(
            attribute,
            "`#[command]` takes a name and a description: `#[command(\"edit\", \"Appends to a file\")]`",
        );
        return None;
    };
    check_name(&name, report);
    let Some(description) = texts.next() else {
        report.error(
            &name,
            "a command needs a description for the user: `#[command(\"edit\", \"Appends to a file\")]`",
        );
        return None;
    };
    if description.value().trim().is_empty() {
        report.error(&description, "the description of a command is for the user: say what it does");
    }
    if let Some(third) = texts.next() {
        report.error(third, "after its description a command has only a hint, `hint = \"…\"`");
    }
    Some(Command { name, description, hint })
}

/// `"…"` or `key = …`.
enum Argument {
    Text(LitStr),
    Named(Ident, Expr),
}

impl Parse for Argument {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(LitStr) {
            return input.parse().map(Argument::Text);
        }
        let key = input.call(Ident::parse_any)?;
        input.parse::<Token![=]>()?;
        Ok(Argument::Named(key, input.parse()?))
    }
}

/// Reads `hint = "…"`. Returns the hint of the command, which may have been read `before`.
fn hint(key: &Ident, value: &Expr, before: Option<LitStr>, report: &mut Report) -> Option<LitStr> {
    let written = key.to_string();
    if !KEYS.contains(&written.as_str()) {
        report.error(key, unknown("`command(…)`", &written, &KEYS));
        return before;
    }
    if before.is_some() {
        report.error(key, format_args!("`{written}` is given twice"));
    }
    match value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.clone()),
        _ => {
            report.error(value, "the hint of a command is a text in quotes, such as `hint = \"FILE\"`");
            before
        }
    }
}

fn check_name(name: &LitStr, report: &mut Report) {
    let value = name.value();
    if value.is_empty() {
        report.error(name, "the name of a command is empty: users type it after a slash");
    } else if let Some(rest) = value.strip_prefix('/') {
        report.error(
            name,
            format_args!("the name of a command has no slash, because clients add it: `\"{rest}\"`"),
        );
    }
    if value.contains(char::is_whitespace) {
        report.error(name, "the name of a command has no white space, because its input follows that");
    }
}

/// Returns true if this is `&str`, which a command can take as its input.
pub(crate) fn is_text(ty: &Type) -> bool {
    let Type::Reference(reference) = ty else { return false };
    let Type::Path(path) = &*reference.elem else { return false };
    reference.lifetime.is_none() && reference.mutability.is_none() && path.path.is_ident("str")
}
