//! Talks with an agent line by line: `repl_client -- my-agent --acp`
//!
//! Every line is a prompt, or the answer to a question. Ctrl-C cancels the turn, and ends the program when there is none;
//! so does the end of the input.

use std::error::Error;
use std::io::{self, Write, stdout};

use acp_client::v1::{RequestPermissionRequest, ToolCallContent};
use acp_client::{
    Change, Choice, Command, Entry, Event, LocalFs, LocalTerminals, MessageKind, PermissionPolicy, Session,
    Transcript,
};
use examples::clean;
use tokio::sync::{mpsc, oneshot};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args_os().skip(1).skip_while(|arg| arg == "--");
    let program = args.next().ok_or("usage: repl_client -- AGENT [ARGS…]")?;
    let cwd = std::env::current_dir()?;
    let (policy, questions) = ask_here();
    let agent = acp_client::spawn(Command::new(program).args(args))
        .fs(LocalFs::rooted(&cwd)?)
        .terminals(LocalTerminals::new())
        .permissions(policy)
        .await?;
    let session = agent.new_session(&cwd).await?;
    let transcript = Transcript::for_session(&session);
    let mut repl = Repl { session, transcript, questions, lines: lines(), interrupts: interrupts() };
    let done = repl.run().await;
    agent.close().await;
    done
}

struct Repl {
    session: Session,
    transcript: Transcript,
    questions: mpsc::Receiver<Question>,
    lines: mpsc::Receiver<String>,
    interrupts: mpsc::Receiver<()>,
}

/// A permission request, and where its answer goes.
struct Question {
    request: RequestPermissionRequest,
    answer: oneshot::Sender<Choice>,
}

impl Repl {
    async fn run(&mut self) -> Result<(), Box<dyn Error>> {
        let agent = self.session.agent().clone();
        loop {
            print("> ")?;
            tokio::select! {
                line = self.lines.recv() => match line {
                    Some(line) if line.trim().is_empty() => {}
                    Some(line) => self.turn(&line).await?,
                    None => break,
                },
                _ = self.interrupts.recv() => break,
                reason = agent.wait() => return Err(format!("the agent is gone: {reason}").into()),
            }
        }
        print("\n")?;
        Ok(())
    }

    async fn turn(&mut self, line: &str) -> Result<(), Box<dyn Error>> {
        self.transcript.prompt(line);
        let mut turn = self.session.prompt(line).await?;
        let mut open: Option<Question> = None;
        loop {
            tokio::select! {
                Some(()) = self.interrupts.recv() => {
                    print("\n[cancelling]\n")?;
                    turn.cancel()?;
                }
                Some(question) = self.questions.recv(), if open.is_none() => {
                    // Some agents ask about calls that they have not reported: nobody is to consent to a change unseen.
                    let call = question.request.tool_call.clone();
                    show(&mut self.transcript, Event::ToolCallUpdate(Box::new(call)))?;
                    ask(&question.request)?;
                    open = Some(question);
                }
                // The agent has taken it back, or the turn was cancelled.
                () = withdrawn(&mut open) => open = None,
                line = self.lines.recv(), if open.is_some() => {
                    if let Some(Question { request, answer }) = open.take() {
                        // It may have been withdrawn just now, and then nobody listens.
                        let _ = answer.send(choice(line.as_deref(), &request));
                    }
                }
                event = turn.next() => match event {
                    Some(event) => show(&mut self.transcript, event)?,
                    None => break,
                },
            }
        }
        print(&format!("\n[{}]\n", turn.finish().await?.stop_reason))?;
        Ok(())
    }
}

/// Shows what the event has changed.
fn show(transcript: &mut Transcript, event: Event) -> io::Result<()> {
    let is_news = match &event {
        Event::ToolCallUpdate(update) => update.status.is_some() || update.content.is_some(),
        _ => true,
    };
    match transcript.fold(event) {
        Change::Appended { entry, block, offset } => {
            let message = transcript.entry(entry).and_then(Entry::as_message);
            let message = message.filter(|message| message.kind == MessageKind::Agent);
            let text = message.and_then(|message| message.content.get(block)?.as_text()?.get(offset..));
            print(text.unwrap_or_default())
        }
        Change::Added(entry) => transcript.entry(entry).map_or(Ok(()), show_entry),
        Change::Updated(entry) if is_news => transcript.entry(entry).map_or(Ok(()), show_entry),
        _ => Ok(()),
    }
}

fn show_entry(entry: &Entry) -> io::Result<()> {
    match entry {
        Entry::Message(message) if message.kind == MessageKind::Agent => print(&message.text()),
        Entry::ToolCall(run) => {
            print(&format!("\n[{}] {}\n", run.call.status, run.call.title))?;
            for content in &run.call.content {
                if let ToolCallContent::Diff(diff) = content {
                    print(&format!("  changes {}\n", diff.path))?;
                }
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn ask(request: &RequestPermissionRequest) -> io::Result<()> {
    for (index, option) in request.options.iter().enumerate() {
        print(&format!("  {} {}\n", index + 1, option.name))?;
    }
    print("answer: ")
}

/// Numbers choose an option. Everything else, and the end of the input, is a no.
fn choice(line: Option<&str>, request: &RequestPermissionRequest) -> Choice {
    let number = line.and_then(|line| line.trim().parse::<usize>().ok());
    let option = number.and_then(|number| request.options.get(number.checked_sub(1)?));
    option.map_or(Choice::RejectOnce, |option| Choice::Option(option.option_id.clone()))
}

/// A policy that asks whoever reads the questions.
fn ask_here() -> (PermissionPolicy, mpsc::Receiver<Question>) {
    let (bring, questions) = mpsc::channel(1);
    let policy = PermissionPolicy::ask(move |request| {
        let bring = bring.clone();
        async move {
            let (answer, chosen) = oneshot::channel();
            if bring.send(Question { request, answer }).await.is_err() {
                return Choice::Cancel;
            }
            chosen.await.unwrap_or(Choice::Cancel)
        }
    });
    (policy, questions)
}

async fn withdrawn(question: &mut Option<Question>) {
    match question {
        Some(question) => question.answer.closed().await,
        None => std::future::pending().await,
    }
}

/// The lines of stdin, which are read on a thread of their own: reading cannot be interrupted.
fn lines() -> mpsc::Receiver<String> {
    let (tell, lines) = mpsc::channel(1);
    std::thread::spawn(move || {
        for line in io::stdin().lines().map_while(Result::ok) {
            if tell.blocking_send(line).is_err() {
                break;
            }
        }
    });
    lines
}

/// Each Ctrl-C.
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
