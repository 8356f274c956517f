//! The command line.

pub(crate) mod agent;
#[cfg(feature = "agents")]
pub(crate) mod agents;
pub(crate) mod bridge;
pub(crate) mod call;
pub(crate) mod chat;
pub(crate) mod check;
pub(crate) mod check_client;
pub(crate) mod check_common;
pub(crate) mod conduct;
pub(crate) mod connect;
pub(crate) mod connection;
pub(crate) mod diff;
pub(crate) mod info;
#[cfg(feature = "inspect")]
pub(crate) mod inspect;
mod mcp_server;
mod mcp_shim;
pub(crate) mod mock;
pub(crate) mod new;
pub(crate) mod prompt;
mod refusal;
pub(crate) mod replay;
pub(crate) mod serve;
pub(crate) mod sessions;
pub(crate) mod tap;
pub(crate) mod value;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Arg, ArgMatches, value_parser};
use clap_complete::Shell;

#[cfg(feature = "agents")]
use crate::args::agents::AgentsArgs;
use crate::args::bridge::BridgeArgs;
use crate::args::call::CallArgs;
use crate::args::check::{CheckArgs, McpSideArgs};
use crate::args::check_client::AgentSideArgs;
use crate::args::conduct::ConductArgs;
use crate::args::connect::ConnectArgs;
use crate::args::diff::DiffArgs;
use crate::args::info::InfoArgs;
#[cfg(feature = "inspect")]
use crate::args::inspect::InspectArgs;
use crate::args::mock::MockArgs;
use crate::args::new::NewArgs;
use crate::args::prompt::PromptArgs;
use crate::args::refusal::refusal;
use crate::args::replay::ReplayArgs;
use crate::args::serve::ServeArgs;
use crate::args::sessions::SessionsArgs;
use crate::args::tap::TapArgs;

/// The command to run.
#[derive(Debug)]
pub(crate) enum Command {
    Prompt(Box<PromptArgs>),
    /// Prompts whose texts the user types.
    Chat(Box<PromptArgs>),
    /// The JSON Schema of the lines of `acp prompt --json`.
    PromptSchema,
    Info(InfoArgs),
    Sessions(SessionsArgs),
    Call(CallArgs),
    Bridge(BridgeArgs),
    Check(CheckArgs),
    /// The agent that a client under `acp check client` starts.
    CheckAgentSide(AgentSideArgs),
    /// The MCP server that an agent under `acp check agent` starts.
    CheckMcpSide(McpSideArgs),
    Conduct(ConductArgs),
    McpShim,
    Mock(MockArgs),
    Serve(Box<ServeArgs>),
    Connect(ConnectArgs),
    Tap(TapArgs),
    Replay(Box<ReplayArgs>),
    Diff(DiffArgs),
    #[cfg(feature = "inspect")]
    Inspect(InspectArgs),
    #[cfg(feature = "agents")]
    Agents(Box<AgentsArgs>),
    New(NewArgs),
    Demo,
    /// The agent that `acp demo` starts, on stdin and stdout.
    DemoAgent,
    Completions(Shell),
    Man {
        dir: Option<PathBuf>,
        is_markdown: bool,
    },
    /// A text for the user: help, or the version.
    Tell(String),
}

/// Reads the arguments after the program's name. The error is a sentence for the user.
pub(crate) fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Command, String> {
    let args: Vec<OsString> = args.into_iter().collect();
    let demo_agent = clap::Command::new("demo-agent").hide(true);
    let hidden = [demo_agent, check_client::agent_side(), check::mcp_side()];
    let mut definition = definition().subcommands(hidden);
    let parsed = definition.try_get_matches_from_mut(std::iter::once("acp".into()).chain(args.clone()));
    match parsed {
        Ok(matches) => command(&matches),
        Err(error) if !error.use_stderr() => Ok(Command::Tell(error.render().to_string())),
        Err(error) => Err(refusal(&error, &definition, &args)),
    }
}

