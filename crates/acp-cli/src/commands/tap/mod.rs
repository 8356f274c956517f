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
    let command = match &settings.agent {
        Named::Remote(_) => None,
        named => Some(named.find()?.into_command("`acp tap`")?),
    };
    let tape = start(&settings)?;
    let ended = match (command, &settings.agent) {
        (Some(command), _) => local::run(command, &tape).await,
        (None, Named::Remote(address)) => {
            let code = connect::run(address, DRAIN, Some(&tape)).await;
            code.map(|code| (code, "the connection has ended".to_owned()))
        }
        // Only an address has no command.
        (None, _) => Err("the agent has no command".into()),
    };
    let reason = ended.as_ref().map_or_else(ToString::to_string, |(_, reason)| reason.clone());
    if tape.end(&reason, PATIENCE).is_none() {
        tell(&format!(
            "acp: the end of the recording {} could not be written in time",
            settings.to.display()
        ));
    }
    ended.map(|(code, _)| code)
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
