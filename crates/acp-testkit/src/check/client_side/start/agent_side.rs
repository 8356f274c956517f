//! The agent's end: a program that a client starts, and that carries lines to the checker.

use std::io;
use std::pin::pin;

use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};

use crate::check::loopback::greet;

/// The environment variable that a login sets.
pub(super) const VARIABLE: &str = "ACP_CHECK_LOGIN";

/// Plays the agent's program, which a client has started: connects to the checker at this address,
/// and carries lines between it and the client, until both are done. `words` are those that the
/// client has added to the command; with them it plays a login, and returns the exit code that the
/// checker wants.
///
/// `terminated` ends when somebody asks the process to terminate.
///
/// # Errors
/// Fails if the checker is not there, or if a stream breaks.
pub async fn agent_side(
    [address, token]: [&str; 2],
    words: &[String],
    stdin: impl AsyncRead + Unpin,
    mut stdout: impl AsyncWrite + Unpin,
    terminated: impl Future<Output = ()>,
) -> io::Result<u8> {
    let variable = std::env::var(VARIABLE).ok();
    let greeting = json!({"token": token, "words": words, "variable": variable});
    let stream = greet(address, &greeting).await?;
    let (from_checker, mut to_checker) = stream.into_split();
    let mut from_checker = BufReader::new(from_checker);
    if !words.is_empty() {
        let mut code = String::new();
        from_checker.read_line(&mut code).await?;
        return Ok(code.trim().parse().unwrap_or(1));
    }
    let mut stdin = BufReader::new(stdin);
    let upwards = async {
        tokio::io::copy_buf(&mut stdin, &mut to_checker).await?;
        report(address, token, true).await?;
        to_checker.shutdown().await?;
        // The checker ends its direction when it has seen the end.
        std::future::pending::<io::Result<()>>().await
    };
    let downwards = async {
        // Each piece leaves at once.
        loop {
            let bytes = from_checker.fill_buf().await?;
            let count = bytes.len();
            if count == 0 {
                return stdout.shutdown().await;
            }
            stdout.write_all(bytes).await?;
            stdout.flush().await?;
            from_checker.consume(count);
        }
    };
    let (upwards, downwards, terminated) = (pin!(upwards), pin!(downwards), pin!(terminated));
    tokio::select! {
        biased;
        ended = downwards => ended?,
        ended = upwards => ended?,
        () = terminated => report(address, token, false).await?,
    }
    Ok(0)
}

/// Tells the checker how the client has ended the agent.
async fn report(address: &str, token: &str, closed: bool) -> io::Result<()> {
    let mut stream = greet(address, &json!({"token": token, "closed": closed})).await?;
    // The checker has taken it when it closes.
    tokio::io::copy(&mut stream, &mut tokio::io::sink()).await.map(drop)
}
