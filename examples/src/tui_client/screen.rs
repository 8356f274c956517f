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

/// The time between two frames. A fast agent says much while a terminal draws once.
const FRAME: Duration = Duration::from_millis(16);

/// Shows a session on this process's terminal until the user ends it.
///
/// # Errors
/// Fails if the terminal cannot be used, or if the agent opens no session.
pub async fn run(connection: &mut Connection) -> io::Result<()> {
    // From here on a panic restores the terminal, and so does the guard in every other case.
    let mut terminal = ratatui::try_init()?;
    let _restored = Restore;
    execute!(io::stdout(), EnableBracketedPaste)?;
    show(connection, &mut terminal).await
}

struct Restore;

impl Drop for Restore {
    fn drop(&mut self) {
        // A terminal that is gone needs no restoring.
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
    // The time at which the current question came on the screen.
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
                // The key was typed before the user saw the question.
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

/// Input of the terminal, with the earliest time at which it was typed.
struct Typed {
    at: Instant,
    message: Message,
}

/// Reads the terminal on a thread of its own, because reading cannot be interrupted.
fn keys() -> mpsc::Receiver<Typed> {
    let (tell, keys) = mpsc::channel(16);
    std::thread::spawn(move || {
        let mut at = Instant::now();
        // Input that is already there was typed at some time since the last look. Input that is
        // waited for is typed now.
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

/// Waits until the program is told to end. It restores the terminal in this case, too.
#[cfg(unix)]
fn end() -> io::Result<tokio::signal::unix::Signal> {
    tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())
}

#[cfg(windows)]
fn end() -> io::Result<tokio::signal::windows::CtrlClose> {
    tokio::signal::windows::ctrl_close()
}
