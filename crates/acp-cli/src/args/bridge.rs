//! The arguments of `acp bridge`.

use std::time::Duration;

use acp_client::ProtocolVersion;
use clap::{ArgMatches, Command};

use crate::args::agent;
use crate::args::prompt::{limit, option, switch};
use crate::args::value;
use crate::named::Named;

#[derive(Debug)]
pub(crate) struct BridgeArgs {
    pub(crate) agent: Named,
    /// The version that the agent speaks.
    pub(crate) to: ProtocolVersion,
    pub(crate) serve_fs: bool,
    pub(crate) serve_terminals: bool,
    pub(crate) init_timeout: Option<Duration>,
}

pub(super) const ABOUT: &str =
    "Is an agent for clients of both versions of the protocol, made of an agent of one version";

/// Adds the arguments to the command.
pub(super) fn define(command: Command) -> Command {
    let command = command
        .override_usage(
            "acp bridge --to 1|2 [OPTIONS] -- AGENT [ARGS…]\n       acp bridge --to 1|2 [OPTIONS] --agent ID|FILE\n       acp bridge --to 1|2 [OPTIONS] --url URL",
        )
        .after_help(
            "A client starts it as it would start the agent. The agent is started when the client has \
             introduced itself.\n\nExample:\n  acp prompt Hello -- acp bridge --to 2 -- agent-of-version-2",
        )
        .arg(
            option("to", "VERSION", value::version)
                .required(true)
                .help("the version of the protocol that the agent speaks: 1 or 2 (a draft)"),
        )
        .arg(switch("serve-fs").help(
            "serve the agent the files below the directories of its sessions, if the client does not. \
             Clients of version 2 do not",
        ))
        .arg(switch("serve-terminals").help(
            "run the agent's commands, if the client does not. Clients of version 2 do not",
        ))
        .arg(limit(
            "init-timeout",
            "how long the agent may take to start and to answer `initialize` [default: 60]",
        ));
    agent::define(command)
}

pub(super) fn read(matches: &ArgMatches) -> Result<BridgeArgs, String> {
    Ok(BridgeArgs {
        agent: agent::read(matches)?,
        to: matches.get_one("to").copied().unwrap_or(ProtocolVersion::V1),
        serve_fs: matches.get_flag("serve-fs"),
        serve_terminals: matches.get_flag("serve-terminals"),
        init_timeout: matches.get_one("init-timeout").copied(),
    })
}
