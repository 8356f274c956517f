//! `acp chat`: turn after turn with an agent.

mod built_in;
mod command;
#[cfg_attr(not(unix), allow(dead_code, reason = "a part is for the line editor"))]
mod input;
mod known;
mod line;
mod mentioned;
mod open;
mod turn;

use std::io::{self, IsTerminal};

use acp_cli::terminal::Asker;
use acp_client::{Agent, Error, Options, Session};

use crate::args::prompt::{Form, PromptArgs};
use crate::commands::chat::built_in::Next;
use crate::commands::chat::command::Meaning;
#[cfg(unix)]
use crate::commands::chat::input::Editor;
use crate::commands::chat::input::Typed;
use crate::commands::chat::input::files::Files;
use crate::commands::chat::input::history::History;
use crate::commands::chat::known::Known;
use crate::commands::prompt::limits::Limits;
use crate::commands::prompt::open::set_up;
use crate::commands::prompt::run::{Halt, Run};
use crate::commands::prompt::{desk, is_overdue, recorded, session_folder, start, tell_lost};
use crate::interrupt::{Interrupt, Interrupts};
#[cfg(unix)]
use crate::named::folders;
use crate::outcome::{Failure, exit, tell};
use crate::output::Output;
use crate::render::Renderer;
use crate::render::view::View;
use crate::style::{Look, Style};

/// Only Unix has the line editor. Lines are read as the terminal gives them.
#[cfg(not(unix))]
type Editor = std::convert::Infallible;

/// A conversation on a terminal.
struct Chat<'a> {
    args: &'a PromptArgs,
    #[cfg_attr(not(unix), allow(dead_code, reason = "it is for the line editor"))]
    style: Style,
    run: Run,
    agent: Agent,
    /// The current session. There is none only until the first one is open.
    session: Option<Session>,
    known: Known,
    files: Files,
    editor: Option<Editor>,
    history: Option<History>,
    /// Text that was typed while a turn was running.
    draft: String,
    /// Text for which there was no room above the prompt.
    above: String,
    /// True after the user has ended the input while a turn was running.
    is_input_over: bool,
}

/// Runs a chat and returns the exit code.
pub(crate) async fn run(args: PromptArgs) -> Result<u8, Failure> {
    if !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
        tell("acp: a chat needs a terminal on stdin and stdout: without one, use `acp prompt TEXT`");
        return Ok(exit::USAGE);
    }
    recorded(&args, async |options| whole(&args, options).await).await
}

/// Runs from the start of the agent to its end.
async fn whole(args: &PromptArgs, options: Options) -> Result<u8, Failure> {
    let interrupts = Interrupts::listen()?;
    let (desk, asker) = desk(args.allow, Form::Text);
    let style = Style::detect();
    let text = Renderer::new(Vec::new(), style, args.verbose).with_markdown();
    let screen = View::Text(Box::new(text));
    let mut run = Run { screen, output: Output::new(), desk, interrupts, limits: Limits::new(None) };
    let agent = match begin(&mut run, args, &asker, options).await {
        Ok(agent) => agent,
        Err(Halt::Failed(failure)) if is_overdue(&failure) => {
            tell(&format!("acp: {failure}"));
            return Ok(exit::TIMED_OUT);
        }
        Err(halt) => return code_of(halt),
    };
    let mut chat = Chat::new(args, style, run, agent)?;
    let ended = chat.whole().await;
    chat.leave(ended).await
}

async fn begin(run: &mut Run, args: &PromptArgs, asker: &Asker, options: Options) -> Result<Agent, Halt> {
    run.attend(start(args, asker, options), None).await?.map_err(Halt::Failed)
}

fn code_of(halt: Halt) -> Result<u8, Failure> {
    match halt {
        Halt::Failed(failure) => Err(failure),
        Halt::Interrupted(_) => Ok(exit::CANCELLED),
        Halt::Reached(_) => Ok(exit::TIMED_OUT),
        Halt::Unread => Ok(exit::UNREAD),
    }
}

impl<'a> Chat<'a> {
    fn new(args: &'a PromptArgs, style: Style, run: Run, agent: Agent) -> Result<Self, Failure> {
        // The folder of a session on another machine is over there.
        let folder = if args.agent.is_remote() { std::env::current_dir()? } else { session_folder(args)? };
        Ok(Self {
            args,
            style,
            run,
            agent,
            session: None,
            known: Known::default(),
            files: Files::new(folder),
            editor: None,
            history: None,
            draft: String::new(),
            above: String::new(),
            is_input_over: false,
        })
    }

