//! `acp prompt`: one turn with an agent.

mod activity;
pub(crate) mod attached;
pub(crate) mod limits;
pub(crate) mod open;
pub(crate) mod run;
pub(crate) mod settings;

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::Duration;

use acp_cli::terminal::{Asker, Desk};
use acp_client::tap::Recorder;
use acp_client::v1::StopReason;
use acp_client::{Agent, Connect, Error, LocalFs, LocalTerminals, Options, PermissionAnswer, Turn};

use crate::args::prompt::{Form, PromptArgs};
use crate::args::value::Allow;
use crate::commands::prompt::activity::Activity;
use crate::commands::prompt::attached::Prompt;
use crate::commands::prompt::limits::Limits;
use crate::commands::prompt::run::{Halt, Run};
use crate::interrupt::{Interrupt, Interrupts};
use crate::outcome::{Failure, exit, tell, tell_stderr};
use crate::output::Output;
use crate::render::Renderer;
use crate::render::advice::advised;
use crate::render::json::JsonLines;
use crate::render::quiet::Quiet;
use crate::render::view::View;
use crate::request_id::RequestId;
use crate::style::{Look, Style};

/// The time that an agent has to end a turn after a limit was reached.
const CANCEL_GRACE: Duration = Duration::from_secs(10);
/// The time that an agent has to end a turn that the user has cancelled. The user can give up
/// earlier.
pub(crate) const INTERRUPT_GRACE: Duration = Duration::from_secs(60);
/// The most output that is kept for a slow reader while the turn is being stopped, in bytes.
pub(crate) const UNREAD: usize = 1024 * 1024;

/// Runs one turn and returns the exit code.
pub(crate) async fn run(args: PromptArgs) -> Result<u8, Failure> {
    recorded(&args, async |options| whole(&args, options).await).await
}

/// Runs a command whose messages are recorded if that is wanted.
pub(crate) async fn recorded(
    args: &PromptArgs,
    command: impl AsyncFnOnce(Options) -> Result<u8, Failure>,
) -> Result<u8, Failure> {
    let Some(file) = &args.record else { return command(Options::default()).await };
    let option = format!("`--record {}`", file.display());
    let recorder = Recorder::create(file).map_err(|error| format!("{option}: {error}"))?;
    let code = command(Options::default().tap(recorder.tap())).await;
    // A failed run is recorded to its end, too.
    let dropped = recorder.finish().map_err(|error| format!("{option}: {error}"));
    match (code?, dropped?) {
        (code, 0) => Ok(code),
        (_, dropped) => Err(format!("{option}: {dropped} messages are missing").into()),
    }
}

/// Runs from the start of the agent to its end.
async fn whole(args: &PromptArgs, options: Options) -> Result<u8, Failure> {
    let interrupts = Interrupts::listen()?;
    let (desk, asker) = desk(args.allow, args.form);
    let (screen, options) = view(args, options);
    let mut run = Run {
        screen,
        output: Output::new(),
        desk,
        interrupts,
        // Until the agent has answered `initialize` it has a limit of its own.
        limits: Limits::new(args.timeout),
    };
    let code = run.whole(args, options, &asker).await;
    if let Err(failure) = &code {
        // The reason follows the output. A user who does not want to wait for the output gets it
        // at once.
        run.screen.failed(failure, exit::ERROR);
        let _ = run.write_out().await;
    }
    code
}

/// Returns the form in which the run is shown, and the options of its connection.
fn view(args: &PromptArgs, options: Options) -> (View, Options) {
    match args.form {
        Form::Text => {
            let text = Renderer::new(Vec::new(), Style::detect(), args.verbose);
            (View::Text(Box::new(text)), options)
        }
        Form::Quiet => (View::Quiet(Box::new(Quiet::new(Style::detect()))), options),
        Form::Json => {
            let request = RequestId::default();
            let view = View::Json(Box::new(JsonLines::new(request.clone())));
            (view, options.layer_out(request))
        }
    }
}

/// The end of a turn: by itself, or because nobody wanted to wait.
enum End {
    Code(u8),
    GivenUp(u8),
}

pub(crate) fn is_overdue(failure: &Failure) -> bool {
    matches!(failure.downcast_ref(), Some(Error::InitializeTimeout { .. }))
}

