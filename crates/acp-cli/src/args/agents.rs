//! The arguments of `acp agents`.

use std::ffi::OsString;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use crate::args::prompt::{option, switch};
use crate::named::installed::way::Way;

#[derive(Debug)]
pub(crate) struct AgentsArgs {
    pub(crate) action: Action,
    /// The lists that are named: files and addresses.
    pub(crate) lists: Vec<String>,
    pub(crate) offline: bool,
}

/// The thing to do with agents.
#[derive(Debug)]
pub(crate) enum Action {
    List { all: bool, json: bool },
    Show { id: String, json: bool },
    Install { id: String, version: Option<String>, way: Option<Way>, env: Vec<String> },
    Run { id: String, args: Vec<OsString>, env: Vec<String>, all_env: bool },
    Update { id: Option<String>, dry_run: bool },
    Remove { id: String },
    Login { id: String, method: Option<String> },
}

pub(super) const USAGE: &str = "acp agents list|show|install|run|update|remove|login [OPTIONS]";

const NOTES: &str = "\
A list is a file or an address in the form of the agent registry. The lists are those of `--registry`, or else of
ACP_REGISTRY and ACP_REGISTRY_URL, or else of `registries = […]` in config.toml, or else the copy of the registry in the
user's cache. The first one that has an id wins.

Agents are other people's programs. They are checked by their SHA-256 and get no secrets of your environment, but they
run with your rights: see docs/AGENTS.md. Nothing is updated unasked.

