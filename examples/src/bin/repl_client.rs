//! Talks with an agent line by line: `repl_client -- my-agent --acp`
//!
//! Every line is a prompt, or on a terminal the answer to a question. Without a terminal nobody is
//! asked, and permissions are rejected. Ctrl-C cancels the turn, or ends the program when no turn
//! runs. The end of the input ends it, too.

use std::io::{self, IsTerminal, Write, stdin, stdout};
use std::pin::pin;

use acp_cli::terminal::{Desk, Screen, Tone, subject};
use acp_client::v1::{RequestPermissionRequest, ToolCall, ToolCallContent};
use acp_client::{Change, Command, Entry, Event, LocalFs, LocalTerminals, MessageKind, Session, Transcript};
use examples::{Failure, clean};
use tokio::sync::mpsc;

type Result<T> = std::result::Result<T, Failure>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let mut args = std::env::args_os().skip(1).skip_while(|arg| arg == "--");
    let program = args.next().ok_or("usage: repl_client -- AGENT [ARGS…]")?;
    let cwd = std::env::current_dir()?;
    let (desk, asker) = Desk::new(None, stdin().is_terminal());
    let mut repl = Repl { desk, shown: Shown(Transcript::new()), interrupts: interrupts() };
    let connect = examples::in_version(acp_client::spawn(Command::new(program).args(args)))
        .fs(LocalFs::rooted(&cwd)?)
        .terminals(LocalTerminals::new())
        .elicitation(asker.elicitation())
        .permissions(asker.permissions());
    let Some(agent) = repl.attend(connect.into_future()).await? else { return Ok(()) };
    let agent = agent?;
    // An agent may ask before it has opened the session.
    let done = match repl.attend(agent.new_session(&cwd).into_future()).await? {
        Some(session) => repl.run(&session?).await,
        None => Ok(()),
    };
    agent.close().await;
    done
}

struct Repl {
    desk: Desk,
    shown: Shown,
    interrupts: mpsc::Receiver<()>,
}

impl Repl {
    /// Does the work, and answers questions meanwhile. Returns `None` after a Ctrl-C.
    async fn attend<T>(&mut self, work: impl Future<Output = T>) -> Result<Option<T>> {
        let mut work = pin!(work);
        loop {
            tokio::select! {
                _ = self.interrupts.recv() => return Ok(None),
                done = &mut work => return Ok(Some(done)),
                attended = self.desk.attend(&mut self.shown) => attended?,
            }
        }
    }

    async fn run(&mut self, session: &Session) -> Result<()> {
        self.shown.0.fold_session(session);
        let agent = session.agent().clone();
        let mut is_asked = false;
        loop {
            if !std::mem::replace(&mut is_asked, true) {
                print("> ")?;
            }
            tokio::select! {
                line = self.desk.line(&mut self.shown) => match line? {
                    Some(Some(line)) => {
                        is_asked = false;
                        if !line.trim().is_empty() {
                            self.turn(session, &line).await?;
                        }
                    }
                    Some(None) => break,
                    None => {}
                },
                _ = self.interrupts.recv() => break,
                reason = agent.wait() => return Err(format!("the agent is gone: {reason}").into()),
            }
        }
        print("\n")?;
        Ok(())
    }

    async fn turn(&mut self, session: &Session, line: &str) -> Result<()> {
        self.shown.0.prompt(line);
        let mut turn = session.prompt(line).await?;
        loop {
            tokio::select! {
                // A question refers to the text before it, so the text is shown first.
                biased;
                Some(()) = self.interrupts.recv() => {
                    print("\n[cancelling]\n")?;
                    turn.cancel()?;
                }
                event = turn.next() => match event {
                    Some(event) => self.shown.event(event)?,
                    None => break,
                },
                attended = self.desk.attend(&mut self.shown) => attended?,
            }
        }
        print(&format!("\n[{}]\n", turn.finish().await?.stop_reason))?;
        Ok(())
    }
}

/// The transcript of everything that has been shown.
struct Shown(Transcript);

impl Shown {
    /// Shows the change that the event makes.
    fn event(&mut self, event: Event) -> io::Result<()> {
        let is_news = match &event {
            Event::ToolCallUpdate(update) => update.status.is_some() || update.content.is_some(),
            _ => true,
        };
        let change = self.0.fold(event);
        self.change(change, is_news)
    }

    fn change(&self, change: Change, is_news: bool) -> io::Result<()> {
        match change {
            Change::Appended { entry, block, offset } => {
                let message = self.0.entry(entry).and_then(Entry::as_message);
                let message = message.filter(|message| message.kind == MessageKind::Agent);
                let text = message.and_then(|message| message.content.get(block)?.as_text()?.get(offset..));
                print(text.unwrap_or_default())
            }
            Change::Added(entry) => self.0.entry(entry).map_or(Ok(()), show_entry),
            Change::Updated(entry) if is_news => self.0.entry(entry).map_or(Ok(()), show_entry),
            _ => Ok(()),
        }
    }
}

impl Screen for Shown {
    fn call(&mut self, request: &RequestPermissionRequest) -> io::Result<ToolCall> {
        // Some agents ask about calls that they have not reported, and the user should see the
        // change.
        let is_news = request.tool_call.content.is_some();
        let change = self.0.fold_permission(request);
        self.change(change, is_news)?;
        let known = self.0.tool_call(&request.tool_call.tool_call_id);
        Ok(known.map_or_else(
            || ToolCall::new(request.tool_call.tool_call_id.clone(), ""),
            |run| run.call.clone(),
        ))
    }

    fn line(&mut self, _: Tone, text: &str) -> io::Result<()> {
        print(&format!("{}\n", text.replace('\n', " ")))
    }

    fn ask(&mut self, text: &str) -> io::Result<()> {
        print(&format!("{text} "))
    }
}

fn show_entry(entry: &Entry) -> io::Result<()> {
    match entry {
        Entry::Message(message) if message.kind == MessageKind::Agent => print(&message.text()),
        Entry::ToolCall(run) => {
            print(&format!("\n[{}] {}\n", run.call.status, subject(&run.call)))?;
            for content in &run.call.content {
                if let ToolCallContent::Diff(diff) = content {
                    print(&format!("  changes {}\n", diff.path.replace('\n', " ")))?;
                }
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Returns a channel that receives each Ctrl-C.
fn interrupts() -> mpsc::Receiver<()> {
    let (tell, interrupts) = mpsc::channel(1);
    tokio::spawn(
        async move { while tokio::signal::ctrl_c().await.is_ok() && tell.send(()).await.is_ok() {} },
    );
    interrupts
}

fn print(text: &str) -> io::Result<()> {
    write!(stdout(), "{}", clean(text))?;
    stdout().flush()
}
