//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use acp_client::v1::McpServer;
use lexopt::{Arg, Parser, ValueExt};

use crate::mcp;
use crate::new::{self, Kind, NewArgs, Source};

pub(crate) const HELP: &str = "\
acp: talk to Agent Client Protocol agents from a terminal

usage:
  acp prompt TEXT [options] -- AGENT [ARGS…]   one turn with an agent, started as a child process
  acp demo                                     a coding agent at work in a scratch folder
  acp new agent|client NAME [--rev COMMIT | --path CHECKOUT]
                                               a project that builds, runs and has a test, in a new folder; it takes
                                               the crates from a commit or a checkout (default: the newest commit)
  acp --help | --version

options of `acp prompt`:
  --cwd DIR        the session's directory, and the one whose files are served (default: here)
  --allow KIND     answer permission requests: once, always, reject or ask (default: ask when stdin and stdout are a
                   terminal, else reject). Only a line that comes after a question was shown answers it; with `ask`
                   it may come through a pipe. The end of the input is a no
  --mcp NAME=CMD   give the session an MCP server: a command with its arguments, or an address (https://…);
                   can be given several times
  --session ID     go on with this session of an earlier time: it is resumed, or loaded without being shown
  --missing-as-empty
                   files that do not exist read as empty: some agents read every file before they create it
  --no-terminals   do not run commands for the agent
  --mode MODE      switch the session to this mode first
  --timeout SECS   end the run after this time; a turn is cancelled and has ten seconds to stop
  --init-timeout SECS
                   how long the agent may take to start and to answer `initialize` (default: 60)
  --idle-timeout SECS
                   end the run, as --timeout does, when the agent is silent for this long and waits for nothing
  --record FILE    write every message to this file, one JSON object a line, with secrets redacted
  --verbose        show the agent's stderr, updates that have no place in the conversation, and what was skipped

Forms and pages of the agent are asked on the terminal, and declined where there is none.

exit status:
  0 done   1 error   2 usage   3 the agent refused   4 a limit was reached (tokens, requests)
  124 the time was up   130 cancelled   141 nobody reads the output
";

/// The command to run.
#[derive(Debug)]
pub(crate) enum Command {
    Prompt(Box<PromptArgs>),
    New(NewArgs),
    Demo,
    /// The agent that `acp demo` starts, on stdin and stdout.
    DemoAgent,
    Help,
    Version,
}

#[derive(Debug, Default)]
pub(crate) struct PromptArgs {
    pub(crate) text: String,
    pub(crate) agent: OsString,
    pub(crate) agent_args: Vec<OsString>,
    pub(crate) cwd: Option<PathBuf>,
    pub(crate) allow: Option<Allow>,
    pub(crate) mcp: Vec<McpServer>,
    pub(crate) session: Option<String>,
    pub(crate) missing_as_empty: bool,
    pub(crate) no_terminals: bool,
    pub(crate) mode: Option<String>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) init_timeout: Option<Duration>,
    pub(crate) idle_timeout: Option<Duration>,
    pub(crate) record: Option<PathBuf>,
    pub(crate) verbose: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Allow {
    Once,
    Always,
    Reject,
    Ask,
}

/// Reads the arguments after the program's name. The error is a sentence for the user.
pub(crate) fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Command, String> {
    let mut own: Vec<OsString> = args.into_iter().collect();
    // Everything after the first `--` belongs to the agent, even if it looks like an option.
    let agent =
        own.iter().position(|arg| arg == "--").map(|at| own.split_off(at).into_iter().skip(1).collect());
    command(Parser::from_args(own), agent).map_err(|error| error.to_string())
}

fn command(mut parser: Parser, agent: Option<Vec<OsString>>) -> Result<Command, lexopt::Error> {
    let name = match parser.next()? {
        Some(Arg::Value(name)) => name.string()?,
        Some(Arg::Long("help") | Arg::Short('h')) => return Ok(Command::Help),
        Some(Arg::Long("version") | Arg::Short('V')) => return Ok(Command::Version),
        Some(other) => return Err(other.unexpected()),
        None => return Err("the command is missing: see `acp --help`".into()),
    };
    let command = match name.as_str() {
        "prompt" => return prompt(parser, agent.unwrap_or_default()),
        "new" if agent.is_none() => return new_project(parser),
        "new" => return Err("`acp new` takes no agent".into()),
        "demo" => Command::Demo,
        "demo-agent" => Command::DemoAgent,
        "help" => Command::Help,
        other => {
            return Err(format!("there is no command `{other}`: see `acp --help`").into());
        }
    };
    match parser.next()? {
        Some(Arg::Long("help") | Arg::Short('h')) => Ok(Command::Help),
        Some(other) => Err(other.unexpected()),
        None if agent.is_some() => Err(format!("`acp {name}` takes no agent").into()),
        None => Ok(command),
    }
}

fn prompt(mut parser: Parser, agent: Vec<OsString>) -> Result<Command, lexopt::Error> {
    let mut agent = agent.into_iter();
    let (program, mut text) = (agent.next(), None);
    let mut args = PromptArgs { agent: program.clone().unwrap_or_default(), ..PromptArgs::default() };
    while let Some(arg) = parser.next()? {
        match arg {
            Arg::Long("cwd") => args.cwd = Some(PathBuf::from(parser.value()?)),
            Arg::Long("allow") => args.allow = Some(allow_kind(&parser.value()?.string()?)?),
            Arg::Long("mcp") => args.mcp.push(mcp::server(&parser.value()?.string()?)?),
            Arg::Long("session") => args.session = Some(parser.value()?.string()?),
            Arg::Long("missing-as-empty") => args.missing_as_empty = true,
            Arg::Long("no-terminals") => args.no_terminals = true,
            Arg::Long("mode") => args.mode = Some(parser.value()?.string()?),
            Arg::Long("timeout") => args.timeout = Some(seconds("timeout", &mut parser)?),
            Arg::Long("init-timeout") => args.init_timeout = Some(seconds("init-timeout", &mut parser)?),
            Arg::Long("idle-timeout") => args.idle_timeout = Some(seconds("idle-timeout", &mut parser)?),
            Arg::Long("record") => args.record = Some(PathBuf::from(parser.value()?)),
            Arg::Long("verbose") | Arg::Short('v') => args.verbose = true,
            Arg::Long("help") | Arg::Short('h') => return Ok(Command::Help),
            Arg::Value(value) if text.is_none() => text = Some(value.string()?),
            other => return Err(other.unexpected()),
        }
    }
    args.text = text.ok_or("the text of the prompt is missing: acp prompt TEXT -- AGENT [ARGS…]")?;
    program.ok_or("the agent is missing: end with `-- AGENT [ARGS…]`")?;
    args.agent_args = agent.collect();
    Ok(Command::Prompt(Box::new(args)))
}

fn new_project(mut parser: Parser) -> Result<Command, lexopt::Error> {
    const USAGE: &str = "acp new agent|client NAME [--rev COMMIT | --path CHECKOUT]";
    let (mut kind, mut name, mut source) = (None, None, None);
    while let Some(arg) = parser.next()? {
        let given = match arg {
            Arg::Long("rev") => new::rev(&parser.value()?.string()?)?,
            Arg::Long("path") => Source::Path(PathBuf::from(parser.value()?)),
            Arg::Long("help") | Arg::Short('h') => return Ok(Command::Help),
            Arg::Value(value) if kind.is_none() => {
                kind = Some(match value.to_str() {
                    Some("agent") => Kind::Agent,
                    Some("client") => Kind::Client,
                    _ => return Err(format!("a project is an agent or a client: {USAGE}").into()),
                });
                continue;
            }
            Arg::Value(value) if name.is_none() => {
                name = Some(value.string()?);
                continue;
            }
            other => return Err(other.unexpected()),
        };
        if source.replace(given).is_some() {
            return Err("`--rev` and `--path`: one of them is enough".into());
        }
    }
    let kind = kind.ok_or_else(|| format!("what to make? {USAGE}"))?;
    let name = name.ok_or_else(|| format!("the name is missing: {USAGE}"))?;
    Ok(Command::New(NewArgs { kind, name, source: source.unwrap_or_default() }))
}

fn allow_kind(kind: &str) -> Result<Allow, String> {
    match kind {
        "once" => Ok(Allow::Once),
        "always" => Ok(Allow::Always),
        "reject" => Ok(Allow::Reject),
        "ask" => Ok(Allow::Ask),
        _ => Err(format!("`--allow {kind}`: it must be once, always, reject or ask")),
    }
}

fn seconds(option: &str, parser: &mut Parser) -> Result<Duration, lexopt::Error> {
    let text = parser.value()?.string()?;
    let seconds = text.parse::<f64>().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    Ok(seconds.ok_or_else(|| format!("`--{option} {text}`: it must be a number of seconds"))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> String {
        match parse(line.split_whitespace().map(OsString::from)) {
            Ok(command) => format!("{command:?}"),
            Err(error) => format!("error: {error}"),
        }
    }

    #[test]
    fn everything_after_two_dashes_is_the_agents() {
        let Ok(Command::Prompt(args)) =
            parse(["prompt", "hi", "--verbose", "--", "npx", "--yes", "--", "--allow"].map(OsString::from))
        else {
            panic!("is a prompt")
        };
        assert_eq!((args.text.as_str(), args.verbose, args.allow), ("hi", true, None));
        assert_eq!(args.agent, "npx");
        assert_eq!(args.agent_args, ["--yes", "--", "--allow"]);
    }

    #[test]
    fn options_are_read_in_any_order() {
        let Ok(Command::Prompt(args)) = parse(
            "prompt --allow=once --timeout 1.5 hi --mode plan --session s1 --cwd /x --record /r -- a"
                .split(' ')
                .map(OsString::from),
        ) else {
            panic!("is a prompt")
        };
        assert_eq!(args.allow, Some(Allow::Once));
        assert_eq!(args.timeout, Some(Duration::from_millis(1500)));
        assert_eq!((args.mode.as_deref(), args.session.as_deref()), (Some("plan"), Some("s1")));
        assert_eq!(args.cwd, Some(PathBuf::from("/x")));
        assert_eq!(args.record, Some(PathBuf::from("/r")));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (line, wants) in [
            ("", "the command is missing"),
            ("frob", "no command `frob`"),
            ("prompt -- agent", "text of the prompt is missing"),
            ("prompt hi", "the agent is missing"),
            ("prompt hi --", "the agent is missing"),
            ("prompt hi there -- agent", "unexpected argument \"there\""),
            ("prompt hi --allow maybe -- agent", "`--allow maybe`: it must be once, always, reject or ask"),
            ("prompt hi --timeout soon -- agent", "`--timeout soon`: it must be a number of seconds"),
            ("prompt hi --timeout -1 -- agent", "it must be a number of seconds"),
            ("prompt hi --init-timeout NaN -- agent", "`--init-timeout NaN`: it must be a number of seconds"),
            (
                "prompt hi --idle-timeout 1e400 -- agent",
                "`--idle-timeout 1e400`: it must be a number of seconds",
            ),
            ("demo --fast", "invalid option '--fast'"),
            ("demo -- agent", "takes no agent"),
            ("new", "what to make? acp new agent|client NAME"),
            ("new server x", "a project is an agent or a client"),
            ("new agent", "the name is missing"),
            ("new agent x y", "unexpected argument \"y\""),
            ("new agent x -- y", "takes no agent"),
            ("new agent x --rev 1 --path y", "one of them is enough"),
            ("new agent x --rev a\"b", "is not a commit"),
        ] {
            let got = parsed(line);
            assert!(got.starts_with("error: ") && got.contains(wants), "`{line}` gave {got}");
        }
    }
}
