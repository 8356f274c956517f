//! The arguments of `acp conduct`.

use std::ffi::OsString;
#[cfg(feature = "inspect")]
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command, value_parser};

use crate::args::prompt::switch;

#[derive(Debug)]
pub(crate) struct ConductArgs {
    pub(crate) chain: ChainSource,
    /// The folder of an audit in front of the chain.
    pub(crate) audit: Option<PathBuf>,
    /// The way that is taken first for MCP servers of proxies.
    pub(crate) mcp: Option<McpWay>,
    /// The address of a page about the chain.
    #[cfg(feature = "inspect")]
    pub(crate) inspect: Option<SocketAddr>,
}

/// A way by which MCP servers of proxies reach the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum McpWay {
    Stdio,
    Http,
    Off,
}

impl McpWay {
    /// The names of all ways.
    pub(crate) const NAMES: [&str; 3] = ["stdio", "http", "off"];

    /// Returns the way of a name.
    pub(crate) fn of(name: &str) -> Option<Self> {
        Some(match name {
            "stdio" => Self::Stdio,
            "http" => Self::Http,
            "off" => Self::Off,
            _ => return None,
        })
    }
}

/// The description of a chain.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ChainSource {
    File(PathBuf),
    /// The words of each component. The last one is the agent, unless the chain is a proxy.
    Words {
        components: Vec<Vec<OsString>>,
        as_proxy: bool,
    },
}

pub(super) const ABOUT: &str = "Is an agent for its client, made of proxies and an agent behind them";

/// Adds the arguments to the command.
pub(super) fn define(command: Command) -> Command {
    let command = command
        .override_usage(
            "acp conduct [OPTIONS] PROXY [ARGS…] -- PROXY [ARGS…] -- AGENT [ARGS…]\n       \
             acp conduct [OPTIONS] --file FILE",
        )
        .after_help(
            "A client starts it as it would start the agent. Components are separated by `--`, and the last \
             one is the agent. They are started by the client's `initialize`.\n\n\
             A component that ends ends the chain. A file may say otherwise, and has proxies of this program: \
             see docs/PROXIES.md.\n\n\
             An agent that takes no MCP servers over its connection gets those of proxies by `acp mcp-shim`, or \
             by HTTP on this machine.\n\n\
             Example:\n  acp conduct my-proxy -- my-agent --acp\n  acp conduct --inspect --file chain.toml\n\n\
             Exit status: 0 the client has gone, 1 a component has failed, 130 a signal.",
        )
        .arg(
            Arg::new("file")
                .long("file")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("the description of the chain, in TOML"),
        )
        .arg(
            Arg::new("audit")
                .long("audit")
                .value_name("FOLDER")
                .value_parser(value_parser!(PathBuf))
                .help("record every message between the client and the chain in a new file of this folder"),
        )
        .arg(
            Arg::new("mcp")
                .long("mcp")
                .value_name("WAY")
                .value_parser(PossibleValuesParser::new(McpWay::NAMES))
                .help(
                    "how MCP servers of proxies reach an agent that takes none over its connection: stdio (the \
                     default) or http first, or off",
                ),
        )
        .arg(switch("as-proxy").help("be a proxy of another conductor: all components are proxies"))
        .arg(
            Arg::new("components")
                .value_name("COMPONENT")
                .num_args(0..)
                .trailing_var_arg(true)
                .allow_hyphen_values(true)
                .value_parser(value_parser!(OsString))
                .help("the components, separated by `--`"),
        );
    #[cfg(feature = "inspect")]
    let command = command.arg(
        Arg::new("inspect")
            .long("inspect")
            .value_name("ADDRESS")
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("127.0.0.1:0")
            .value_parser(super::inspect::address)
            .help(
                "show the connections of all components in the browser, as `acp inspect` does: the address of the \
                 page stands on stderr [default: 127.0.0.1:0, a free port]",
            ),
    );
    command
}

pub(super) fn read(matches: &ArgMatches) -> Result<ConductArgs, String> {
    let audit = matches.get_one::<PathBuf>("audit").cloned();
    let mcp = matches.get_one::<String>("mcp").and_then(|name| McpWay::of(name));
    let as_proxy = matches.get_flag("as-proxy");
    let words: Vec<OsString> = matches.get_many("components").into_iter().flatten().cloned().collect();
    if let Some(file) = matches.get_one::<PathBuf>("file") {
        if as_proxy || mcp.is_some() || !words.is_empty() {
            return Err("`--file` describes the whole chain: leave everything else out".to_owned());
        }
        return Ok(args(ChainSource::File(file.clone()), audit, None, matches));
    }
    let components: Vec<Vec<OsString>> = if words.is_empty() {
        Vec::new()
    } else {
        words.split(|word| word == "--").map(<[_]>::to_vec).collect()
    };
    if components.iter().any(Vec::is_empty) {
        return Err("a component is missing beside a `--`: acp conduct PROXY -- AGENT".to_owned());
    }
    if components.is_empty() && !as_proxy {
        return Err("the agent is missing: acp conduct PROXY [ARGS…] -- AGENT [ARGS…]".to_owned());
    }
    Ok(args(ChainSource::Words { components, as_proxy }, audit, mcp, matches))
}

fn args(
    chain: ChainSource,
    audit: Option<PathBuf>,
    mcp: Option<McpWay>,
    #[cfg_attr(not(feature = "inspect"), expect(unused_variables, reason = "there is no page"))]
    matches: &ArgMatches,
) -> ConductArgs {
    ConductArgs {
        chain,
        audit,
        mcp,
        #[cfg(feature = "inspect")]
        inspect: matches.get_one("inspect").copied(),
    }
}
