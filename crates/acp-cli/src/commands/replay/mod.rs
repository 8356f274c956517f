//! `acp replay`: a side of a recording, played again.

mod agent;
mod client;

use crate::args::replay::ReplayArgs;
use crate::commands::diff::read;
use crate::outcome::{Failure, exit, tell};
use crate::passing::streams::Streams;

/// Plays the recording, and returns the exit code.
pub(crate) async fn run(args: ReplayArgs, streams: &Streams) -> Result<u8, Failure> {
    // It is read whole to find the sides, and for the comparison.
    let recorded = match read(&args.recording, &args.options.normal) {
        Ok(recorded) => recorded,
        Err(problem) => {
            tell(&format!("acp: {problem}"));
            return Ok(exit::USAGE);
        }
    };
    match &args.agent {
        None => agent::serve(&args, recorded.client).await,
        Some(named) => client::drive(&args, named, &recorded, streams).await,
    }
}
