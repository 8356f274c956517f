//! The arguments that `acp check agent` and `acp check client` have in common.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, value_parser};

use crate::args::prompt::{option, switch};
use crate::args::value;

/// The rules to judge, the files of the report, and the surroundings of a scenario.
#[derive(Debug)]
pub(crate) struct CommonArgs {
    pub(crate) rules: Vec<String>,
    pub(crate) strict: bool,
    pub(crate) json: Option<PathBuf>,
    pub(crate) junit: Option<PathBuf>,
    pub(crate) markdown: Option<PathBuf>,
    pub(crate) baseline: Option<PathBuf>,
    pub(crate) cwd: Option<PathBuf>,
    pub(crate) prompt: Option<String>,
    pub(crate) timeout: Option<Duration>,
}

pub(super) fn options() -> [Arg; 9] {
    let file = |name| option(name, "FILE", value_parser!(PathBuf));
    let report = |name, form| file(name).help(format!("write the report to this file as {form}"));
    [
        option("rule", "ID", value_parser!(String))
            .action(ArgAction::Append)
            .help("judge this rule only; can be given several times"),
        switch("strict").help("count SHOULD rules, too"),
        report("json", "JSON"),
        report("junit", "JUnit XML"),
        report("markdown", "Markdown"),
        file("baseline").help(
            "expect the failures of this file, a rule's id a line; one of them that passes is an error",
        ),
        option("cwd", "DIR", value_parser!(PathBuf))
            .help("the directory of the sessions [default: a new one, removed afterwards]"),
        option("prompt", "TEXT", value_parser!(String)).help("a prompt that is answered with a few words"),
        limit("timeout", "how long an answer may take [default: 20]"),
    ]
}

/// Returns an option whose value is a time.
pub(super) fn limit(name: &'static str, help: &'static str) -> Arg {
    option(name, "SECS", value::seconds).allow_negative_numbers(true).help(help)
}

pub(super) fn read(matches: &ArgMatches) -> CommonArgs {
    let path = |name| matches.get_one::<PathBuf>(name).cloned();
    CommonArgs {
        rules: matches.get_many::<String>("rule").into_iter().flatten().cloned().collect(),
        strict: matches.get_flag("strict"),
        json: path("json"),
        junit: path("junit"),
        markdown: path("markdown"),
        baseline: path("baseline"),
        cwd: path("cwd"),
        prompt: matches.get_one::<String>("prompt").cloned(),
        timeout: matches.get_one::<Duration>("timeout").copied(),
    }
}
