//! `acp prompt`: one turn with an agent.

use std::io::{self, IsTerminal, Stdout, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use acp_client::tap::Recorder;
use acp_client::v1::{AuthMethod, McpServer, StopReason};
use acp_client::{Agent, Command, Error, LocalFs, Options, PermissionPolicy, Session, Turn};
use tokio::time::{Instant, sleep_until};

use crate::args::{Allow, PromptArgs};
use crate::ask::Desk;
use crate::interrupt::{Interrupt, Interrupts};
use crate::render::Renderer;
use crate::style::{Clean, Look, Style};

/// How long an agent may take to end a turn whose time is up.
const CANCEL_GRACE: Duration = Duration::from_secs(10);

/// How the program ends.
pub(crate) mod exit {
    pub(crate) const DONE: u8 = 0;
    pub(crate) const ERROR: u8 = 1;
    pub(crate) const USAGE: u8 = 2;
    pub(crate) const REFUSED: u8 = 3;
    pub(crate) const LIMIT: u8 = 4;
    pub(crate) const TIMED_OUT: u8 = 124;
    pub(crate) const CANCELLED: u8 = 130;
}

/// Why a run ended without an exit code of its own.
pub(crate) type Failure = Box<dyn std::error::Error>;

/// Runs one turn and returns the exit code.
pub(crate) async fn run(args: PromptArgs) -> Result<u8, Failure> {
    let Some(file) = &args.record else { return turn(args, Options::default()).await };
    let option = format!("`--record {}`", file.display());
    let recorder = Recorder::create(file).map_err(|error| format!("{option}: {error}"))?;
    let code = turn(args, Options::default().tap(recorder.tap())).await;
    // A run that failed is worth its record, too.
    let dropped = recorder.finish().map_err(|error| format!("{option}: {error}"));
    match (code?, dropped?) {
        (code, 0) => Ok(code),
        (_, dropped) => Err(format!("{option}: {dropped} messages are missing").into()),
    }
}

async fn turn(args: PromptArgs, options: Options) -> Result<u8, Failure> {
    let mut interrupts = Interrupts::listen()?;
    let mut screen = Renderer::new(io::stdout(), Style::detect(), args.verbose);
    let (mut desk, permissions) = Desk::new(args.allow.unwrap_or_else(default_allow));
    let verbose = args.verbose;
    let timeout = args.timeout;
    let agent = tokio::select! {
        agent = start(&args, permissions, options) => agent?,
        _ = interrupts.next() => return Ok(exit::CANCELLED),
    };
    let code = tokio::select! {
        turn = prompt(&agent, args) => match turn {
            Ok(turn) => show(turn, &mut screen, &mut desk, &mut interrupts, timeout).await,
            Err(failure) => Err(failure),
        },
        _ = interrupts.next() => return Ok(exit::CANCELLED),
    };
    if verbose {
        tell_faults(&agent, &mut screen)?;
    }
    tell_lost(agent.lost_messages(), verbose);
    // A run that fails may have its reason on the agent's stderr only. The error of an agent that died has it already.
    let failed = matches!(code, Err(_) | Ok(End::Code(exit::ERROR | exit::REFUSED)));
    if failed && !verbose && !agent.peer().is_closed() {
        agent.stderr_tail().lines().for_each(tell_stderr);
    }
    match code? {
        End::Code(code) => {
            agent.close().await;
            Ok(code)
        }
        // Nothing more is waited for, not even the agent's goodbye.
        End::GivenUp(code) => Ok(code),
    }
}

/// How a turn ended: by itself, or because nobody wanted to wait any longer.
enum End {
    Code(u8),
    GivenUp(u8),
}

async fn start(args: &PromptArgs, permissions: PermissionPolicy, options: Options) -> Result<Agent, Failure> {
    let cwd = session_folder(args)?;
    let files = LocalFs::rooted(&cwd).map_err(|error| format!("`--cwd {}`: {error}", cwd.display()))?;
    let files = files.create_directories();
    let files = if args.missing_as_empty { files.missing_as_empty() } else { files };
    let mut command = Command::new(&args.agent).args(&args.agent_args);
    if args.verbose {
        command = command.on_stderr(tell_stderr);
    }
    let connect = acp_client::spawn(command).info("acp", env!("CARGO_PKG_VERSION"));
    Ok(connect.options(options).fs(files).permissions(permissions).await?)
}

async fn prompt(agent: &Agent, args: PromptArgs) -> Result<Turn, Failure> {
    let cwd = session_folder(&args)?;
    let opened = match args.session {
        Some(id) => reopen(agent, id, &cwd, args.mcp).await,
        None => {
            let new = agent.new_session(cwd);
            args.mcp.into_iter().fold(new, |new, server| new.mcp_server(server)).await
        }
    };
    let session = opened.map_err(|error| with_logins(agent, error))?;
    if args.verbose {
        tell(&format!("session: {}", session.id()));
    }
    if let Some(mode) = args.mode {
        session.set_mode(mode).await?;
    }
    Ok(session.prompt(args.text).await?)
}

/// Takes a session up again. A load brings its conversation, which was shown when it took place.
async fn reopen(agent: &Agent, id: String, cwd: &Path, mcp: Vec<McpServer>) -> Result<Session, Error> {
    if agent.capabilities().session_capabilities.resume.is_some() {
        let resumed = agent.resume_session(id, cwd);
        return mcp.into_iter().fold(resumed, |resumed, server| resumed.mcp_server(server)).await;
    }
    let loaded = agent.load_session(id, cwd);
    let loaded = mcp.into_iter().fold(loaded, |loaded, server| loaded.mcp_server(server));
    loaded.replay().await?.finish().await
}

/// An error that asks for a login says which ones the agent has.
fn with_logins(agent: &Agent, error: Error) -> Failure {
    if !error.is_auth_required() {
        return error.into();
    }
    let names = agent.auth_methods().iter().filter_map(|method| match method {
        AuthMethod::Terminal(method) => Some(method.name.clone()),
        method => method.as_agent().map(|method| method.name),
    });
    let names: Vec<String> = names.collect();
    let offered = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    format!("{error}; log in with the agent's own command first (the agent offers: {offered})").into()
}

fn session_folder(args: &PromptArgs) -> io::Result<PathBuf> {
    std::path::absolute(args.cwd.as_deref().unwrap_or(Path::new(".")))
}

/// On a terminal somebody can be asked. Nobody else can consent.
fn default_allow() -> Allow {
    if io::stdin().is_terminal() && io::stdout().is_terminal() { Allow::Ask } else { Allow::Reject }
}

/// Shows a turn until its end. The first Ctrl-C cancels it, the second one gives up waiting.
async fn show(
    mut turn: Turn,
    screen: &mut Renderer<Stdout>,
    desk: &mut Desk,
    interrupts: &mut Interrupts,
    timeout: Option<Duration>,
) -> Result<End, Failure> {
    let mut deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    let mut stopping = None;
    loop {
        tokio::select! {
            // What stops a turn is looked at first: an agent that never pauses must not keep it away.
            biased;
            interrupt = interrupts.next() => {
                if stopping.is_some() || interrupt == Interrupt::End {
                    screen.line(Look::Yellow, "not waiting any longer")?;
                    return Ok(End::GivenUp(exit::CANCELLED));
                }
                stopping = Some(exit::CANCELLED);
                deadline = None;
                screen.line(Look::Yellow, "cancelling; press Ctrl-C again to give up waiting")?;
                turn.cancel()?;
            }
            () = at(deadline) => {
                if let Some(code) = stopping {
                    screen.line(Look::Yellow, "not waiting any longer")?;
                    return Ok(End::GivenUp(code));
                }
                stopping = Some(exit::TIMED_OUT);
                deadline = Some(Instant::now() + CANCEL_GRACE);
                screen.line(Look::Yellow, "the time is up: cancelling")?;
                turn.cancel()?;
            }
            event = turn.next() => match event {
                Some(event) => screen.event(&event)?,
                None => break,
            },
            attended = desk.attend(screen) => attended?,
        }
    }
    screen.end_line()?;
    let done = turn.finish().await?;
    let code = match done.stop_reason {
        StopReason::EndTurn => exit::DONE,
        StopReason::Refusal => exit::REFUSED,
        StopReason::MaxTokens | StopReason::MaxTurnRequests => exit::LIMIT,
        StopReason::Cancelled => stopping.unwrap_or(exit::CANCELLED),
        _ => exit::ERROR,
    };
    if code != exit::DONE {
        screen.line(Look::Yellow, &format!("the turn ended with: {}", done.stop_reason))?;
    }
    Ok(End::Code(code))
}

async fn at(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

fn tell_faults(agent: &Agent, screen: &mut Renderer<Stdout>) -> io::Result<()> {
    agent.faults().iter().try_for_each(|fault| screen.line(Look::Dim, fault))
}

/// What was shown is not all that the agent said.
fn tell_lost(messages: u64, verbose: bool) {
    let why = if verbose { "see above" } else { "--verbose says why" };
    match messages {
        0 => {}
        1 => tell(&format!("lost: 1 message of the agent cannot be read ({why})")),
        more => tell(&format!("lost: {more} messages of the agent cannot be read ({why})")),
    }
}

fn tell_stderr(line: &str) {
    tell(&format!("agent: {line}"));
}

fn tell(line: &str) {
    // When our own stderr is closed there is nobody to tell.
    let _ = writeln!(io::stderr(), "{}", Clean(line));
}
