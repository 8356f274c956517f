//! The arguments of `acp new`.

use std::path::PathBuf;

use clap::{Arg, ArgMatches, Command, value_parser};

use crate::args::prompt::option;

/// The two kinds of projects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Agent,
    Client,
}

/// Where the project takes the crates from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Source {
    /// The newest commit; the project's lock file keeps it.
    #[default]
    Git,
    /// This commit.
    Rev(String),
    /// A checkout of the repository.
    Path(PathBuf),
}

#[derive(Debug)]
pub(crate) struct NewArgs {
    pub(crate) kind: Kind,
    pub(crate) name: String,
    pub(crate) source: Source,
}

pub(super) const USAGE: &str = "acp new agent|client NAME [--rev COMMIT | --path CHECKOUT]";

pub(super) const ABOUT: &str = "Makes a project that builds, runs and has a test, in a new folder";

/// Adds the arguments to the command.
pub(super) fn define(command: Command) -> Command {
    command
        .override_usage(USAGE)
        .after_help("Example:\n  acp new agent my-agent")
        .arg(
            Arg::new("kind")
                .value_name("KIND")
                .required(true)
                .value_parser(["agent", "client"])
                .hide_possible_values(true)
                .help("agent or client"),
        )
        .arg(
            Arg::new("name").value_name("NAME").required(true).help("the name of the project and its folder"),
        )
        .arg(option("rev", "COMMIT", rev).help("take the crates from this commit [default: the newest one]"))
        .arg(
            option("path", "CHECKOUT", value_parser!(PathBuf))
                .conflicts_with("rev")
                .help("take the crates from this checkout"),
        )
}

pub(super) fn read(matches: &ArgMatches) -> Result<NewArgs, String> {
    let kind = match matches.get_one::<String>("kind").map(String::as_str) {
        Some("agent") => Kind::Agent,
        _ => Kind::Client,
    };
    let name = matches.get_one::<String>("name").cloned().unwrap_or_default();
    let path = matches.get_one::<PathBuf>("path").cloned().map(Source::Path);
    let source = path.or_else(|| matches.get_one::<Source>("rev").cloned()).unwrap_or_default();
    Ok(NewArgs { kind, name, source })
}

/// Checks the name of a commit, a tag's or a branch's included.
fn rev(text: &str) -> Result<Source, String> {
    let is_plain = !text.is_empty()
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/'));
    if is_plain { Ok(Source::Rev(text.to_owned())) } else { Err(format!("`--rev {text}` is not a commit")) }
}
