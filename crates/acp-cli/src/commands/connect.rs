//! `acp connect`: an agent on stdin and stdout, made of an agent of another machine.

use std::io;

use acp_client::Transport;

use crate::args::connect::ConnectArgs;
use crate::interrupt::Interrupts;
use crate::outcome::{Failure, exit, tell};
use crate::passing::remote::{Ended, between, is_denied};

/// Passes messages on until either side ends, and returns the exit code.
pub(crate) async fn run(args: ConnectArgs) -> Result<u8, Failure> {
    let remote = args.address.remote()?;
    let mut interrupts = Interrupts::listen()?;
    let connected = tokio::select! {
        biased;
        _ = interrupts.next() => return Ok(exit::CANCELLED),
        connected = remote.connect() => connected.map_err(io::Error::from),
    };
    let agent = match connected {
        Ok(agent) => agent,
        Err(error) => return Ok(failed(&error)),
    };
    let stdio = Transport::stdio()?.into_parts();
    let mut is_stopped = false;
    let stop = async {
        interrupts.next().await;
        is_stopped = true;
    };
    match between((stdio.reader, stdio.writer), agent, args.drain, stop).await {
        Ok(_) if is_stopped => Ok(exit::CANCELLED),
        Ok(Ended::Finished) => Ok(exit::DONE),
        Ok(Ended::Cut) => {
            let drain = args.drain;
            tell(&format!(
                "acp: the agent did not finish within {drain:?} after the end of stdin: see `--drain`"
            ));
            Ok(exit::ERROR)
        }
        Err(error) => Ok(failed(&error)),
    }
}

fn failed(error: &io::Error) -> u8 {
    tell(&format!("acp: {error}"));
    if is_denied(error) { exit::REFUSED } else { exit::ERROR }
}
