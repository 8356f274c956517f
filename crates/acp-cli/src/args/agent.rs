//! The arguments that name an agent, in every command that takes one.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Arg, ArgMatches, Command, value_parser};

use crate::named::Named;

/// Adds the arguments to a command.
pub(super) fn define(command: Command) -> Command {
    command
        .arg(Arg::new("agent").long("agent").value_name("ID|FILE").conflicts_with("command").help(
            "start an agent by its id in the registry, or one that a file describes: an entry \
                       of the registry, or {\"command\":…,\"args\":[…],\"env\":{…}}. A value with a slash, \
                       or that ends with .json, is a file",
        ))
        .arg(
            Arg::new("registry")
                .long("registry")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help(
                    "a copy of the agent registry [default: $ACP_REGISTRY, else acp/registry.json in \
                       the user's cache directory]",
                ),
        )
        .arg(
            Arg::new("command")
                .value_name("AGENT")
                .last(true)
                .num_args(1..)
                .value_parser(value_parser!(OsString))
                .help("the command that starts the agent, with its arguments"),
        )
}

/// Reads them. The error is a sentence for the user.
pub(super) fn read(matches: &ArgMatches) -> Result<Named, String> {
    if let Some(name) = matches.get_one::<String>("agent") {
        let registry = matches.get_one::<PathBuf>("registry").cloned();
        let named = Named::of(name, registry);
        return named.ok_or_else(|| "`--registry` is for `--agent ID`: a file needs no registry".to_owned());
    }
    if matches.contains_id("registry") {
        return Err("`--registry` is for `--agent ID`: name the agent by its id".to_owned());
    }
    let mut words = matches.get_many::<OsString>("command").into_iter().flatten().cloned();
    match words.next() {
        Some(program) => Ok(Named::Command { program, args: words.collect() }),
        None => {
            Err("the agent is missing: end with `-- AGENT [ARGS…]`, or name one with `--agent ID`".to_owned())
        }
    }
}
