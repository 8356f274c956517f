//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use acp_client::v1::McpServer;
use lexopt::{Arg, Parser, ValueExt};

use crate::mcp;

pub(crate) const HELP: &str = "\
acp: talk to Agent Client Protocol agents from a terminal

usage:
  acp prompt TEXT [options] -- AGENT [ARGS…]   one turn with an agent, started as a child process
  acp demo                                     a coding agent at work in a scratch folder
  acp --help | --version

options of `acp prompt`:
  --cwd DIR        the session's directory, and the one whose files are served (default: here)
  --allow KIND     answer permission requests: once, always, reject or ask
                   (default: ask on a terminal, else reject)
  --mcp NAME=CMD   give the session an MCP server: a command with its arguments, or an address (https://…);
                   can be given several times
  --session ID     go on with this session of an earlier time: it is resumed, or loaded without being shown
  --missing-as-empty
                   files that do not exist read as empty: some agents read every file before they create it
  --mode MODE      switch the session to this mode first
  --timeout SECS   cancel the turn after this time
  --record FILE    write every message to this file, one JSON object a line, with secrets redacted
  --verbose        show the agent's stderr, updates that have no place in the conversation, and what was skipped

exit status:
  0 done   1 error   2 usage   3 the agent refused   4 a limit was reached (tokens, requests)
  124 the time was up   130 cancelled
";

/// What to do.
#[derive(Debug)]
pub(crate) enum Command {
    Prompt(Box<PromptArgs>),
    Demo,
    /// What `acp demo` starts: the coding agent of the examples on stdin and stdout.
    DemoAgent,
    Help,
    Version,
}

#[derive(Debug)]
pub(crate) struct PromptArgs {
    pub(crate) text: String,
    pub(crate) agent: OsString,
    pub(crate) agent_args: Vec<OsString>,
    pub(crate) cwd: Option<PathBuf>,
    pub(crate) allow: Option<Allow>,
    pub(crate) mcp: Vec<McpServer>,
    pub(crate) session: Option<String>,
    pub(crate) missing_as_empty: bool,
    pub(crate) mode: Option<String>,
    pub(crate) timeout: Option<Duration>,
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
    // Everything after the first `--` is the agent's, whatever it looks like.
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
        None => return Err("what to do? `acp --help` tells".into()),
    };
    let command = match name.as_str() {
        "prompt" => return prompt(parser, agent.unwrap_or_default()),
        "demo" => Command::Demo,
        "demo-agent" => Command::DemoAgent,
        "help" => Command::Help,
        other => {
            return Err(format!("there is no command `{other}`: `acp --help` tells which there are").into());
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
    let (mut text, mut cwd, mut allow, mut session, mut mode, mut timeout, mut record) =
        (None, None, None, None, None, None, None);
    let (mut missing_as_empty, mut verbose) = (false, false);
    let mut mcp = Vec::new();
    while let Some(arg) = parser.next()? {
        match arg {
            Arg::Long("cwd") => cwd = Some(PathBuf::from(parser.value()?)),
            Arg::Long("allow") => allow = Some(allow_kind(&parser.value()?.string()?)?),
            Arg::Long("mcp") => mcp.push(mcp::server(&parser.value()?.string()?)?),
            Arg::Long("session") => session = Some(parser.value()?.string()?),
            Arg::Long("missing-as-empty") => missing_as_empty = true,
            Arg::Long("mode") => mode = Some(parser.value()?.string()?),
            Arg::Long("timeout") => timeout = Some(seconds(&parser.value()?.string()?)?),
            Arg::Long("record") => record = Some(PathBuf::from(parser.value()?)),
            Arg::Long("verbose") | Arg::Short('v') => verbose = true,
            Arg::Long("help") | Arg::Short('h') => return Ok(Command::Help),
            Arg::Value(value) if text.is_none() => text = Some(value.string()?),
            other => return Err(other.unexpected()),
        }
    }
    let text = text.ok_or("the text of the prompt is missing: acp prompt TEXT -- AGENT [ARGS…]")?;
    let mut agent = agent.into_iter();
    let program = agent.next().ok_or("the agent is missing: end with `-- AGENT [ARGS…]`")?;
    Ok(Command::Prompt(Box::new(PromptArgs {
        text,
        agent: program,
        agent_args: agent.collect(),
        cwd,
        allow,
        mcp,
        session,
        missing_as_empty,
        mode,
        timeout,
        record,
        verbose,
    })))
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

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or_else(|| format!("`--timeout {text}`: it must be a number of seconds"))
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
            ("", "what to do?"),
            ("frob", "no command `frob`"),
            ("prompt -- agent", "text of the prompt is missing"),
            ("prompt hi", "the agent is missing"),
            ("prompt hi --", "the agent is missing"),
            ("prompt hi there -- agent", "unexpected argument \"there\""),
            ("prompt hi --allow maybe -- agent", "`--allow maybe`: it must be once, always, reject or ask"),
            ("prompt hi --timeout soon -- agent", "`--timeout soon`: it must be a number of seconds"),
            ("prompt hi --timeout -1 -- agent", "it must be a number of seconds"),
            ("demo --fast", "invalid option '--fast'"),
            ("demo -- agent", "takes no agent"),
        ] {
            let got = parsed(line);
            assert!(got.starts_with("error: ") && got.contains(wants), "`{line}` gave {got}");
        }
    }
}
