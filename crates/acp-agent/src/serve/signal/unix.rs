//! Signals on unix. A thread waits for them, because a handler may block the runtime just when the
//! process is to end.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use acp_rpc::transport::restore_stdio;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use tokio::sync::mpsc;

/// The time that the process has to end after the second signal. Then that signal ends it.
const PATIENCE: Duration = Duration::from_secs(1);

/// The signals as they come. Only the first two count.
pub(super) type Received = mpsc::Receiver<()>;

static LISTENING: Mutex<Listening> = Mutex::new(Listening { sender: None, count: 0 });

struct Listening {
    /// The channel to the last service. The thread runs once there was one.
    sender: Option<mpsc::Sender<()>>,
    /// The number of signals since then.
    count: u32,
}

pub(super) fn listen() -> io::Result<Received> {
    let (sender, received) = mpsc::channel(2);
    let mut listening = lock();
    if listening.sender.is_none() {
        let mut heeded = vec![SIGTERM, SIGINT];
        heeded.extend([SIGHUP, SIGQUIT].into_iter().filter(|signal| !is_ignored(*signal)));
        let mut signals = Signals::new(heeded)?;
        let hear = move || signals.forever().for_each(on_signal);
        thread::Builder::new().name("acp-agent signals".into()).spawn(hear)?;
    }
    *listening = Listening { sender: Some(sender), count: 0 };
    Ok(received)
}

fn on_signal(signal: i32) {
    if !matches!(signal, SIGTERM | SIGINT) {
        return end_by(signal);
    }
    let mut listening = lock();
    listening.count = listening.count.saturating_add(1);
    if let Some(sender) = &listening.sender {
        // The service may be gone.
        let _ = sender.try_send(());
    }
    let is_second = listening.count == 2;
    drop(listening);
    let end = move || {
        thread::sleep(PATIENCE);
        end_by(signal);
    };
    // The process ends by itself if it can.
    if is_second && thread::Builder::new().name("acp-agent end".into()).spawn(end).is_err() {
        end_by(signal);
    }
}

/// Ends the process as the signal does if nobody listens. Before that it gives back the pipes,
/// which others may have, too.
fn end_by(signal: i32) {
    restore_stdio();
    let _ = emulate_default_handler(signal);
}

/// Returns whether the parent of this process wants it to live on, as `nohup` does. Only Linux
/// tells.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default();
    ignored & (1 << (signal - 1)) != 0
}

fn lock() -> MutexGuard<'static, Listening> {
    LISTENING.lock().unwrap_or_else(PoisonError::into_inner)
}
