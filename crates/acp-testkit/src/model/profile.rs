//! Profiles: how an agent is led to the stub, what its tools are called, and prompts for a check.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use acp_process::Command;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::directive::Wish;

/// The profile of an agent that is not known. Its names are tried after those of the others.
const GENERIC: &str = include_str!("../../profiles/generic.toml");
/// The profiles of known agents.
const KNOWN: [&str; 5] = [
    include_str!("../../profiles/claude.toml"),
    include_str!("../../profiles/codex.toml"),
    include_str!("../../profiles/gemini.toml"),
    include_str!("../../profiles/opencode.toml"),
    include_str!("../../profiles/qwen.toml"),
];

/// The profile of an agent, read from TOML.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    name: String,
    /// Words of a command that is this agent's, without folder, extension and version.
    #[serde(default)]
    programs: Vec<String>,
    /// True if the agent gets a home of its own.
    #[serde(default)]
    private_home: bool,
    /// Environment variables. `{url}` and `{home}` in them are replaced.
    #[serde(default)]
    env: BTreeMap<String, String>,
    /// Environment variables that the agent must not see.
    #[serde(default)]
    unset: Vec<String>,
    #[serde(default)]
    file: Vec<Setting>,
    #[serde(default)]
    tools: Tools,
    #[serde(default)]
    arguments: Names,
    #[serde(default)]
    prompts: Prompts,
}

/// A file below the agent's home.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Setting {
    path: PathBuf,
    text: String,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Tools {
    shell: Kind,
    read: Kind,
    write: Kind,
    edit: Kind,
    plan: Kind,
    ask: Kind,
}

/// The tools that do one kind of thing.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Kind {
    names: Vec<String>,
    /// Arguments that every call gets.
    extra: Map<String, Value>,
}

/// The names that arguments of tools have, the likely ones first.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Names {
    pub(super) command: Vec<String>,
    pub(super) path: Vec<String>,
    pub(super) text: Vec<String>,
    pub(super) old: Vec<String>,
    pub(super) new: Vec<String>,
}

/// Prompts for a check. `{cwd}` in them is the directory of the sessions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Prompts {
    /// A prompt that is answered with a few words.
    pub prompt: Option<String>,
    /// A prompt whose turn lasts until it is cancelled.
    pub endless: Option<String>,
    /// A prompt for which the agent asks for permission.
    pub permission: Option<String>,
    /// Prompts that make the agent show what it can.
    pub show: Vec<String>,
}

impl Profile {
    /// Returns the profile for agents that are not known.
    #[must_use]
    pub fn generic() -> Self {
        Self::read(GENERIC).unwrap_or_else(|_| Self::empty())
    }

    /// Reads a profile. Names that it leaves out are those of [`generic`](Self::generic).
    ///
    /// # Errors
    /// Fails if the text is not TOML of this form.
    pub fn parse(text: &str) -> Result<Self, ProfileError> {
        let mut profile = Self::read(text)?;
        let generic = Self::generic();
        let (tools, others) = (&mut profile.tools, generic.tools);
        for (kind, other) in [
            (&mut tools.shell, others.shell),
            (&mut tools.read, others.read),
            (&mut tools.write, others.write),
            (&mut tools.edit, others.edit),
            (&mut tools.plan, others.plan),
            (&mut tools.ask, others.ask),
        ] {
            kind.names.extend(other.names);
        }
        let (names, others) = (&mut profile.arguments, generic.arguments);
        for (list, other) in [
            (&mut names.command, others.command),
            (&mut names.path, others.path),
            (&mut names.text, others.text),
            (&mut names.old, others.old),
            (&mut names.new, others.new),
        ] {
            list.extend(other);
        }
        let (prompts, others) = (&mut profile.prompts, generic.prompts);
        prompts.prompt = prompts.prompt.take().or(others.prompt);
        prompts.endless = prompts.endless.take().or(others.endless);
        prompts.permission = prompts.permission.take().or(others.permission);
        if prompts.show.is_empty() {
            prompts.show = others.show;
        }
        Ok(profile)
    }

    fn read(text: &str) -> Result<Self, ProfileError> {
        let profile: Self = toml::from_str(text).map_err(|error| ProfileError(error.to_string()))?;
        let leaves =
            |setting: &&Setting| !setting.path.components().all(|part| matches!(part, Component::Normal(_)));
        match profile.file.iter().find(leaves) {
            Some(file) => Err(ProfileError(format!(
                "the path of a file must stay below the home of the agent: {}",
                file.path.display()
            ))),
            None => Ok(profile),
        }
    }

