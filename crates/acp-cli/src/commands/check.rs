//! `acp check`: the rules of the protocol, run against an agent or a client.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use acp_testkit::check::{Baseline, Checker, Coverage, Options, Report, Target, Unsteady, mcp_side};

use crate::args::check::{AgentArgs, CheckArgs, McpSideArgs};
use crate::args::check_common::CommonArgs;
use crate::commands::check_client;
use crate::commands::model::Model;
use crate::named::Named;
use crate::outcome::{Failure, exit, tell};
use crate::passing::denied::told;
use crate::passing::streams::Streams;

/// Runs a check, writes its report to stdout and returns the exit code.
pub(crate) async fn run(args: CheckArgs, streams: &Streams) -> Result<u8, Failure> {
    match args {
        CheckArgs::List(version) => {
            io::stdout().write_all(Coverage::of_agents(version).to_string().as_bytes())?;
            Ok(exit::DONE)
        }
        CheckArgs::Agent(args) => agent(*args, streams).await,
        CheckArgs::ListOfClients(version) => {
            check_client::list(version)?;
            Ok(exit::DONE)
        }
        CheckArgs::Client(args) => check_client::run(*args).await,
    }
}

async fn agent(args: AgentArgs, streams: &Streams) -> Result<u8, Failure> {
    let coverage = Coverage::of_agents(args.version);
    let is_judged = |id: &str| coverage.judged.iter().chain(&coverage.earlier).any(|rule| rule.id == id);
    if let Some(id) = args.common.rules.iter().find(|id| !is_judged(id)) {
        let version = args.version.number();
        let list = format!("acp check agent --list --protocol {version}");
        tell(&format!("acp: `--rule {id}`: no such rule of version {version} is judged: see `{list}`"));
        return Ok(exit::USAGE);
    }
    let baseline = baseline(&args.common)?;
    let mut runs = Vec::new();
    for _ in 0..args.common.repeat {
        runs.push(run_once(&args, streams).await?);
    }
    conclude(&args.common, runs, baseline)
}

/// Runs a check with a model and folders of its own.
async fn run_once(args: &AgentArgs, streams: &Streams) -> Result<Report, Failure> {
    let agent = args.agent.find()?;
    let scratch = if args.common.cwd.is_none() { Some(tempfile::tempdir()?) } else { None };
    let (target, model) = if args.model_stub || args.profile.is_some() {
        let command = agent.into_command("`--model-stub`")?;
        let (model, command) = Model::start(command, args.profile.as_deref()).await?;
        (Target::spawn(command), Some(model))
    } else if args.agent.is_remote() {
        (reached(args.agent.clone(), streams.clone()).await?, None)
    } else {
        (Target::spawn(agent.into_command("a check")?), None)
    };
    let options = options(args, scratch.as_ref().map(tempfile::TempDir::path), model.as_ref())?;
    Ok(Checker::new(target, options).run().await)
}

/// Returns an agent of another machine. A server that cannot be reached is an error here, and not
/// of each rule.
async fn reached(named: Named, streams: Streams) -> Result<Target, Failure> {
    named.find()?.probe().await.map_err(|error| told(&error.into()))?;
    Ok(Target::new(move || named.find().map_err(io::Error::other)?.peer(&streams)))
}

/// Plays an MCP server for the agent under check.
pub(crate) async fn serve_mcp(args: McpSideArgs) -> Result<u8, Failure> {
    let place = [args.address.as_str(), args.token.as_str(), args.name.as_str()];
    mcp_side(place, tokio::io::stdin(), tokio::io::stdout()).await?;
    Ok(exit::DONE)
}

/// Returns the command of this program with a hidden command of it.
pub(crate) fn own_command(hidden: &str) -> Result<Vec<String>, Failure> {
    let exe = std::env::current_exe()?;
    let exe = exe.to_str().ok_or("the path of this program is not UTF-8")?.to_owned();
    Ok(vec![exe, hidden.to_owned()])
}

