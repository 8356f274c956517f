//! The keyboard on Unix. It reads stdin only when there is input, so it takes nothing for a
//! question that is gone.

use std::io::{self, IsTerminal};
use std::thread;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionread, read};
use rustix::termios::{QueueSelector, tcflush};
use tokio::sync::oneshot;

/// The longest line, in bytes. A longer one comes in pieces.
const MOST: usize = 1024 * 1024;

/// Lines of stdin. Nothing is read ahead: input that nobody waits for stays where it is.
#[derive(Debug, Default)]
pub struct Keyboard {
    /// Fires when there is something to read.
    ready: Option<oneshot::Receiver<()>>,
    /// The beginning of a line.
    rest: Vec<u8>,
    /// True if the current line began before the last [`forget`](Keyboard::forget).
    is_stale: bool,
}

impl Keyboard {
    /// Returns the next line, without its end, or `None` at the end of the input. Dropping the
    /// future loses nothing.
    pub async fn line(&mut self) -> Option<String> {
        let mut bytes = [0; 4096];
        loop {
            if let Some(line) = self.take_line() {
                return Some(line);
            }
            // A stdin that cannot be read counts as ended.
            let count = self.read(&mut bytes).await.unwrap_or(0);
            if count == 0 {
                let rest = std::mem::take(&mut self.rest);
                let is_line = !rest.is_empty() && !std::mem::take(&mut self.is_stale);
                return is_line.then(|| String::from_utf8_lossy(&rest).into_owned());
            }
            self.rest.extend(bytes.iter().take(count));
        }
    }

    /// Drops the input so far, also the beginning of an unfinished line. Of a pipe it drops
    /// everything that has been written so far, and the rest of a line that has begun.
    pub fn forget(&mut self) {
        let stdin = io::stdin();
        if let Some(last) = std::mem::take(&mut self.rest).last() {
            self.is_stale = *last != b'\n';
        }
        if stdin.is_terminal() {
            // The terminal also drops the line that is being typed. A terminal that is gone has
            // nothing to drop.
            let _ = tcflush(&stdin, QueueSelector::IFlush);
            self.is_stale = false;
            return;
        }
        let mut waiting = ioctl_fionread(&stdin).unwrap_or(0);
        let mut bytes = [0; 4096];
        while waiting > 0 {
            let most = bytes.len().min(usize::try_from(waiting).unwrap_or(usize::MAX));
            let Some(part) = bytes.get_mut(..most) else { break };
            let Ok(count @ 1..) = read(&stdin, &mut *part) else { break };
            self.is_stale = part.get(count - 1) != Some(&b'\n');
            waiting = waiting.saturating_sub(count as u64);
        }
    }

    async fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let stdin = io::stdin();
        loop {
            // Another call may have dropped the input since, and reading would then block this
            // thread.
            if has_input(&stdin)? {
                match read(&stdin, &mut *bytes) {
                    Err(Errno::AGAIN | Errno::INTR) => {}
                    done => return Ok(done?),
                }
            }
            // An error means that the thread has ended, so the input is looked at again.
            let _ = self.ready.get_or_insert_with(watch).await;
            self.ready = None;
        }
    }

    fn take_line(&mut self) -> Option<String> {
        loop {
            let end = self.rest.iter().position(|byte| *byte == b'\n');
            let end = end.map(|end| end + 1).or((self.rest.len() >= MOST).then_some(self.rest.len()))?;
            let line: Vec<u8> = self.rest.drain(..end).collect();
            let is_ended = line.last() == Some(&b'\n');
            if self.is_stale {
                self.is_stale = !is_ended;
                continue;
            }
            let line = String::from_utf8_lossy(&line);
            return Some(line.trim_end_matches(['\n', '\r']).to_owned());
        }
    }
}

/// Returns true if reading would not block.
fn has_input(stdin: &io::Stdin) -> io::Result<bool> {
    match poll(&mut [PollFd::new(stdin, PollFlags::IN)], Some(&Timespec { tv_sec: 0, tv_nsec: 0 })) {
        Ok(count) => Ok(count > 0),
        Err(Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Fires when reading would not block. The thread behind it reads nothing itself, so it may outlive
/// the wait.
fn watch() -> oneshot::Receiver<()> {
    let (tell, ready) = oneshot::channel();
    thread::spawn(move || {
        while poll(&mut [PollFd::new(&io::stdin(), PollFlags::IN)], None) == Err(Errno::INTR) {}
        let _ = tell.send(());
    });
    ready
}
