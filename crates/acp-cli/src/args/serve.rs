//! The arguments of `acp serve`.

use std::ffi::OsString;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use crate::args::agent;
use crate::args::prompt::{limit, option, switch};
use crate::args::value;
use crate::named::Named;

#[derive(Debug)]
pub(crate) struct ServeArgs {
    pub(crate) agent: Named,
    pub(crate) listen: SocketAddr,
    pub(crate) path: String,
    pub(crate) token_file: Option<PathBuf>,
    /// The certificate and its key.
    pub(crate) tls: Option<(PathBuf, PathBuf)>,
    pub(crate) hosts: Vec<String>,
    pub(crate) any_host: bool,
    pub(crate) origins: Vec<String>,
    pub(crate) proxies: Vec<(IpAddr, u8)>,
    pub(crate) tickets: bool,
    pub(crate) insecure: bool,
    pub(crate) open: bool,
    pub(crate) replica: Option<String>,
    pub(crate) roots: Vec<PathBuf>,
    pub(crate) allow_commands: bool,
    pub(crate) cwd: Option<PathBuf>,
    /// Variables of the agents' environment. One without a value is inherited.
    pub(crate) env: Vec<(OsString, Option<OsString>)>,
    /// The variable of an agent that has the name of its client.
    pub(crate) principal_env: Option<OsString>,
    pub(crate) prestart: usize,
    pub(crate) limits: LimitArgs,
    pub(crate) verbose: bool,
}

/// The limits that are given.
#[derive(Debug)]
pub(crate) struct LimitArgs {
    pub(crate) connections: Option<usize>,
    pub(crate) per_principal: Option<usize>,
    pub(crate) per_address: Option<usize>,
    pub(crate) message: Option<usize>,
    pub(crate) buffer: Option<usize>,
    pub(crate) initialize: Option<Duration>,
    pub(crate) idle: Option<Duration>,
    pub(crate) grace: Option<Duration>,
    pub(crate) drain: Duration,
}

/// The time for turns that run when the server is told to end, in seconds.
const DRAIN: u64 = 30;
/// The address that is bound.
const LISTEN: &str = "127.0.0.1:8080";

const NOTES: &str = "\
Each connection has a process of its own, which ends with it. GET /healthz answers `ok`, and GET /metrics has
numbers in the OpenMetrics text format. SIGTERM and Ctrl-C take no new connections, let running turns end within
`--drain`, and end all agents; the second one ends everything at once.

Examples:
  acp serve -- my-agent --acp
  acp serve --listen 0.0.0.0:8443 --host agents.example --tls-cert cert.pem --tls-key key.pem \\
      --token-file tokens --root /srv/work -- my-agent --acp

exit status:
  0 ended as it was told   1 error   2 usage, or an address that needs more options   130 ended at once";

pub(super) const ABOUT: &str = "Serves an agent on the network, over WebSocket and HTTP";

/// Adds the arguments to the command.
pub(super) fn define(command: Command) -> Command {
    let command = command
        .override_usage("acp serve [OPTIONS] -- AGENT [ARGS…]\n       acp serve [OPTIONS] --agent ID|FILE")
        .after_help(NOTES)
        .args(address_options())
        .args(access_options())
        .args(agent_options())
        .args(limit_options())
        .arg(switch("verbose").short('v').help("show the stderr of the agents"));
    agent::define_local(command)
}

fn address_options() -> [Arg; 7] {
    let file = |name| option(name, "FILE", value_parser!(PathBuf));
    [
        option("listen", "ADDR", value_parser!(SocketAddr))
            .default_value(LISTEN)
            .help("the address and port; port 0 is any free one. One beyond this machine needs a token, TLS and a name"),
        option("path", "PATH", value::url_path).default_value("/acp").help("the path of the endpoint"),
        file("tls-cert").requires("tls-key").help("speak TLS with this certificate, a PEM file"),
        file("tls-key").requires("tls-cert").help("the key of the certificate, a PEM file"),
        switch("insecure").help("allow an address beyond this machine without TLS"),
        option("replica", "NAME", value::replica)
            .help("begin the ids of connections with this name, for a load balancer"),
        option("proxy", "NETWORK", value::network).action(ArgAction::Append).help(
            "believe proxies of this network, such as 10.0.0.0/8, about their clients; can be given several times",
        ),
    ]
}

