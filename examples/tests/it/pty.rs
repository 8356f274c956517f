//! A terminal that a test types on and reads.

#![allow(dead_code, reason = "each program that has this uses a part")]

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use rustix::fs::OFlags;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Termios, Winsize, tcgetattr, tcsetwinsize};

/// A guard against hanging: a program that shows nothing for this long fails its test.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Screen {
    /// The user's end.
    keyboard: File,
    /// The output of the program.
    written: Receiver<Vec<u8>>,
    /// The output that the test has not looked at.
    seen: String,
    /// The program's end.
    line: File,
    /// The settings of the terminal before the program started.
    pub(crate) before: Termios,
    pub(crate) client: Child,
}

impl Screen {
    /// Runs a program on a terminal.
    pub(crate) fn open(mut program: Command) -> Self {
        let keyboard = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("one");
        grantpt(&keyboard).expect("it is ours");
        unlockpt(&keyboard).expect("it is ours");
        let name = ptsname(&keyboard, Vec::new()).expect("its name");
        let name = std::ffi::OsStr::from_bytes(name.to_bytes());
        let flags = OFlags::NOCTTY.bits().cast_signed();
        let line = File::options().read(true).write(true).custom_flags(flags).open(name).expect("it opens");
        let size = Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&line, size).expect("it has a size");
        let before = tcgetattr(&line).expect("it is a terminal");
        let end = || line.try_clone().expect("a descriptor");
        let client = program.stdin(end()).stdout(end()).stderr(end()).spawn().expect("it starts");
        let keyboard = File::from(keyboard);
        let written = read(keyboard.try_clone().expect("a descriptor"));
        Self { keyboard, written, seen: String::new(), line, before, client }
    }

    pub(crate) fn modes(&self) -> Termios {
        tcgetattr(&self.line).expect("it is a terminal")
    }

    pub(crate) fn type_in(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).expect("it is read");
    }

    /// Waits until this has been written. Returns the output since the last time, up to there.
    pub(crate) fn until(&mut self, text: &str) -> String {
        let end = loop {
            if let Some(at) = self.seen.find(text) {
                break at + text.len();
            }
            let bytes = self.written.recv_timeout(PATIENCE);
            let bytes = bytes.unwrap_or_else(|_| panic!("{text:?} never came: {:?}", self.seen));
            self.seen.push_str(&String::from_utf8_lossy(&bytes));
        };
        self.seen.drain(..end).collect()
    }

    /// Returns the exit status.
    pub(crate) fn end(&mut self) -> Option<i32> {
        self.client.wait().expect("it ends").code()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // A failed test leaves no process behind.
        let _ = self.client.kill();
        let _ = self.client.wait();
    }
}

fn read(mut screen: File) -> Receiver<Vec<u8>> {
    let (tell, written) = channel();
    std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(count @ 1..) = screen.read(&mut buffer) {
            if tell.send(buffer.iter().take(count).copied().collect()).is_err() {
                break;
            }
        }
    });
    written
}
