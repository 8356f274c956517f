//! The arguments of `acp call`.

use clap::{Arg, ArgMatches, Command, value_parser};

use crate::args::connection::{self, ConnectionArgs};
use crate::args::prompt::{option, switch};

#[derive(Debug)]
pub(crate) struct CallArgs {
    pub(crate) method: String,
    /// The params, or `-` for those on stdin.
    pub(crate) params: String,
    pub(crate) session: SessionChoice,
    pub(crate) is_raw: bool,
    pub(crate) verbose: bool,
    pub(crate) connection: ConnectionArgs,
}

/// The session that a call is about.
#[derive(Debug)]
pub(crate) enum SessionChoice {
    /// None, or one that the params name.
    None,
    /// A new one.
    New,
    /// One of an earlier time.
    Earlier(String),
}

const AFTER_HELP: &str = "\
The agent is started, asked by `initialize`, given the call, and ended. The result is written to stdout as JSON. The \
params are checked against the schema of the version that is spoken, and nothing is sent if they do not fit. What the \
agent asks meanwhile is refused.

Examples:
  acp call session/list '{}' -- my-agent --acp
  acp call session/set_mode '{\"modeId\": \"plan\"}' --new-session -- my-agent --acp
  echo '{\"deep\": true}' | acp call _my/method - -- my-agent --acp

exit status:
  0    the agent answered with a result, or a notification was sent
  1    error: the agent failed, ended or could not be started
  2    usage, or params that do not fit: stderr has the path of each fault
  3    the agent answered with an error: stderr has it
  124  the time was up
  130  cancelled
  141  nobody reads the output";

pub(super) const ABOUT: &str = "Sends one request to an agent and shows the answer";

/// Adds the arguments to the command.
pub(super) fn define(command: Command) -> Command {
    let command = command
        .override_usage(
            "acp call METHOD [PARAMS] [OPTIONS] -- AGENT [ARGS…]\n       acp call METHOD [PARAMS] [OPTIONS] \
             --agent ID|FILE\n       acp call METHOD [PARAMS] [OPTIONS] --url URL",
        )
        .after_help(AFTER_HELP)
        .arg(Arg::new("method").value_name("METHOD").required(true).help("the method, such as session/list"))
        .arg(
            Arg::new("params")
                .value_name("PARAMS")
                .help("the params, a JSON object, or `-` for that on stdin [default: {}]"),
        )
        .arg(switch("raw").help("send the params unchecked, and take any method"))
        .arg(
            switch("new-session")
                .conflicts_with("session")
                .help("open a session first; its id becomes the `sessionId` of the params"),
        )
        .arg(option("session", "ID", value_parser!(String)).help(
            "take up this session first, by `session/resume` or `session/load`; its id becomes the `sessionId` \
             of the params",
        ))
        .arg(switch("verbose").short('v').help("write the updates that come meanwhile to stderr, as JSON"));
    connection::define(command, "the directory of the session [default: here]")
}

pub(super) fn read(matches: &ArgMatches) -> Result<CallArgs, String> {
    let text = |name| matches.get_one::<String>(name).cloned();
    let session = match text("session") {
        Some(id) => SessionChoice::Earlier(id),
        None if matches.get_flag("new-session") => SessionChoice::New,
        None => SessionChoice::None,
    };
    Ok(CallArgs {
        method: text("method").unwrap_or_default(),
        params: text("params").unwrap_or_else(|| "{}".to_owned()),
        session,
        is_raw: matches.get_flag("raw"),
        verbose: matches.get_flag("verbose"),
        connection: connection::read(matches)?,
    })
}