/// A user at a terminal can be asked; through a pipe only with `--allow ask`. Nobody else can
/// consent.
pub(crate) fn desk(allow: Option<Allow>, form: Form) -> (Desk, Asker) {
    // Lines of JSON are for a program, which is asked only if it says that it answers.
    let is_terminal = form != Form::Json && io::stdin().is_terminal() && io::stdout().is_terminal();
    let standing = match allow {
        Some(Allow::Once) => Some(PermissionAnswer::AllowOnce),
        Some(Allow::Always) => Some(PermissionAnswer::AllowAlways),
        Some(Allow::Reject) => Some(PermissionAnswer::RejectOnce),
        Some(Allow::Ask) => None,
        None => (!is_terminal).then_some(PermissionAnswer::RejectOnce),
    };
    Desk::new(standing, is_terminal || allow == Some(Allow::Ask))
}

pub(crate) async fn start(args: &PromptArgs, asker: &Asker, options: Options) -> Result<Agent, Failure> {
    let (connect, outcome) = args.agent.find()?.connect(args.verbose);
    let connect = connect.info("acp", env!("CARGO_PKG_VERSION")).options(options);
    let connect = connect.versions(args.protocol.versions().iter().copied());
    let connect = connect.permissions(asker.permissions()).elicitation(asker.elicitation());
    // The folder of the session is on the agent's machine, and so are its files and commands.
    let connect = if args.agent.is_remote() { connect } else { serve(connect, args)? };
    let connect = match args.init_timeout {
        Some(limit) => connect.initialize_timeout(limit),
        None => connect,
    };
    outcome.settle(connect.await).await
}

/// Serves the files of the session's folder, and runs the agent's commands.
fn serve(connect: Connect, args: &PromptArgs) -> Result<Connect, Failure> {
    let cwd = session_folder(args)?;
    let files = LocalFs::rooted(&cwd).map_err(|error| format!("`--cwd {}`: {error}", cwd.display()))?;
    let files = files.create_directories();
    let connect = connect.fs(if args.missing_as_empty { files.missing_as_empty() } else { files });
    Ok(if args.no_terminals { connect } else { connect.terminals(LocalTerminals::new()) })
}

impl Run {
    async fn whole(&mut self, args: &PromptArgs, options: Options, asker: &Asker) -> Result<u8, Failure> {
        let prompt = match self.attend(Prompt::read(args), None).await {
            Ok(prompt) => prompt?,
            Err(halt) => return self.stop(halt).await,
        };
        let activity = args.idle_timeout.map(|limit| (limit, Activity::new()));
        let mut options = options;
        if let Some((_, activity)) = &activity {
            // The recording, if there is one, goes on.
            options.tap = Some(match options.tap.take() {
                Some(tap) => tap.and(activity.tap()),
                None => activity.tap(),
            });
        }
        let agent = match self.attend(start(args, asker, options), None).await {
            Ok(Ok(agent)) => agent,
            Ok(Err(failure)) if is_overdue(&failure) => {
                tell(&format!("acp: {failure}"));
                self.screen.failed(&failure, exit::TIMED_OUT);
                self.write_last().await;
                return Ok(exit::TIMED_OUT);
            }
            Ok(Err(failure)) => return Err(failure),
            Err(halt) => return self.stop(halt).await,
        };
        if let Some((limit, activity)) = activity {
            self.limits.watch(limit, activity);
        }
        let code = self.with(&agent, args, prompt).await;
        tell_of(&agent, args.verbose, self, &code);
        if args.allow.is_none() && self.desk.turned_down() > 0 {
            tell("acp: nobody was asked for permission, so it was rejected: `--allow` has other answers");
        }
        match code? {
            End::Code(code) => self.close(&agent, code).await,
            // Nothing is waited for from here on, not even the agent's goodbye.
            End::GivenUp(code) => {
                self.screen.failed(&"not waiting any longer".into(), code);
                self.write_last().await;
                Ok(code)
            }
        }
    }

    /// Opens the session and runs the turn.
    async fn with(&mut self, agent: &Agent, args: &PromptArgs, prompt: Prompt) -> Result<End, Failure> {
        let turn = match open::turn(self, agent, args, prompt).await {
            Ok(turn) => turn,
            Err(halt) => return self.stop(halt).await.map(End::GivenUp),
        };
        self.show(turn).await
    }

    /// Before the turn there is nothing to cancel.
    async fn stop(&mut self, halt: Halt) -> Result<u8, Failure> {
        let code = match halt {
            Halt::Failed(failure) => return Err(failure),
            Halt::Interrupted(_) => {
                self.screen.failed(&"stopped by a signal".into(), exit::CANCELLED);
                exit::CANCELLED
            }
            Halt::Unread => exit::UNREAD,
            Halt::Reached(reached) => {
                self.screen.line(Look::Yellow, &reached.what())?;
                self.screen.failed(&reached.what().into(), exit::TIMED_OUT);
                exit::TIMED_OUT
            }
        };
        self.write_last().await;
        Ok(code)
    }

