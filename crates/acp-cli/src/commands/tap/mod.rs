//! `acp tap`: a recorder between an editor and an agent.

mod convert;
mod local;
mod settings;

use std::time::Duration;

use acp_testkit::recordings::{RecordFile, Tape, TapeOptions};

use self::settings::Settings;
use crate::args::connect::DRAIN;
use crate::args::tap::TapArgs;
use crate::commands::connect;
use crate::named::Named;
use crate::outcome::{Failure, exit, tell};

/// The time for which the file may be stuck at the end.
const PATIENCE: Duration = Duration::from_secs(5);

/// Passes bytes on until the agent has ended, or converts a file, and returns the exit code.
pub(crate) async fn run(args: TapArgs) -> Result<u8, Failure> {
    let given = match args {
        TapArgs::Pass(given) => given,
        TapArgs::Convert { from, form, to } => {
            convert::run(&from, form, to.as_deref())?;
            return Ok(exit::DONE);
        }
    };
    let settings = match Settings::find(*given) {
        Ok(settings) => settings,
        Err(problem) => {
            tell(&format!("acp: {problem}"));
            return Ok(exit::USAGE);
        }
    };
    let (code, is_written) = pass(&settings.agent, "`acp tap`", || start(&settings)).await?;
    if !is_written {
        tell(&format!(
            "acp: the end of the recording {} could not be written in time",
            settings.to.display()
        ));
    }
    code
}

/// Passes bytes between stdio and an agent until the agent has ended, and records them. Returns the
/// exit code, and true if the tape was written to its end in time.
pub(in crate::commands) async fn pass(
    agent: &Named,
    purpose: &'static str,
    start: impl FnOnce() -> std::io::Result<Tape>,
) -> Result<(Result<u8, Failure>, bool), Failure> {
    let command = match agent {
        Named::Remote(_) => None,
        named => Some(named.find()?.into_command(purpose)?),
    };
    let tape = start()?;
    let ended = match (command, agent) {
        (Some(command), _) => local::run(command, &tape).await,
        (None, Named::Remote(address)) => {
            let code = connect::run(address, DRAIN, Some(&tape)).await;
            code.map(|code| (code, "the connection has ended".to_owned()))
        }
        // Only an address has no command.
        (None, _) => Err("the agent has no command".into()),
    };
    let reason = ended.as_ref().map_or_else(ToString::to_string, |(_, reason)| reason.clone());
    let is_written = tape.end(&reason, PATIENCE).is_some();
    Ok((ended.map(|(code, _)| code), is_written))
}

fn start(settings: &Settings) -> std::io::Result<Tape> {
    let file = RecordFile::new(&settings.to);
    let file = match settings.rotate {
        Some(limit) => file.rotate(limit, settings.keep),
        None => file,
    };
    let name = settings.to.display().to_string();
    let options = TapeOptions::default().redaction(settings.redaction.clone()).on_fault(move |error| {
        tell(&format!("acp: the recording {name} cannot be written, and the connection goes on: {error}"));
    });
    Tape::start(file, options)
}
