//! Where stdin cannot be waited for: a thread of its own reads it.

use std::io;

use tokio::sync::mpsc;

/// Lines of stdin. They are read from the first use on, by a thread: reading cannot be interrupted.
#[derive(Debug, Default)]
pub struct Keyboard {
    lines: Option<mpsc::Receiver<String>>,
}

impl Keyboard {
    /// The next line, without its end; `None` at the end of the input. Dropping the future loses nothing.
    pub async fn line(&mut self) -> Option<String> {
        self.lines.get_or_insert_with(lines).recv().await
    }

    /// Drops the lines that have been ended so far. One that is being typed counts once it is ended.
    pub fn forget(&mut self) {
        let lines = self.lines.get_or_insert_with(lines);
        while lines.try_recv().is_ok() {}
    }
}

fn lines() -> mpsc::Receiver<String> {
    let (tell, lines) = mpsc::channel(64);
    std::thread::spawn(move || {
        for line in io::stdin().lines().map_while(Result::ok) {
            if tell.blocking_send(line).is_err() {
                break;
            }
        }
    });
    lines
}