fn access_options() -> [Arg; 6] {
    let texts = |name, value| option(name, value, value_parser!(String)).action(ArgAction::Append);
    [
        option("token-file", "FILE", value_parser!(PathBuf)).help(
            "take the bearer tokens of this file: a line for each, with a name before it if it has one",
        ),
        switch("open").help("allow an address beyond this machine without a token: everybody can use the agent"),
        texts("host", "NAME").help(
            "a name that clients may use for this server; can be given several times [default: this machine's]",
        ),
        switch("any-host").help("take any name, behind a proxy that checks it").conflicts_with("host"),
        texts("origin", "ORIGIN").help(
            "let pages of this origin use the server, such as https://editor.example; can be given several times",
        ),
        switch("tickets")
            .help("give pages tickets for a WebSocket, at the path of the endpoint with `/ticket` behind it"),
    ]
}

fn agent_options() -> [Arg; 6] {
    let folder = |name| option(name, "DIR", value_parser!(PathBuf));
    [
        folder("root").action(ArgAction::Append).help(
            "a folder in which clients may work; can be given several times [default: that of `--cwd`]",
        ),
        switch("allow-commands").help("let clients name MCP servers that the agent starts as commands"),
        folder("cwd").help("the working directory of the agents [default: here]"),
        option("env", "NAME[=VALUE]", value::variable).action(ArgAction::Append).help(
            "set a variable for the agents, or let them inherit it; can be given several times [default: PATH, \
             HOME, LANG and a few more]",
        ),
        option("principal-env", "NAME", value::variable_name).requires("token-file").help(
            "tell each agent the name of its client in this variable; each token then needs a name",
        ),
        option("prestart", "N", value_parser!(usize))
            .default_value("0")
            .conflicts_with("principal-env")
            .help("keep so many processes started for the next connections"),
    ]
}

fn limit_options() -> [Arg; 9] {
    let count = |name, value| option(name, value, value_parser!(usize));
    [
        count("connections", "N").help("the most connections [default: 1024]"),
        count("connections-per-principal", "N").help("the most connections with one token [default: 64]"),
        count("connections-per-address", "N").help("the most connections of one address [default: 16]"),
        count("message", "BYTES").help("the longest message in either direction [default: 33554432]"),
        count("buffer", "BYTES")
            .help("the bytes of a connection that may wait for its client [default: 1048576]"),
        limit("initialize-time", "how long an agent may take to answer `initialize` [default: 30]"),
        limit("idle-time", "how long a connection over HTTP lives without its client [default: 60]"),
        limit(
            "grace",
            "how long an agent may take to exit, and once more after it was asked to [default: 2]",
        ),
        limit("drain", "how long running turns may take after SIGTERM [default: 30]"),
    ]
}

pub(super) fn read(matches: &ArgMatches) -> Result<ServeArgs, String> {
    let text = |name| matches.get_one::<String>(name).cloned();
    let path = |name| matches.get_one::<PathBuf>(name).cloned();
    let texts = |name| matches.get_many::<String>(name).into_iter().flatten().cloned().collect();
    let count = |name| matches.get_one::<usize>(name).copied();
    let limit = |name| matches.get_one::<Duration>(name).copied();
    let listen = matches.get_one::<SocketAddr>("listen").copied();
    Ok(ServeArgs {
        agent: agent::read_local(matches)?,
        listen: listen.ok_or_else(|| "the address is missing".to_owned())?,
        path: text("path").unwrap_or_default(),
        token_file: path("token-file"),
        tls: path("tls-cert").zip(path("tls-key")),
        hosts: texts("host"),
        any_host: matches.get_flag("any-host"),
        origins: texts("origin"),
        proxies: matches.get_many("proxy").into_iter().flatten().copied().collect(),
        tickets: matches.get_flag("tickets"),
        insecure: matches.get_flag("insecure"),
        open: matches.get_flag("open"),
        replica: text("replica"),
        roots: matches.get_many::<PathBuf>("root").into_iter().flatten().cloned().collect(),
        allow_commands: matches.get_flag("allow-commands"),
        cwd: path("cwd"),
        env: matches.get_many("env").into_iter().flatten().cloned().collect(),
        principal_env: matches.get_one::<OsString>("principal-env").cloned(),
        prestart: count("prestart").unwrap_or_default(),
        limits: LimitArgs {
            connections: count("connections"),
            per_principal: count("connections-per-principal"),
            per_address: count("connections-per-address"),
            message: count("message"),
            buffer: count("buffer"),
            initialize: limit("initialize-time"),
            idle: limit("idle-time"),
            grace: limit("grace"),
            drain: limit("drain").unwrap_or(Duration::from_secs(DRAIN)),
        },
        verbose: matches.get_flag("verbose"),
    })
}
