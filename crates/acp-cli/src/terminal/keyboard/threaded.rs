//! The keyboard on systems that cannot wait for stdin: a thread reads it.

use std::io;

use tokio::sync::mpsc;

/// Lines of stdin. A thread reads them from the first use on, because reading cannot be
/// interrupted.
#[derive(Debug, Default)]
pub struct Keyboard {
    lines: Option<mpsc::Receiver<String>>,
}

impl Keyboard {
    /// Returns the next line, without its end, or `None` at the end of the input. Dropping the
    /// future loses nothing.
    pub async fn line(&mut self) -> Option<String> {
        self.lines.get_or_insert_with(lines).recv().await
    }

    /// Drops the finished lines. An unfinished line counts once it is finished.
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
