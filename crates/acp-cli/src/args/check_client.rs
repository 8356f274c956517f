//! The arguments of `acp check client`.

use std::ffi::OsString;

use acp_testkit::check::{Never, Version};
use clap::{Arg, ArgMatches, Command, value_parser};

use crate::args::check_common::{self, CommonArgs};
use crate::args::prompt::{option, switch};

#[derive(Debug)]
pub(crate) struct ClientArgs {
    pub(crate) version: Version,
    pub(crate) words: Vec<String>,
    pub(crate) common: CommonArgs,
    pub(crate) stdin: Option<String>,
    pub(crate) interrupt: bool,
}

/// The agent's end, which a client under check starts.
#[derive(Debug)]
pub(crate) struct AgentSideArgs {
    pub(crate) address: String,
    pub(crate) token: String,
    pub(crate) words: Vec<String>,
}

/// Options that are for clients only.
pub(super) fn options() -> [Arg; 2] {
    [
        option("stdin", "TEXT", value_parser!(String)).allow_hyphen_values(true).help(
            "for a client: write this text and a line end to its stdin; `{prompt}` in it is the prompt \
             [default: its stdin is empty]",
        ),
        switch("interrupt").help("for a client: an interrupt (Ctrl-C) makes it cancel its turn"),
    ]
}

/// The hidden command of the agent's end.
pub(super) fn agent_side() -> Command {
    let word = |name| Arg::new(name).required(true);
    Command::new("check-agent-side").hide(true).arg(word("address")).arg(word("token")).arg(
        Arg::new("words")
            .num_args(0..)
            .trailing_var_arg(true)
            .allow_hyphen_values(true)
            .value_parser(value_parser!(String)),
    )
}

pub(super) fn read_agent_side(matches: &ArgMatches) -> AgentSideArgs {
    let text = |name| matches.get_one::<String>(name).cloned().unwrap_or_default();
    let words = matches.get_many::<String>("words").into_iter().flatten().cloned().collect();
    AgentSideArgs { address: text("address"), token: text("token"), words }
}

pub(super) fn read(matches: &ArgMatches, version: Version) -> Result<ClientArgs, String> {
    let words = matches.get_many::<OsString>("command").into_iter().flatten();
    let words = words.map(|word| word.clone().into_string());
    let words = words.collect::<Result<Vec<_>, _>>();
    let words = words.map_err(|_| "the command of the client is not UTF-8".to_owned())?;
    if words.is_empty() {
        let usage = "the client is missing: end with `-- CLIENT [ARGS…]`, in which `{agent}` is the agent";
        return Err(usage.to_owned());
    }
    let names = [
        "login",
        "endless",
        "permission",
        "show",
        "turn-timeout",
        "profile",
        "agent",
        "registry",
        "url",
        "token-file",
        "tls-ca",
    ];
    let is_given = |name: &&str| matches.contains_id(name);
    let model_stub = matches.get_flag("model-stub").then_some("model-stub");
    if let Some(name) = names.into_iter().find(is_given).or(model_stub) {
        return Err(format!("`--{name}` is for `acp check agent`"));
    }
    let common = check_common::read(matches);
    if let Some(never) = common.never.iter().find(|never| **never != Never::Cancel) {
        return Err(format!("`--never {}` is for `acp check agent`", never.name()));
    }
    if matches.get_flag("interrupt") && !common.never.is_empty() {
        return Err("`--interrupt` and `--never cancel` contradict each other".to_owned());
    }
    Ok(ClientArgs {
        version,
        words,
        common,
        stdin: matches.get_one::<String>("stdin").cloned(),
        interrupt: matches.get_flag("interrupt"),
    })
}
