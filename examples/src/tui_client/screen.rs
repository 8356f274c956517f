//! The terminal: keys from it, frames to it.

use std::io;
use std::time::{Duration, Instant};

use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, DisableBracketedPaste, EnableBracketedPaste, KeyEventKind};
use ratatui::crossterm::execute;
use tokio::sync::mpsc;
use tokio::time::MissedTickBehavior;

use super::app::{Effect, Message};
use super::connection::Connection;
use super::view;

/// A fast agent says much in the time in which a terminal draws once.
const FRAME: Duration = Duration::from_millis(16);

/// Shows a session on this process's terminal until the user has had enough.
///
/// # Errors
/// The terminal cannot be used, or there is no session.
pub async fn run(connection: &mut Connection) -> io::Result<()> {
    // From here on a panic leaves the terminal as it was; so does the guard, whatever comes.
    let mut terminal = ratatui::try_init()?;
    let _restored = Restore;
    execute!(io::stdout(), EnableBracketedPaste)?;
    show(connection, &mut terminal).await
}

struct Restore;

impl Drop for Restore {
    fn drop(&mut self) {
        // A terminal that is gone needs nothing.
        let _ = execute!(io::stdout(), DisableBracketedPaste);
        ratatui::restore();
    }
}

async fn show(connection: &mut Connection, terminal: &mut DefaultTerminal) -> io::Result<()> {
    let mut app = connection.app(terminal.size()?);
    let mut keys = keys();
    let mut end = end()?;
    let mut frames = tokio::time::interval(FRAME);
    frames.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut is_drawn = false;
    // When the question that is open came on the screen.
    let mut asked = Instant::now();
    loop {
        let message = tokio::select! {
            _ = frames.tick(), if !is_drawn => {
                let now = Instant::now();
                terminal.draw(|frame| view::draw(&app, frame))?;
                is_drawn = true;
                if app.shown() {
                    asked = now;
                }
                continue;
            }
            key = keys.recv() => match key {
                // It was typed before anybody saw the question.
                Some(Typed { at, message: Message::Key(key) })
                    if at < asked && !app.questions.is_empty() && key.modifiers.is_empty() =>
                {
                    continue;
                }
                Some(Typed { message, .. }) => message,
                None => return Ok(()),
            },
            _ = end.recv() => return Ok(()),
            message = connection.next() => message,
        };
        is_drawn = false;
        match app.update(message) {
            Some(Effect::Quit) => return Ok(()),
            Some(Effect::GiveUp(problem)) => return Err(io::Error::other(problem)),
            Some(effect) => connection.perform(effect),
            None => {}
        }
    }
}

/// What comes from the terminal, and when it was typed at the earliest.
struct Typed {
    at: Instant,
    message: Message,
}

/// What comes from the terminal, read on a thread of its own: reading cannot be interrupted.
fn keys() -> mpsc::Receiver<Typed> {
    let (tell, keys) = mpsc::channel(16);
    std::thread::spawn(move || {
        let mut at = Instant::now();
        // What is there already was typed some time since the last look; what is waited for is typed now.
        while let Ok(is_there) = event::poll(Duration::ZERO)
            && let Ok(event) = event::read()
        {
            if !is_there {
                at = Instant::now();
            }
            let message = match event {
                event::Event::Key(key) if key.kind != KeyEventKind::Release => Message::Key(key),
                event::Event::Paste(text) => Message::Pasted(text),
                event::Event::Resize(width, height) => Message::Resized((width, height).into()),
                _ => continue,
            };
            if tell.blocking_send(Typed { at, message }).is_err() {
                break;
            }
        }
    });
    keys
}

/// The program is told to end: it leaves the terminal as it was then, too.
#[cfg(unix)]
fn end() -> io::Result<tokio::signal::unix::Signal> {
    tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())
}

#[cfg(windows)]
fn end() -> io::Result<tokio::signal::windows::CtrlClose> {
    tokio::signal::windows::ctrl_close()
}
