//! The model of an agent under check: a stub on loopback, and an agent that is led to it.

use std::fs;
use std::path::Path;

use acp_client::Command;
use acp_testkit::check::Options;
use acp_testkit::model::{ModelStub, Profile};
use tempfile::TempDir;

use crate::outcome::Failure;

/// A model stub with the folder of the agent that uses it. Both go when it is dropped.
pub(crate) struct Model {
    profile: Profile,
    _stub: ModelStub,
    _home: TempDir,
}

impl Model {
    /// Starts a stub and leads an agent to it, by a profile that is named or that fits its command.
    pub(crate) async fn start(command: Command, profile: Option<&str>) -> Result<(Self, Command), Failure> {
        let profile = match profile {
            Some(name) => named(name)?,
            None => Profile::of_command(&command).unwrap_or_else(Profile::generic),
        };
        let stub = ModelStub::start(&profile).await?;
        let home = tempfile::tempdir()?;
        let command = profile.prepare(command, stub.url(), home.path())?;
        Ok((Self { profile, _stub: stub, _home: home }, command))
    }

    /// Sets the prompts of the profile.
    pub(crate) fn prompts(&self, options: &mut Options) {
        let cwd = options.cwd.display().to_string();
        let filled = |text: &String| text.replace("{cwd}", &cwd);
        let prompts = self.profile.prompts();
        if let Some(prompt) = &prompts.prompt {
            options.prompt = filled(prompt);
        }
        options.endless_prompt = prompts.endless.as_ref().map(filled);
        options.permission_prompt = prompts.permission.as_ref().map(filled);
        options.more_prompts = prompts.show.iter().map(filled).collect();
    }
}

/// Reads a profile: one that is known, or a file.
fn named(name: &str) -> Result<Profile, Failure> {
    let known = || Profile::known().chain([Profile::generic()]);
    if let Some(profile) = known().find(|profile| profile.name() == name) {
        return Ok(profile);
    }
    if !name.contains(['/', std::path::MAIN_SEPARATOR]) && !name.ends_with(".toml") {
        let names: Vec<_> = known().map(|profile| profile.name().to_owned()).collect();
        let names = names.join(", ");
        return Err(format!("`--profile {name}`: it must be a file, or one of {names}").into());
    }
    let text = fs::read_to_string(Path::new(name)).map_err(|error| format!("`--profile {name}`: {error}"))?;
    Profile::parse(&text).map_err(|error| format!("`--profile {name}`: {error}").into())
}
