//! The `acp` command: see `acp --help`.

mod args;
mod commands;
mod interrupt;
mod named;
mod nearest;
mod outcome;
mod output;
mod passing;
mod render;
mod request_id;
mod schema;
mod style;

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use crate::args::Command;
#[cfg(feature = "agents")]
use crate::commands::agents;
#[cfg(feature = "inspect")]
use crate::commands::inspect;
use crate::commands::{
    bridge, call, chat, check, check_client, conduct, connect, demo, diff, info, man, mcp_shim, mock, new,
    prompt, replay, serve, sessions, tap,
};
use crate::interrupt::until_told;
use crate::outcome::{Failure, exit, tell};
use crate::passing::streams::Streams;

fn main() -> ExitCode {
    let command = match args::parse(std::env::args_os().skip(1)) {
        Ok(command) => command,
        Err(problem) => return fail(exit::USAGE, &problem),
    };
    match run(command) {
        Ok(code) => ExitCode::from(code),
        Err(failure) if is_unread(&failure) => ExitCode::from(exit::UNREAD),
        Err(failure) => fail(exit::ERROR, &failure.to_string()),
    }
}

fn run(command: Command) -> Result<u8, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let streams = Streams::new();
    let code = match command {
        Command::Prompt(args) => runtime.block_on(prompt::run(*args)),
        Command::Chat(args) => runtime.block_on(chat::run(*args)),
        Command::PromptSchema => say(render::json::SCHEMA),
        Command::Sessions(args) => runtime.block_on(until_told(sessions::run(args))),
        Command::Call(args) => runtime.block_on(until_told(call::run(args))),
        Command::Info(args) => runtime.block_on(until_told(info::run(args))),
        Command::Bridge(args) => runtime.block_on(bridge::run(&args)),
        Command::Check(args) => runtime.block_on(until_told(check::run(args, &streams))),
        Command::CheckMcpSide(args) => runtime.block_on(check::serve_mcp(args)),
        Command::CheckAgentSide(args) => runtime.block_on(check_client::serve(args)),
        Command::Conduct(args) => runtime.block_on(until_told(conduct::run(args))),
        Command::McpShim => mcp_shim::run(),
        Command::Mock(args) => runtime.block_on(until_told(mock::run(args, &streams))),
        Command::Serve(args) => runtime.block_on(serve::run(*args)),
        Command::Connect(args) => runtime.block_on(connect::run(&args.address, args.drain, None)),
        Command::Tap(args) => runtime.block_on(tap::run(args)),
        Command::Replay(args) => runtime.block_on(until_told(replay::run(*args, &streams))),
        Command::Diff(args) => diff::run(&args),
        #[cfg(feature = "inspect")]
        Command::Inspect(args) => runtime.block_on(inspect::run(args, &streams)),
        #[cfg(feature = "agents")]
        Command::Agents(args) => runtime.block_on(agents::run(*args)),
        Command::New(args) => {
            let made = new::make(&args, std::path::Path::new(".")).map_err(Failure::from)?;
            say(&made)
        }
        Command::Demo => runtime.block_on(demo::run()),
        Command::DemoAgent => runtime.block_on(demo::serve_agent()),
        Command::Completions(shell) => say(&man::completions(shell)),
        Command::Man { dir: Some(dir), is_markdown: true } => say(&man::markdown(&dir)?),
        Command::Man { dir, .. } => say(&man::pages(dir.as_deref())?),
        Command::Tell(text) => say(&text),
    };
    // The servers learn of the end. A second signal does not wait for that.
    let told = until_told(async {
        streams.ended().await;
        Ok(exit::DONE)
    });
    let _ = runtime.block_on(told);
    // A write that nobody reads cannot be interrupted, and is not worth waiting for. An agent that
    // is still there is killed with its whole tree.
    runtime.shutdown_background();
    code
}

fn say(text: &str) -> Result<u8, Failure> {
    io::stdout().write_all(text.as_bytes())?;
    Ok(exit::DONE)
}

/// Returns true if the reader of stdout has gone away, which is not an error.
fn is_unread(failure: &Failure) -> bool {
    failure.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}

fn fail(code: u8, problem: &str) -> ExitCode {
    tell(&format!("acp: {problem}"));
    ExitCode::from(code)
}
