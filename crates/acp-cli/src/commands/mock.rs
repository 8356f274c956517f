//! `acp mock`: a scripted peer as a program.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use acp_client::tap::Recording;
use acp_testkit::ScriptedPeer;
use acp_testkit::mock::{Form, Mock, Side};

use crate::args::mock::MockArgs;
use crate::named::Named;
use crate::outcome::{Failure, exit, tell};
use crate::passing::streams::Streams;

/// Plays a script, or writes one, and returns the exit code.
pub(crate) async fn run(args: MockArgs, streams: &Streams) -> Result<u8, Failure> {
    match args {
        MockArgs::Play { side, script, peer } => play(side, &script, peer, streams).await,
        MockArgs::From { side, recording } => from(side, &recording),
    }
}

async fn play(side: Side, file: &Path, peer: Option<Named>, streams: &Streams) -> Result<u8, Failure> {
    let name = file.display();
    let text = fs::read_to_string(file).map_err(|error| format!("`--script {name}`: {error}"))?;
    let mock = match Mock::parse(&text, Form::of_file(file), side) {
        Ok(mock) => mock,
        Err(error) => {
            tell(&format!("acp: {name}: {error}"));
            return Ok(exit::USAGE);
        }
    };
    let peer = match peer {
        Some(named) => named.find()?.peer(streams)?,
        None => ScriptedPeer::new(tokio::io::stdin(), tokio::io::stdout()),
    };
    match mock.play(peer).await {
        Ok(mut peer) => {
            peer.end().await;
            Ok(exit::DONE)
        }
        Err(error) => {
            tell(&format!("acp: {name}, {error}"));
            Ok(exit::ERROR)
        }
    }
}

fn from(side: Side, file: &Path) -> Result<u8, Failure> {
    let named = |problem: String| format!("`--from {}`: {problem}", file.display());
    let recording = Recording::open(file).map_err(|error| named(error.to_string()))?;
    let script = Mock::script_from(recording, side).map_err(|error| named(error.to_string()))?;
    io::stdout().write_all(script.as_bytes())?;
    Ok(exit::DONE)
}
