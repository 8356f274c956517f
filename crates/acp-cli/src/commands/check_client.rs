//! `acp check client`, and the agent's end that it gives to the client.

use std::io::{self, Write};

use acp_testkit::check::{ClientChecker, ClientOptions, ClientTarget, Coverage, Version, agent_side};

use crate::args::check_client::{AgentSideArgs, ClientArgs};
use crate::commands::check::{baseline, conclude, own_command};
use crate::outcome::{Failure, exit, tell};

/// Runs a check of a client, writes its report to stdout and returns the exit code.
pub(crate) async fn run(args: ClientArgs) -> Result<u8, Failure> {
    let coverage = Coverage::of_clients(args.version);
    let is_judged = |id: &str| coverage.judged.iter().chain(&coverage.earlier).any(|rule| rule.id == id);
    if let Some(id) = args.common.rules.iter().find(|id| !is_judged(id)) {
        let version = args.version.number();
        let list = format!("acp check client --list --protocol {version}");
        tell(&format!("acp: `--rule {id}`: no such rule of version {version} is judged: see `{list}`"));
        return Ok(exit::USAGE);
    }
    let common = args.common;
    let baseline = baseline(&common)?;
    let agent = own_command("check-agent-side")?;
    let mut runs = Vec::new();
    for _ in 0..common.repeat {
        let scratch = tempfile::tempdir()?;
        let mut options = ClientOptions::default();
        options.version = args.version;
        options.cwd = std::path::absolute(common.cwd.as_deref().unwrap_or(scratch.path()))?;
        options.only.clone_from(&common.rules);
        options.prompt = common.prompt.clone().unwrap_or(options.prompt);
        options.never.clone_from(&common.never);
        options.limit = common.timeout.unwrap_or(options.limit);
        (options.stdin, options.interrupt) = (args.stdin.clone(), args.interrupt);
        let target = match ClientTarget::command(args.words.clone(), agent.clone()) {
            Ok(target) => target,
            Err(problem) => {
                tell(&format!("acp: {problem}"));
                return Ok(exit::USAGE);
            }
        };
        runs.push(ClientChecker::new(target, options).run().await);
    }
    conclude(&common, runs, baseline)
}

/// Shows the rules for clients that are judged, and those that are not.
pub(crate) fn list(version: Version) -> io::Result<()> {
    io::stdout().write_all(Coverage::of_clients(version).to_string().as_bytes())
}

/// Plays the agent's program for the client under check.
pub(crate) async fn serve(args: AgentSideArgs) -> Result<u8, Failure> {
    let place = [args.address.as_str(), args.token.as_str()];
    let (stdin, stdout) = (tokio::io::stdin(), tokio::io::stdout());
    Ok(agent_side(place, &args.words, stdin, stdout, terminated()).await?)
}

/// Ends when somebody asks this process to terminate.
#[cfg(unix)]
async fn terminated() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => drop(terminate.recv().await),
        Err(_) => std::future::pending().await,
    }
}

#[cfg(not(unix))]
async fn terminated() {
    std::future::pending().await
}
