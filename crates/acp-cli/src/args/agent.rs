//! The arguments that name an agent, in every command that takes one.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Arg, ArgMatches, Command, value_parser};

use crate::args::prompt::option;
use crate::named::Named;
use crate::named::address::Address;

/// The options of an address.
const OF_ADDRESS: [&str; 2] = ["token-file", "tls-ca"];

/// Adds the arguments to a command.
pub(super) fn define(command: Command) -> Command {
    let url = Arg::new("url").long("url").value_name("URL").conflicts_with_all(["agent", "command"]);
    define_local(command)
        .args([url.help(
            "use an agent of another machine by its address: ws:// and wss:// are a WebSocket, http:// and \
         https:// are HTTP with streams of events",
        )])
        .args(address_options())
}

/// The options of an address, beside it.
pub(super) fn address_options() -> [Arg; 2] {
    [
        option("token-file", "FILE", value_parser!(PathBuf)).help(
            "a file whose first line has the bearer token for the address [default: $ACP_TOKEN, else none]",
        ),
        option("tls-ca", "FILE", value_parser!(PathBuf))
            .help("a PEM file of certificates that are trusted beside those of the system"),
    ]
}

/// Adds the arguments of an agent that is started here.
pub(super) fn define_local(command: Command) -> Command {
    command
        .arg(Arg::new("agent").long("agent").value_name("ID|FILE").conflicts_with("command").help(
            "start an agent by its id, an installed one (see `acp agents`) or one of the registry, \
                       or one that a file describes: an entry of the registry, or {\"command\":…,\"args\":[…],\"env\":{…}}. A value with a slash, \
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

/// Returns true if one of them is given.
pub(super) fn is_given(matches: &ArgMatches) -> bool {
    ["agent", "registry", "command", "url"].iter().chain(&OF_ADDRESS).any(|name| matches.contains_id(name))
}

/// Reads them. The error is a sentence for the user.
pub(super) fn read(matches: &ArgMatches) -> Result<Named, String> {
    if let Some(url) = matches.get_one::<String>("url") {
        if matches.contains_id("registry") {
            return Err("`--registry` is for `--agent ID`: an address needs no registry".to_owned());
        }
        return Ok(Named::Remote(read_address(url.clone(), matches)));
    }
    if let Some(name) = OF_ADDRESS.into_iter().find(|name| matches.contains_id(name)) {
        return Err(format!("`--{name}` is for `--url URL`"));
    }
    read_local(matches)
}

/// Reads the options of an address.
pub(super) fn read_address(url: String, matches: &ArgMatches) -> Address {
    let path = |name| matches.get_one::<PathBuf>(name).cloned();
    Address { url, token_file: path("token-file"), tls_ca: path("tls-ca") }
}

/// Reads the arguments of an agent that is started here.
pub(super) fn read_local(matches: &ArgMatches) -> Result<Named, String> {
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
