//! The TUI client on a terminal: it works there, and leaves it as it was.
#![cfg(unix)]
#![allow(clippy::expect_used, reason = "what a test expects, it may insist on")]

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

/// A program that shows nothing for so long never will: the test fails instead of hanging.
const PATIENCE: Duration = Duration::from_secs(60);

/// What leaves the other screen, on which the program draws.
const LEAVE: &str = "\u{1b}[?1049l";

struct Screen {
    /// What the user types.
    keyboard: File,
    /// What the program writes.
    written: Receiver<Vec<u8>>,
    seen: String,
    /// The program's end of it.
    line: File,
    client: Child,
}

impl Screen {
    /// The client with the echo agent, on a terminal.
    fn open() -> Self {
        let keyboard = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("one");
        grantpt(&keyboard).expect("it is ours");
        unlockpt(&keyboard).expect("it is ours");
        let name = ptsname(&keyboard, Vec::new()).expect("its name");
        let name = std::ffi::OsStr::from_bytes(name.to_bytes());
        let flags = OFlags::NOCTTY.bits().cast_signed();
        let line = File::options().read(true).write(true).custom_flags(flags).open(name).expect("it opens");
        let size = Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&line, size).expect("it has a size");
        let end = || line.try_clone().expect("a descriptor");
        let client = Command::new(env!("CARGO_BIN_EXE_tui_client"))
            .args(["--", env!("CARGO_BIN_EXE_echo_agent")])
            .stdin(end())
            .stdout(end())
            .stderr(end())
            .spawn()
            .expect("it starts");
        let keyboard = File::from(keyboard);
        let written = read(keyboard.try_clone().expect("a descriptor"));
        Self { keyboard, written, seen: String::new(), line, client }
    }

    fn modes(&self) -> Termios {
        tcgetattr(&self.line).expect("it is a terminal")
    }

    fn type_in(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).expect("it is read");
    }

    /// Waits until this has been written since the last time.
    fn until(&mut self, text: &str) {
        while !self.seen.contains(text) {
            let bytes = self.written.recv_timeout(PATIENCE);
            let bytes = bytes.unwrap_or_else(|_| panic!("{text:?} never came: {:?}", self.seen));
            self.seen.push_str(&String::from_utf8_lossy(&bytes));
        }
        self.seen.clear();
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // A test that failed leaves nothing behind.
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

#[test]
fn the_terminal_is_left_as_it_was() {
    type End = fn(&mut Screen);
    let ends: [(&str, End); 3] = [
        ("the user quits", |screen| screen.type_in("\u{3}")),
        ("the end of the input is typed", |screen| {
            screen.type_in("hello\r");
            screen.until("> hello");
            screen.type_in("\u{4}");
        }),
        ("it is told to end", |screen| {
            let killed = Command::new("kill").arg(screen.client.id().to_string()).status();
            assert!(killed.expect("kill runs").success());
        }),
    ];
    for (name, end) in ends {
        let mut screen = Screen::open();
        let before = format!("{:?}", screen.modes());
        screen.until("Enter sends");
        assert_ne!(format!("{:?}", screen.modes()), before, "{name}: keys come one by one now");
        end(&mut screen);
        screen.until(LEAVE);
        assert!(screen.client.wait().expect("it ends").success(), "{name}");
        assert_eq!(format!("{:?}", screen.modes()), before, "{name}");
    }
}
