//! Messages as lines of a process's stdin and stdout.

use std::io;

use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::{mpsc, oneshot};

use super::line::Lines;
use super::process::{Pipes, Process};

/// The number of messages that may wait to be written.
const WAITING: usize = 64;

type Outgoing = (Vec<u8>, oneshot::Sender<io::Result<()>>);

/// A connection to a process.
pub(super) struct StdioTransport {
    process: Process,
    /// The queue to the process's stdin, which is closed when this is dropped.
    stdin: Option<mpsc::Sender<Outgoing>>,
    stdout: ChildStdout,
    lines: Lines,
    chunk: Box<[u8]>,
}

impl StdioTransport {
    pub(super) fn new(process: Process, (stdin, stdout): Pipes, line_limit: usize) -> Self {
        let (sender, outgoing) = mpsc::channel(WAITING);
        tokio::spawn(write(stdin, outgoing));
        Self {
            process,
            stdin: Some(sender),
            stdout,
            lines: Lines::new(line_limit),
            chunk: vec![0; 16 * 1024].into(),
        }
    }
}

/// Writes whole messages, even if the sender does not wait any more.
async fn write(mut stdin: ChildStdin, mut outgoing: mpsc::Receiver<Outgoing>) {
    while let Some((line, done)) = outgoing.recv().await {
        let written = async {
            stdin.write_all(&line).await?;
            stdin.flush().await
        };
        let _ = done.send(written.await);
    }
}

impl Transport<RoleClient> for StdioTransport {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let stdin = self.stdin.clone();
        async move {
            let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
            let mut line = serde_json::to_vec(&message)?;
            line.push(b'\n');
            let (done, written) = oneshot::channel();
            stdin.ok_or_else(gone)?.send((line, done)).await.map_err(|_| gone())?;
            written.await.map_err(|_| gone())?
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            if let Some(message) = self.lines.next() {
                return Some(message);
            }
            match self.stdout.read(&mut self.chunk).await {
                Ok(length @ 1..) => self.lines.push(self.chunk.get(..length).unwrap_or_default()),
                Ok(0) | Err(_) => return None,
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.stdin = None;
        self.process.end().await;
        Ok(())
    }
}
