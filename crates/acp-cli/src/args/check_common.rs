//! The arguments that `acp check agent` and `acp check client` have in common.

use std::path::PathBuf;
use std::time::Duration;

use acp_testkit::check::Never;
use clap::builder::PossibleValuesParser;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Id, value_parser};

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
    pub(crate) never: Vec<Never>,
    /// The number of runs whose verdicts are compared.
    pub(crate) repeat: u16,
    /// The words of a command that repeats a case, behind its rule.
    pub(crate) again: Vec<String>,
}

/// Options that such a command leaves out: it has a rule of its own, and writes to stdout only.
const LEFT_OUT: [&str; 7] = ["rule", "list", "repeat", "json", "junit", "markdown", "baseline"];

pub(super) fn options() -> [Arg; 11] {
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
        option("never", "WHAT", PossibleValuesParser::new(Never::ALL.map(Never::name)))
            .action(ArgAction::Append)
            .help("a thing that the program never does, so that rules about it do not apply; can be given several times"),
        option("repeat", "TIMES", value_parser!(u16).range(1..=1000))
            .help("run the check so many times, and name the rules whose verdicts differ [default: 1]"),
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
        never: never(matches),
        repeat: matches.get_one::<u16>("repeat").copied().unwrap_or(1),
        again: again(matches),
    }
}

fn never(matches: &ArgMatches) -> Vec<Never> {
    let names: Vec<&String> = matches.get_many("never").into_iter().flatten().collect();
    Never::ALL.into_iter().filter(|never| names.iter().any(|name| *name == never.name())).collect()
}

/// Returns the options of a command line as they were given, and the program under check.
fn again(matches: &ArgMatches) -> Vec<String> {
    let text = |value: &std::ffi::OsStr| value.to_string_lossy().into_owned();
    let mut words = Vec::new();
    let is_option = |id: &&str| !["side", "command"].contains(id) && !LEFT_OUT.contains(id);
    for id in matches.ids().map(Id::as_str).filter(is_option) {
        if matches.value_source(id) != Some(ValueSource::CommandLine) {
            continue;
        }
        if matches.try_get_one::<bool>(id).is_ok() {
            words.push(format!("--{id}"));
        } else {
            let values = matches.get_raw(id).into_iter().flatten();
            words.extend(values.map(|value| format!("--{id}={}", text(value))));
        }
    }
    let mut command = matches.get_raw("command").into_iter().flatten().map(text).peekable();
    if command.peek().is_some() {
        words.push("--".to_owned());
        words.extend(command);
    }
    words
}
