//! Sentences about command lines that cannot be read: the mistake, and the way on.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Error};

use crate::args::{check, new, sessions};

/// Returns the sentence for the user. `args` are the arguments after the program's name.
pub(super) fn refusal(error: &Error, definition: &Command, args: &[OsString]) -> String {
    let refused = Refused { error, command: called(definition, args), args };
    match error.kind() {
        ErrorKind::MissingSubcommand | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            match refused.command {
                #[cfg(feature = "agents")]
                Some(command) if command.get_name() == "agents" => {
                    format!("what to do? {}", crate::args::agents::USAGE)
                }
                Some(_) => format!("what to do? {}", sessions::USAGE),
                None => "the command is missing: see `acp --help`".to_owned(),
            }
        }
        ErrorKind::InvalidSubcommand => {
            let name = refused.text(ContextKind::InvalidSubcommand);
            format!("there is no command `{name}`: {}", refused.hint(ContextKind::SuggestedSubcommand))
        }
        ErrorKind::UnknownArgument => refused.unknown(),
        ErrorKind::MissingRequiredArgument => refused.missing(),
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => refused.value(),
        ErrorKind::ArgumentConflict => refused.conflict(),
        ErrorKind::TooManyValues => format!("`{}` takes no value", refused.option()),
        ErrorKind::InvalidUtf8 => "an argument is not UTF-8".to_owned(),
        kind => format!("{kind}: see `{} --help`", refused.name()),
    }
}

/// Returns the subcommand that is called.
fn called<'a>(definition: &'a Command, args: &[OsString]) -> Option<&'a Command> {
    let name = args.iter().find_map(|arg| arg.to_str().filter(|arg| !arg.starts_with('-')))?;
    definition.find_subcommand(name)
}

/// A command line that cannot be read.
struct Refused<'a> {
    error: &'a Error,
    command: Option<&'a Command>,
    args: &'a [OsString],
}

impl Refused<'_> {
    fn name(&self) -> String {
        self.command.map_or_else(|| "acp".to_owned(), |command| format!("acp {}", command.get_name()))
    }

    /// Returns the words of a piece of context, one after the other.
    fn texts(&self, kind: ContextKind) -> Vec<&str> {
        match self.error.get(kind) {
            Some(ContextValue::String(text)) => vec![text],
            Some(ContextValue::Strings(texts)) => texts.iter().map(String::as_str).collect(),
            _ => Vec::new(),
        }
    }

    fn text(&self, kind: ContextKind) -> &str {
        self.texts(kind).first().copied().unwrap_or_default()
    }

    /// Returns the name of the argument that the error is about, without its value.
    fn option(&self) -> &str {
        bare(self.text(ContextKind::InvalidArg))
    }

    /// Returns the near miss, or the place where all names are.
    fn hint(&self, kind: ContextKind) -> String {
        match self.text(kind) {
            "" => format!("see `{} --help`", self.name()),
            near => format!("did you mean `{}`?", bare(near)),
        }
    }

    fn unknown(&self) -> String {
        let arg = self.text(ContextKind::InvalidArg);
        let takes_agent =
            self.command.is_some_and(|command| command.get_opts().any(|option| option.get_id() == "agent"));
        if !takes_agent && self.args.iter().any(|arg| arg == "--") {
            return format!("`{}` takes no agent", self.name());
        }
        if arg.starts_with('-') {
            return format!("there is no option `{}`: {}", bare(arg), self.hint(ContextKind::SuggestedArg));
        }
        format!("there is one argument too many: `{arg}`; see `{} --help`", self.name())
    }

    fn missing(&self) -> String {
        let missing = self.texts(ContextKind::InvalidArg);
        let usage = match missing.first().copied().unwrap_or_default() {
            "<TEXT>" => "the text of the prompt is missing: acp prompt TEXT -- AGENT [ARGS…]",
            "<KIND>" => return format!("what to make? {}", new::USAGE),
            "<SIDE>" => return format!("a check is of an agent or a client: {}", check::USAGE),
            "<METHOD>" => "the method is missing: acp call METHOD [PARAMS] -- AGENT [ARGS…]",
            "<ID>" if self.name() == "acp agents" => {
                "the agent is missing: name it by its ID, as `acp agents list` shows it"
            }
            "<ID>" | "<ID>..." => {
                "the session is missing: name it by its ID, as `acp sessions list` shows it"
            }
            "<URL>" => "the address is missing: acp connect URL",
            "<NAME>" => return format!("the name is missing: {}", new::USAGE),
            "<SHELL>" => "the shell is missing: acp completions SHELL",
            other => return format!("`{}` is missing: see `{} --help`", bare(other), self.name()),
        };
        usage.to_owned()
    }

    fn value(&self) -> String {
        let (option, value) = (self.option(), self.text(ContextKind::InvalidValue));
        let is_option = option.starts_with('-');
        if value.is_empty() && is_option && !self.args.iter().any(|arg| arg.is_empty()) {
            let name = self.text(ContextKind::InvalidArg);
            return format!("`{option}` needs a value: `{}`", assigned(name));
        }
        let given = if is_option { format!("`{option} {value}`") } else { format!("`{value}`") };
        if let Some(problem) = std::error::Error::source(self.error) {
            let problem = problem.to_string();
            // Some values are named in the reason already.
            return if problem.starts_with("`--") { problem } else { format!("{given}: {problem}") };
        }
        if option == "<SIDE>" {
            return format!("a check is of an agent or a client: {}", check::USAGE);
        }
        if option == "<KIND>" {
            return format!("a project is an agent or a client: {}", new::USAGE);
        }
        let near = match self.text(ContextKind::SuggestedValue) {
            "" => String::new(),
            near => format!(": did you mean `{near}`?"),
        };
        format!("{given}: it must be {}{near}", one_of(&self.texts(ContextKind::ValidValue)))
    }

    fn conflict(&self) -> String {
        let both = [self.text(ContextKind::PriorArg), self.text(ContextKind::InvalidArg)].map(conflicting);
        let mut both = both.map(|name| format!("`{name}`"));
        both.sort_by_key(|name| name.contains("-- "));
        format!("{}: one of them is enough", both.join(" and "))
    }
}

/// Returns the name of an argument without its value: `--cwd` of `--cwd <DIR>`.
fn bare(arg: &str) -> &str {
    arg.split([' ', '=']).next().unwrap_or(arg)
}

/// Returns an option with its value, as it may be written: `--session=ID`.
fn assigned(arg: &str) -> String {
    arg.replace(" <", "=").replace('>', "")
}

/// Returns the name of an argument that excludes another one.
fn conflicting(arg: &str) -> &str {
    if arg.contains("AGENT") { "-- AGENT" } else { bare(arg) }
}

fn one_of(values: &[&str]) -> String {
    match values {
        [rest @ .., last] if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        values => values.concat(),
    }
}
