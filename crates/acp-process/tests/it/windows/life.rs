//! A life line: a socket that a process holds as long as it lives.

use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use crate::support::soon;

/// The longest wait for the end of a process.
///
/// After 60 seconds the test harness in the process prints a warning. Its pipe may be gone, and the
/// process would end of that.
const ENDS: Duration = Duration::from_secs(30);

pub(crate) struct LifeLine(TcpListener);

/// A process that has connected to the life line.
pub(crate) struct Life {
    pub(crate) role: String,
    wire: BufReader<TcpStream>,
}

impl LifeLine {
    pub(crate) async fn new() -> Self {
        Self(TcpListener::bind("127.0.0.1:0").await.unwrap())
    }

    pub(crate) fn address(&self) -> String {
        self.0.local_addr().unwrap().to_string()
    }

    /// Waits for so many processes, and sorts them by their roles.
    pub(crate) async fn lives(&self, count: usize) -> Vec<Life> {
        let mut lives = Vec::new();
        for _ in 0..count {
            let (wire, _) = soon("a process", self.0.accept()).await.unwrap();
            let (mut wire, mut role) = (BufReader::new(wire), String::new());
            soon("a name", wire.read_line(&mut role)).await.unwrap();
            lives.push(Life { role: role.trim().to_owned(), wire });
        }
        lives.sort_by(|one, other| one.role.cmp(&other.role));
        lives
    }
}

impl Life {
    /// Makes the process exit at once, with 9.
    pub(crate) async fn order_to_exit(&mut self) {
        self.wire.write_all(b"!").await.unwrap();
    }

    /// Waits until the process is gone: its socket is then closed or reset.
    pub(crate) async fn ended(mut self) {
        let ended = timeout(ENDS, self.wire.read_u8()).await;
        assert!(ended.is_ok(), "waited in vain for the end of the {}", self.role);
    }
}

pub(crate) async fn all_ended(lives: Vec<Life>) {
    for life in lives {
        life.ended().await;
    }
}