    /// Shows a turn until its end. The first Ctrl-C cancels it, and the second one gives up
    /// waiting.
    async fn show(&mut self, mut turn: Turn) -> Result<End, Failure> {
        let mut stopping = None;
        loop {
            self.screen.move_to(&mut self.output);
            let is_written = self.output.is_written();
            tokio::select! {
                // The reasons to stop come first, so that an agent that never pauses cannot keep
                // them away.
                biased;
                interrupt = self.interrupts.next() => {
                    if stopping.is_some() || interrupt == Interrupt::End {
                        self.screen.line(Look::Yellow, "not waiting any longer")?;
                        return Ok(End::GivenUp(exit::CANCELLED));
                    }
                    stopping = Some(exit::CANCELLED);
                    self.limits.replace(Some(INTERRUPT_GRACE));
                    self.screen.line(Look::Yellow, "cancelling; press Ctrl-C again to give up waiting")?;
                    turn.cancel()?;
                }
                reached = self.limits.reached() => {
                    if let Some(code) = stopping {
                        self.screen.line(Look::Yellow, "not waiting any longer")?;
                        return Ok(End::GivenUp(code));
                    }
                    stopping = Some(exit::TIMED_OUT);
                    self.limits.replace(Some(CANCEL_GRACE));
                    self.screen.line(Look::Yellow, &format!("{}: cancelling", reached.what()))?;
                    turn.cancel()?;
                }
                flushed = self.output.flush(), if !is_written => match flushed.map_err(Halt::from) {
                    Ok(()) => {}
                    Err(Halt::Failed(failure)) => return Err(failure),
                    // Dropping the turn tells the agent to stop.
                    Err(_) => return Ok(End::Code(exit::UNREAD)),
                },
                // While nobody reads, the agent waits. Its end is awaited even without readers.
                event = turn.next(), if is_written || stopping.is_some() => match event {
                    Some(event) if self.output.len() < UNREAD => self.screen.event(&event)?,
                    Some(_) => self.screen.skip(),
                    None => break,
                },
                attended = self.desk.attend(&mut self.screen), if is_written => attended?,
            }
        }
        let done = turn.finish().await.map_err(advised)?;
        let code = match done.stop_reason {
            StopReason::EndTurn => exit::DONE,
            StopReason::Refusal => exit::REFUSED,
            StopReason::MaxTokens | StopReason::MaxTurnRequests => exit::LIMIT,
            StopReason::Cancelled => stopping.unwrap_or(exit::CANCELLED),
            _ => exit::ERROR,
        };
        self.screen.ended(&done, code)?;
        match stopping {
            // Some of it was not shown, so the run is not done.
            Some(stopping) if !self.write_last().await => Ok(End::Code(stopping)),
            _ => Ok(End::Code(code)),
        }
    }

    /// Writes the remaining output and ends the agent, unless the user does not want to wait.
    async fn close(&mut self, agent: &Agent, code: u8) -> Result<u8, Failure> {
        match self.write_out().await {
            Ok(()) => {}
            Err(Halt::Unread) if code == exit::UNREAD => {}
            Err(halt) => return self.stop(halt).await,
        }
        tokio::select! {
            biased;
            _ = self.interrupts.next() => Ok(exit::CANCELLED),
            // The turn is over, and only its end counts.
            _ = self.limits.reached() => Ok(code),
            _ = agent.close() => Ok(code),
        }
    }
}

/// Reports the remaining facts about an agent.
fn tell_of(agent: &Agent, verbose: bool, run: &mut Run, code: &Result<End, Failure>) {
    if verbose {
        for fault in agent.faults() {
            // It is written into memory.
            let _ = run.screen.line(Look::Dim, &fault);
        }
    }
    tell_lost(agent.lost_messages(), verbose);
    // The reason of a failed run may be only on the agent's stderr. The error of an agent that died
    // has it already.
    let failed = matches!(code, Err(_) | Ok(End::Code(exit::ERROR | exit::REFUSED)));
    if failed && !verbose && !agent.peer().is_closed() {
        agent.stderr_tail().lines().for_each(tell_stderr);
    }
}

pub(crate) fn session_folder(args: &PromptArgs) -> io::Result<PathBuf> {
    std::path::absolute(args.cwd.as_deref().unwrap_or(Path::new(".")))
}

/// Reports that the agent said more than was shown.
pub(crate) fn tell_lost(messages: u64, verbose: bool) {
    let why = if verbose { "its faults say why" } else { "--verbose says why" };
    match messages {
        0 => {}
        1 => tell(&format!("lost: 1 message of the agent cannot be read ({why})")),
        more => tell(&format!("lost: {more} messages of the agent cannot be read ({why})")),
    }
}
