//! The roles in which this program starts itself, and its reports of failures.

use std::env;
use std::io::{self, Read, Write, stdin, stdout};
use std::net::{Shutdown, TcpStream};
use std::panic;
use std::sync::{Mutex, PoisonError};
use std::thread;

use acp_rpc::{Transport, connect};

use super::link::options;
use crate::common::Lab;

pub(crate) const ROLE: &str = "ACP_RPC_TEST_ROLE";
pub(crate) const LIMITS: &str = "ACP_RPC_TEST_LIMITS";
pub(crate) const PORT: &str = "ACP_RPC_TEST_PORT";

/// Begins the lines on stderr that are reports of the peer under test.
pub(crate) const FAULT: &str = "fault: ";

/// Plays the role that the environment gives, if it gives one.
pub(crate) fn plays_a_part() -> bool {
    match env::var(ROLE).as_deref() {
        Ok("serve") => serve(),
        Ok("relay") => relay(),
        _ => return false,
    }
    true
}

/// The peer under test.
fn serve() {
    silence();
    let limits = env::var(LIMITS).unwrap();
    let limits: Vec<(&str, usize)> = limits
        .split(',')
        .filter_map(|limit| limit.split_once('='))
        .map(|(name, value)| (name, value.parse().unwrap()))
        .collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (lab, _events) = Lab::new();
    runtime.block_on(async {
        let (_peer, driver) = connect(Transport::stdio().unwrap(), lab.clone(), options(&limits));
        driver.await;
    });
    for fault in lab.faults() {
        eprintln!("{FAULT}{fault}");
    }
}

/// A child process that sends what the test wants, and passes on everything that it receives.
fn relay() {
    let port: u16 = env::var(PORT).unwrap().parse().unwrap();
    let socket = TcpStream::connect(("127.0.0.1", port)).unwrap();
    socket.set_nodelay(true).unwrap();
    let wanted = socket.try_clone().unwrap();
    thread::spawn(move || pass_on(wanted, stdout()));
    pass_on(stdin(), &socket).unwrap();
    socket.shutdown(Shutdown::Both).unwrap();
}

/// Copies input, and passes on parts of lines at once.
fn pass_on(mut from: impl Read, mut to: impl Write) -> io::Result<()> {
    let mut chunk = vec![0; 64 * 1024];
    loop {
        match from.read(&mut chunk)? {
            0 => return Ok(()),
            length => to.write_all(&chunk[..length])?,
        }
        to.flush()?;
    }
}

static AT: Mutex<String> = Mutex::new(String::new());

/// The place in the test.
pub(crate) fn at(row: String) {
    *AT.lock().unwrap_or_else(PoisonError::into_inner) = row;
}

/// Silences the panics that belong to the test.
pub(crate) fn silence() {
    let default = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let expected = ["handler panic", "reader panic", "job panic", "task panic"];
        if !info.payload().downcast_ref::<&str>().is_some_and(|message| expected.contains(message)) {
            eprintln!("at {}:", AT.lock().unwrap_or_else(PoisonError::into_inner));
            default(info);
        }
    }));
}