Installed agents are in $ACP_HOME [default: acp in the user's folder of data], and `--agent ID` finds them.";

const EXIT_STATUS: &str = "exit status:\n  0 done   1 error   2 usage   130 stopped";

pub(super) fn definition() -> Command {
    Command::new("agents")
        .about("Installs, runs and updates agents of lists")
        .override_usage(USAGE)
        .subcommand_required(true)
        .after_help(format!(
            "{NOTES}\n\nExample:\n  acp agents install robot\n  acp prompt Hello --agent robot"
        ))
        .subcommands([list(), show(), install(), run(), update(), remove(), login()])
}

/// Returns the definition of an action, without its own arguments.
fn action(
    name: &'static str,
    about: &'static str,
    words: &'static str,
    notes: &str,
    example: &str,
) -> Command {
    let after = format!("{notes}Example:\n  acp agents {name}{example}\n\n{EXIT_STATUS}");
    let usage = format!("acp agents {name} [OPTIONS]{words}");
    Command::new(name).about(about).override_usage(usage).after_help(after)
}

fn list() -> Command {
    let notes = "It shows the agents that run here, and those that are installed: id, version, ways to run it, and the \
                 version that is installed.\n\n";
    action("list", "Lists the agents of the lists", "", notes, " --all")
        .arg(switch("all").help("also list those that do not run here, with the reason"))
        .arg(switch("json").help("write a line of JSON for each agent"))
        .args(lists())
}

fn show() -> Command {
    action("show", "Shows an agent of the lists", " ID", "", " robot")
        .arg(id())
        .arg(switch("json").help("write its entry of the list as JSON"))
        .args(lists())
}

fn install() -> Command {
    let notes = "A program is downloaded, checked and unpacked. A package of npm or PyPI is fetched by npx or uvx when it \
                 is run first. If another version is installed, that one stays: see `acp agents update`.\n\n";
    action("install", "Installs an agent", " ID[@VERSION]", notes, " robot --env ROBOT_API_KEY")
        .arg(id())
        .arg(way())
        .arg(env("let the agent always inherit this variable, such as a key; can be given several times"))
        .args(lists())
}

fn run() -> Command {
    let notes = "\
An editor starts it as it would start the agent: bytes, stderr, signals and the exit status pass unchanged. An agent
that is not installed is installed first; what that says goes to stderr.

The agent inherits PATH, HOME, the language, proxies, certificates and a few more variables, and no others unless they
are named.\n\n";
    let status = "exit status:\n  that of the agent   1 it could not be started   2 usage";
    let after = format!("{notes}Example:\n  acp agents run robot --env ROBOT_API_KEY\n\n{status}");
    Command::new("run")
        .about("Runs an agent on stdin and stdout")
        .override_usage("acp agents run [OPTIONS] ID [-- ARGS…]")
        .after_help(after)
        .arg(id())
        .arg(env("let the agent inherit this variable this time; can be given several times"))
        .arg(
            switch("all-env")
                .conflicts_with("env")
                .help("let the agent inherit the whole environment, with its secrets"),
        )
        .arg(
            Arg::new("args")
                .value_name("ARGS")
                .last(true)
                .num_args(0..)
                .value_parser(value_parser!(OsString))
                .help("more arguments for the agent"),
        )
        .args(lists())
}

fn update() -> Command {
    let notes = "It shows the old version and the new one. An agent that is running is not updated.\n\n";
    action("update", "Updates agents to the versions of the lists", " [ID]", notes, " robot")
        .arg(id().required(false).help("the agent [default: all that are installed]"))
        .arg(switch("dry-run").help("only show the versions"))
        .args(lists())
}

fn remove() -> Command {
    action("remove", "Removes an agent", " ID", "", " robot").arg(id())
}

fn login() -> Command {
    let notes = "It starts the agent, asks for its logins and runs one on this terminal.\n\n";
    action("login", "Logs in to an installed agent in the terminal", " ID", notes, " robot")
        .arg(id())
        .arg(option("method", "ID", value_parser!(String)).help("the login, if the agent has more than one"))
}

fn id() -> Arg {
    Arg::new("id").value_name("ID").required(true).help("the agent, as `acp agents list` shows it")
}

fn way() -> Arg {
    option("way", "WAY", ["binary", "npx", "uvx"])
        .help("the way to run it [default: the first of binary, npx and uvx that works here]")
}

fn env(help: &'static str) -> Arg {
    option("env", "NAME", variable).action(ArgAction::Append).help(help)
}

fn variable(name: &str) -> Result<String, String> {
    let is_name = !name.is_empty() && !name.contains(['=', '\0']);
    let problem = || "it must be the name of a variable: its value is that of your environment".to_owned();
    if is_name { Ok(name.to_owned()) } else { Err(problem()) }
}

fn lists() -> [Arg; 2] {
    [
        option("registry", "FILE|URL", value_parser!(String))
            .action(ArgAction::Append)
            .help("a list of agents; can be given several times, and the first one that has the id wins"),
        switch("offline").help("ask no server: take the copies of lists"),
    ]
}

pub(super) fn read(matches: &ArgMatches) -> Result<AgentsArgs, String> {
    let (name, matches) = matches.subcommand().ok_or_else(|| format!("what to do? {USAGE}"))?;
    let text = |name| matches.get_one::<String>(name).cloned();
    let texts =
        |name: &str| matches.get_many::<String>(name).into_iter().flatten().cloned().collect::<Vec<_>>();
    let id = || text("id").unwrap_or_default();
    let action = match name {
        "list" => Action::List { all: matches.get_flag("all"), json: matches.get_flag("json") },
        "show" => Action::Show { id: id(), json: matches.get_flag("json") },
        "install" => {
            let named = id();
            let (id, version) = match named.split_once('@') {
                Some((id, version)) => (id.to_owned(), Some(version.to_owned())),
                None => (named, None),
            };
            let way = text("way").as_deref().and_then(Way::of);
            Action::Install { id, version, way, env: texts("env") }
        }
        "run" => {
            let args = matches.get_many::<OsString>("args").into_iter().flatten().cloned().collect();
            Action::Run { id: id(), args, env: texts("env"), all_env: matches.get_flag("all-env") }
        }
        "update" => Action::Update { id: text("id"), dry_run: matches.get_flag("dry-run") },
        "remove" => Action::Remove { id: id() },
        _ => Action::Login { id: id(), method: text("method") },
    };
    let has_lists = !matches!(action, Action::Remove { .. } | Action::Login { .. });
    Ok(AgentsArgs {
        action,
        lists: if has_lists { texts("registry") } else { Vec::new() },
        offline: has_lists && matches.get_flag("offline"),
    })
}
