//! `acp connect`: an agent on stdin and stdout, made of an agent of another machine, and maybe
//! recorded.

use std::io;
use std::time::Duration;

use acp_client::Transport;
use acp_client::tap::Direction;
use acp_testkit::recordings::Tape;

use crate::interrupt::Interrupts;
use crate::named::address::Address;
use crate::outcome::{Failure, exit, tell};
use crate::passing::denied::told;
use crate::passing::remote::{Ended, between, is_denied};

/// Passes messages on until either side ends, and returns the exit code. A tape hears them.
pub(crate) async fn run(address: &Address, drain: Duration, tape: Option<&Tape>) -> Result<u8, Failure> {
    let remote = address.remote()?;
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
    let mut client = Transport::stdio()?;
    let mut agent = agent;
    if let Some(tape) = tape {
        client = heard(client, tape, Direction::Out);
        agent = heard(agent, tape, Direction::In);
    }
    let stdio = client.into_parts();
    let mut is_stopped = false;
    let stop = async {
        interrupts.next().await;
        is_stopped = true;
    };
    match between((stdio.reader, stdio.writer), agent, drain, stop).await {
        Ok(_) if is_stopped => Ok(exit::CANCELLED),
        Ok(Ended::Finished) => Ok(exit::DONE),
        Ok(Ended::Cut) => {
            tell(&format!(
                "acp: the agent did not finish within {drain:?} after the end of stdin: see `--drain`"
            ));
            Ok(exit::ERROR)
        }
        Err(error) => Ok(failed(&error)),
    }
}

/// Lets a tape hear what is read.
fn heard(transport: Transport, tape: &Tape, direction: Direction) -> Transport {
    let parts = transport.into_parts();
    Transport::new(tape.head(direction).on(parts.reader), parts.writer)
}

fn failed(error: &io::Error) -> u8 {
    tell(&format!("acp: {}", told(error)));
    if is_denied(error) { exit::REFUSED } else { exit::ERROR }
}
