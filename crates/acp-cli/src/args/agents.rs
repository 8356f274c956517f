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

/// The thing to do.
#[derive(Debug)]
pub(crate) enum Action {
    Manage(Manage),
    Run(RunArgs),
}

/// The agent to run.
#[derive(Debug)]
pub(crate) struct RunArgs {
    pub(crate) id: String,
    pub(crate) args: Vec<OsString>,
    /// The variables that it inherits beside the usual ones.
    pub(crate) env: Vec<String>,
    pub(crate) all_env: bool,
}

/// The thing to do with agents that are not run.
#[derive(Debug)]
pub(crate) enum Manage {
    List { all: bool, json: bool },
    Show { id: String, json: bool },
    Install { id: String, version: Option<String>, way: Option<Way>, env: Vec<String> },
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

pub(super) const ABOUT: &str = "Installs, runs and updates agents of lists";

/// Adds the arguments to the command.
pub(super) fn define(command: Command) -> Command {
    command
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
    let action = match name {
        "run" => Action::Run(read_run(matches)),
        name => Action::Manage(read_manage(name, matches)),
    };
    let has_lists = !matches!(name, "remove" | "login");
    Ok(AgentsArgs {
        action,
        lists: if has_lists { texts(matches, "registry") } else { Vec::new() },
        offline: has_lists && matches.get_flag("offline"),
    })
}

fn read_run(matches: &ArgMatches) -> RunArgs {
    RunArgs {
        id: text(matches, "id").unwrap_or_default(),
        args: matches.get_many::<OsString>("args").into_iter().flatten().cloned().collect(),
        env: texts(matches, "env"),
        all_env: matches.get_flag("all-env"),
    }
}

fn read_manage(name: &str, matches: &ArgMatches) -> Manage {
    let id = || text(matches, "id").unwrap_or_default();
    match name {
        "list" => Manage::List { all: matches.get_flag("all"), json: matches.get_flag("json") },
        "show" => Manage::Show { id: id(), json: matches.get_flag("json") },
        "install" => {
            let named = id();
            let (id, version) = match named.split_once('@') {
                Some((id, version)) => (id.to_owned(), Some(version.to_owned())),
                None => (named, None),
            };
            let way = text(matches, "way").as_deref().and_then(Way::of);
            Manage::Install { id, version, way, env: texts(matches, "env") }
        }
        "update" => Manage::Update { id: text(matches, "id"), dry_run: matches.get_flag("dry-run") },
        "remove" => Manage::Remove { id: id() },
        _ => Manage::Login { id: id(), method: text(matches, "method") },
    }
}

fn text(matches: &ArgMatches, name: &str) -> Option<String> {
    matches.get_one::<String>(name).cloned()
}

fn texts(matches: &ArgMatches, name: &str) -> Vec<String> {
    matches.get_many::<String>(name).into_iter().flatten().cloned().collect()
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use crate::args::parse;

    #[test]
    fn the_arguments_say_what_is_wrong() {
        for (line, wants) in [
            ("agents", "what to do? acp agents list|show|install|run|update|remove|login"),
            ("agents frob", "there is no command `frob`: see `acp agents --help`"),
            ("agents lst", "did you mean `list`?"),
            ("agents install", "the agent is missing: name it by its ID, as `acp agents list` shows it"),
            ("agents install robot --way cargo", "it must be binary, npx or uvx"),
            ("agents install robot --env A=B", "it must be the name of a variable"),
            ("agents run robot --env A --all-env", "one of them is enough"),
            ("agents update robot other", "one argument too many: `other`"),
            ("agents remove robot --registry x", "there is no option `--registry`"),
        ] {
            let error = parse(line.split(' ').map(OsString::from)).unwrap_err();
            assert!(error.contains(wants), "`{line}` gave {error}");
        }
    }
}