/// Reads the expected failures. That comes before the check, which takes long.
pub(crate) fn baseline(args: &CommonArgs) -> Result<Option<Baseline>, Failure> {
    let Some(file) = &args.baseline else { return Ok(None) };
    let text =
        fs::read_to_string(file).map_err(|error| format!("`--baseline {}`: {error}", file.display()))?;
    Ok(Some(Baseline::parse(&text)))
}

/// Writes the report of the first run to stdout and into the files of the options, and names the
/// rules whose verdicts differ in the other runs. Returns the exit code.
pub(crate) fn conclude(
    args: &CommonArgs,
    runs: Vec<Report>,
    baseline: Option<Baseline>,
) -> Result<u8, Failure> {
    let unsteady = Unsteady::among(&runs);
    let report = runs.into_iter().next().ok_or("nothing was checked")?;
    let mut report = report.again(args.again.clone());
    // The JSON has every outcome. The others are for people, who know of the expected failures.
    write("json", args.json.as_deref(), || format!("{:#}\n", report.to_json()))?;
    let passed = baseline.map(|baseline| baseline.apply(&mut report)).unwrap_or_default();
    write("junit", args.junit.as_deref(), || report.to_junit(args.strict))?;
    write("markdown", args.markdown.as_deref(), || report.to_markdown())?;
    let mut text = report.to_string();
    for id in &passed {
        text.push_str(&format!("\nexpected to fail, and passes: {id}\n"));
    }
    for rule in &unsteady {
        text.push_str(&format!("\n{rule}\n"));
    }
    if args.repeat > 1 {
        text.push_str(&format!("\n{} runs: the verdicts of {} rules differ\n", args.repeat, unsteady.len()));
    }
    io::stdout().write_all(text.as_bytes())?;
    let code = report.status(args.strict).exit_code();
    let is_conclusive = passed.is_empty() && unsteady.is_empty() && report.unreached().is_none();
    Ok(if is_conclusive { code } else { exit::ERROR })
}

/// Writes a report to the file of an option, if it is given.
fn write(option: &str, file: Option<&Path>, report: impl FnOnce() -> String) -> Result<(), Failure> {
    let Some(file) = file else { return Ok(()) };
    fs::write(file, report()).map_err(|error| format!("`--{option} {}`: {error}", file.display()).into())
}

/// Returns the rules that the way to an agent hides.
fn unseen(agent: &Named) -> Vec<(&'static str, &'static str)> {
    const LINES: &str = "lines are an affair of stdin and stdout";
    const READ: &str = "over HTTP each message is read on the way, and other text does not reach the agent";
    const ORDER: &str = "over HTTP the first message must be `initialize`, or none reaches the agent";
    let Named::Remote(address) = agent else { return Vec::new() };
    let lines = [("v1-tr-09", LINES)];
    let http = [("v1-rpc-16", READ), ("v1-rpc-17", READ), ("v1-rpc-18", READ), ("v1-init-10", ORDER)];
    let http = if address.is_websocket() { &[][..] } else { &http };
    lines.iter().chain(http).copied().collect()
}

fn options(args: &AgentArgs, scratch: Option<&Path>, model: Option<&Model>) -> Result<Options, Failure> {
    let mut options = Options::default();
    options.version = args.version;
    if let Some(cwd) = args.common.cwd.as_deref().or(scratch) {
        options.cwd = std::path::absolute(cwd)?;
    }
    options.only.clone_from(&args.common.rules);
    options.login.clone_from(&args.login);
    options.mcp_server = own_command("check-mcp-side")?;
    options.unseen = unseen(&args.agent);
    options.never.clone_from(&args.common.never);
    if let Some(model) = model {
        model.prompts(&mut options);
    }
    // The user's prompts come before those of a profile.
    options.prompt = args.common.prompt.clone().unwrap_or(options.prompt);
    options.endless_prompt = args.endless_prompt.clone().or(options.endless_prompt);
    options.permission_prompt = args.permission_prompt.clone().or(options.permission_prompt);
    if !args.more_prompts.is_empty() {
        options.more_prompts.clone_from(&args.more_prompts);
    }
    options.limit = args.common.timeout.unwrap_or(options.limit);
    options.turn_limit = args.turn_timeout.unwrap_or(options.turn_limit);
    Ok(options)
}