    fn empty() -> Self {
        Self {
            name: "generic".to_owned(),
            programs: Vec::new(),
            private_home: false,
            env: BTreeMap::new(),
            unset: Vec::new(),
            file: Vec::new(),
            tools: Tools::default(),
            arguments: Names::default(),
            prompts: Prompts::default(),
        }
    }

    /// Returns the profiles of known agents.
    pub fn known() -> impl Iterator<Item = Self> {
        KNOWN.into_iter().filter_map(|text| Self::parse(text).ok())
    }

    /// Returns the profile of the known agent that a command starts, by the names of its words.
    #[must_use]
    pub fn of_command(command: &Command) -> Option<Self> {
        let is_word = |program: &String| {
            let mut words = command.words().map(Path::new);
            words.any(|word| program_of(word).is_some_and(|name| name == program.as_str()))
        };
        Self::known().find(|profile| profile.programs.iter().any(is_word))
    }

    /// Returns its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns its prompts.
    #[must_use]
    pub const fn prompts(&self) -> &Prompts {
        &self.prompts
    }

    /// Leads an agent to a stub: sets its environment, and writes its files below `home`, which is
    /// an empty folder for it.
    ///
    /// # Errors
    /// Fails if a file cannot be written.
    pub fn prepare(&self, mut command: Command, url: &str, home: &Path) -> io::Result<Command> {
        let filled = |text: &str| text.replace("{url}", url).replace("{home}", &home.to_string_lossy());
        for name in &self.unset {
            command = command.env_remove(name);
        }
        if self.private_home {
            for name in ["HOME", "USERPROFILE"] {
                command = command.env(name, home);
            }
            for (name, folder) in [
                ("XDG_CONFIG_HOME", ".config"),
                ("XDG_DATA_HOME", ".local/share"),
                ("XDG_STATE_HOME", ".local/state"),
                ("XDG_CACHE_HOME", ".cache"),
            ] {
                fs::create_dir_all(home.join(folder))?;
                command = command.env(name, home.join(folder));
            }
        }
        for Setting { path, text } in &self.file {
            let path = home.join(path);
            fs::create_dir_all(path.parent().unwrap_or(home))?;
            fs::write(path, filled(text))?;
        }
        // A proxy does not reach this machine's loopback.
        for name in ["NO_PROXY", "no_proxy"] {
            command = command.env(name, "127.0.0.1,localhost");
        }
        Ok(self.env.iter().fold(command, |command, (name, value)| command.env(name, filled(value))))
    }

    pub(super) const fn names(&self) -> &Names {
        &self.arguments
    }

    fn kind(&self, wish: &Wish) -> Option<&Kind> {
        Some(match wish {
            Wish::Shell(_) => &self.tools.shell,
            Wish::Read(_) => &self.tools.read,
            Wish::Write(..) => &self.tools.write,
            Wish::Edit(..) => &self.tools.edit,
            Wish::Plan(_) => &self.tools.plan,
            Wish::Ask => &self.tools.ask,
            Wish::Tool(..) => return None,
        })
    }

    /// Returns the names of the tools that do what is wished, the likely ones first.
    pub(super) fn tools(&self, wish: &Wish) -> Vec<&str> {
        let names = self.kind(wish).map(|kind| kind.names.as_slice()).unwrap_or_default();
        names.iter().map(String::as_str).collect()
    }

    /// Adds the arguments that every call of such a tool gets.
    pub(super) fn with_extra(&self, wish: &Wish, mut arguments: Value) -> Value {
        if let (Some(kind), Some(members)) = (self.kind(wish), arguments.as_object_mut()) {
            members.extend(kind.extra.clone());
        }
        arguments
    }
}

/// Returns the name of the program or package in a word of a command, without the folder, the
/// extension and the version: `codex-acp` of `@agentclientprotocol/codex-acp@1.0.2`.
fn program_of(word: &Path) -> Option<&str> {
    let name = word.file_name()?.to_str()?;
    match name.split_once('@') {
        Some((package, _)) if !package.is_empty() => Some(package),
        _ => Path::new(name).file_stem()?.to_str(),
    }
}

/// The reason why a profile cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileError(String);

impl fmt::Display for ProfileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.trim_end())
    }
}

impl std::error::Error for ProfileError {}