    /// Opens the first session, and reads lines until the user ends the chat.
    async fn whole(&mut self) -> Result<u8, Halt> {
        match &self.args.session {
            Some(id) => self.open_again(id).await?,
            None => self.open_new().await?,
        }
        if let Some(session) = self.session.clone() {
            set_up(&mut self.run, &session, self.args).await?;
            if let Some(mode) = &self.args.mode {
                self.known.mode = Some(mode.as_str().into());
            }
        }
        #[cfg(unix)]
        self.start_editor()?;
        self.say(Look::Dim, "/help lists the commands and keys, Ctrl-D ends the chat")?;
        while let Some(session) = self.session.clone() {
            self.known.learn(&session);
            match self.line(&session).await? {
                Typed::End => break,
                Typed::Dropped => {}
                Typed::Line(line) => {
                    self.keep(&line)?;
                    if self.obey(&session, &line).await? == Next::End {
                        break;
                    }
                }
            }
        }
        Ok(exit::DONE)
    }

    /// Does what a line says. A failure is shown, and the chat goes on while its agent does.
    async fn obey(&mut self, session: &Session, line: &str) -> Result<Next, Halt> {
        let done = match command::read(line) {
            Meaning::Nothing => Ok(Next::Line),
            Meaning::Command { name, rest } => self.command(session, &name, &rest).await,
            Meaning::Text(text) => self.prompt(session, text).await.map(|()| Next::Line),
        };
        match done {
            Err(Halt::Failed(failure)) if is_closed(&failure) => Err(Halt::Failed(failure)),
            Err(Halt::Failed(failure)) => {
                self.complain(&failure)?;
                Ok(Next::Line)
            }
            Err(Halt::Interrupted(Interrupt::Cancel)) => {
                self.say(Look::Yellow, "stopped")?;
                Ok(Next::Line)
            }
            done => done,
        }
    }

    #[cfg(unix)]
    fn start_editor(&mut self) -> Result<(), Halt> {
        let opened = folders::chat_history().map(History::open).transpose();
        let (history, lines) = match opened {
            Ok(Some((history, lines))) => (Some(history), lines),
            Ok(None) => (None, Vec::new()),
            Err(error) => {
                self.say(Look::Yellow, &format!("earlier lines cannot be read: {error}"))?;
                (None, Vec::new())
            }
        };
        let editor = Editor::start(self.known.words.clone(), self.files.clone(), lines, self.style);
        self.editor = editor.map_err(Halt::Failed)?;
        self.history = history;
        Ok(())
    }

    /// Keeps a line for later chats.
    fn keep(&mut self, line: &str) -> Result<(), Halt> {
        let kept = self
            .history
            .as_mut()
            .map(|history| history.keep(line).map_err(|error| (history.file().to_owned(), error)));
        if let Some(Err((file, error))) = kept {
            self.history = None;
            let text = format!("lines are not kept: {}: {error}", file.display());
            self.say(Look::Yellow, &text)?;
        }
        Ok(())
    }

    /// Leaves the terminal as it was, and ends the agent.
    async fn leave(mut self, ended: Result<u8, Halt>) -> Result<u8, Failure> {
        #[cfg(unix)]
        if let Some(editor) = &mut self.editor {
            editor.leave();
        }
        // They are written into memory.
        let _ = self.run.screen.end_line();
        if self.args.verbose {
            for fault in self.agent.faults() {
                let _ = self.run.screen.line(Look::Dim, &fault);
            }
        }
        self.run.write_last().await;
        tell_lost(self.agent.lost_messages(), self.args.verbose);
        match ended {
            Ok(code) => tokio::select! {
                biased;
                _ = self.run.interrupts.next() => Ok(exit::CANCELLED),
                _ = self.agent.close() => Ok(code),
            },
            Err(halt) => code_of(halt),
        }
    }
}

/// Returns true if the connection to the agent is over.
fn is_closed(failure: &Failure) -> bool {
    matches!(failure.downcast_ref(), Some(Error::Closed { .. }))
}