fn command(matches: &ArgMatches) -> Result<Command, String> {
    match matches.subcommand() {
        Some(("prompt", matches)) if matches.get_flag("schema") => Ok(Command::PromptSchema),
        Some(("prompt", matches)) => Ok(Command::Prompt(Box::new(prompt::read(matches)?))),
        Some(("chat", matches)) => Ok(Command::Chat(Box::new(chat::read(matches)?))),
        Some(("info", matches)) => info::read(matches).map(Command::Info),
        Some(("sessions", matches)) => sessions::read(matches).map(Command::Sessions),
        Some(("call", matches)) => call::read(matches).map(Command::Call),
        Some(("bridge", matches)) => bridge::read(matches).map(Command::Bridge),
        Some(("check", matches)) => check::read(matches).map(Command::Check),
        Some(("check-agent-side", matches)) => {
            Ok(Command::CheckAgentSide(check_client::read_agent_side(matches)))
        }
        Some(("check-mcp-side", matches)) => Ok(Command::CheckMcpSide(check::read_mcp_side(matches))),
        Some(("conduct", matches)) => conduct::read(matches).map(Command::Conduct),
        Some(("mcp-shim", _)) => Ok(Command::McpShim),
        Some(("mock", matches)) => mock::read(matches).map(Command::Mock),
        Some(("serve", matches)) => Ok(Command::Serve(Box::new(serve::read(matches)?))),
        Some(("connect", matches)) => Ok(Command::Connect(connect::read(matches))),
        Some(("tap", matches)) => tap::read(matches).map(Command::Tap),
        Some(("replay", matches)) => Ok(Command::Replay(Box::new(replay::read(matches)?))),
        Some(("diff", matches)) => Ok(Command::Diff(diff::read(matches))),
        #[cfg(feature = "inspect")]
        Some(("inspect", matches)) => inspect::read(matches).map(Command::Inspect),
        #[cfg(feature = "agents")]
        Some(("agents", matches)) => Ok(Command::Agents(Box::new(agents::read(matches)?))),
        Some(("new", matches)) => new::read(matches).map(Command::New),
        Some(("demo", _)) => Ok(Command::Demo),
        Some(("demo-agent", _)) => Ok(Command::DemoAgent),
        Some(("completions", matches)) => {
            let shell = matches.get_one::<Shell>("shell").copied();
            shell.map(Command::Completions).ok_or_else(|| "the shell is missing".to_owned())
        }
        Some(("man", matches)) => {
            let dir = matches.get_one::<PathBuf>("dir").cloned();
            Ok(Command::Man { dir, is_markdown: matches.get_flag("markdown") })
        }
        _ => Err("the command is missing: see `acp --help`".to_owned()),
    }
}

/// Returns the definition of the command line, as users see it. Help, completions and man pages are
/// made from it, too.
pub(crate) fn definition() -> clap::Command {
    clap::Command::new("acp")
        .about("Talks to Agent Client Protocol agents from a terminal")
        .version(env!("CARGO_PKG_VERSION"))
        .override_usage("acp prompt TEXT [OPTIONS] -- AGENT [ARGS…]\n       acp COMMAND --help")
        .after_help("Example:\n  acp prompt \"What is in this folder?\" -- my-agent --acp")
        .subcommand_required(true)
        // The last one counts, so that an alias can set an option and its user another value.
        .args_override_self(true)
        .subcommands([
            later("prompt", prompt::ABOUT, prompt::define),
            later("chat", chat::ABOUT, chat::define),
            later("info", info::ABOUT, info::define),
            later("sessions", sessions::ABOUT, sessions::define),
            later("call", call::ABOUT, call::define),
            later("bridge", bridge::ABOUT, bridge::define),
            later("check", check::ABOUT, check::define),
            later("conduct", conduct::ABOUT, conduct::define),
            later("mcp-shim", mcp_shim::ABOUT, mcp_shim::define),
            later("mock", mock::ABOUT, mock::define),
            later("serve", serve::ABOUT, serve::define),
            later("connect", connect::ABOUT, connect::define),
            later("tap", tap::ABOUT, tap::define),
            later("replay", replay::ABOUT, replay::define),
            later("diff", diff::ABOUT, diff::define),
            #[cfg(feature = "inspect")]
            later("inspect", inspect::ABOUT, inspect::define),
            #[cfg(feature = "agents")]
            later("agents", agents::ABOUT, agents::define),
            demo(),
            later("new", new::ABOUT, new::define),
            completions(),
            man(),
        ])
}

/// Returns a command whose arguments are made when it is used: the start of the program waits for
/// no others.
fn later(
    name: &'static str,
    about: &'static str,
    define: fn(clap::Command) -> clap::Command,
) -> clap::Command {
    clap::Command::new(name).about(about).defer(define)
}

fn demo() -> clap::Command {
    clap::Command::new("demo").about("Shows a coding agent at work in a scratch folder").after_help(
        "The folder is removed at the end. No network and no key is needed.\n\nExample:\n  acp demo",
    )
}

fn completions() -> clap::Command {
    clap::Command::new("completions")
        .about("Writes the completions for a shell")
        .override_usage("acp completions SHELL")
        .arg(
            Arg::new("shell")
                .value_name("SHELL")
                .help("the shell")
                .required(true)
                .value_parser(value_parser!(Shell)),
        )
        .after_help(
            "Examples:\n  bash: acp completions bash > ~/.local/share/bash-completion/completions/acp\n  \
             zsh:  acp completions zsh > a folder of $fpath, as _acp\n  \
             fish: acp completions fish > ~/.config/fish/completions/acp.fish",
        )
}

fn man() -> clap::Command {
    clap::Command::new("man")
        .about("Writes the man pages: all of them into a folder, or that of `acp` to stdout")
        .override_usage("acp man [DIR]\n       acp man --markdown DIR")
        .arg(prompt::switch("markdown").requires("dir").help("write Markdown pages instead"))
        .after_help("Example:\n  acp man ~/.local/share/man/man1")
        .arg(
            Arg::new("dir")
                .value_name("DIR")
                .help("the folder, such as ~/.local/share/man/man1; it is made if it is missing")
                .value_parser(value_parser!(PathBuf)),
        )
}

#[cfg(test)]
mod tests;
