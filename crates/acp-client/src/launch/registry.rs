//! The public list of agents.

use std::collections::BTreeMap;
use std::env::consts::{ARCH, OS};
use std::fmt;
use std::path::{Component, Path};
use std::str::FromStr;

use acp_json::{Node, ReadError};
use acp_rpc::Command;

use crate::launch::members::{environment, text, texts};

/// The public list of agents, as it is published in JSON: a description of each, and how to start
/// it.
///
/// This type only reads the list. The caller fetches it and unpacks archives. Package runners fetch
/// agents when they start them, which may take longer than
/// [`initialize_timeout`](crate::Connect::initialize_timeout).
///
/// ```
/// use acp_client::Registry;
///
/// let registry: Registry = r#"{"version": "1.0.0", "agents": [
///     {"id": "robot", "name": "Robot", "version": "3.1.0", "description": "Writes code.",
///      "distribution": {"npx": {"package": "@acme/robot@3.1.0", "args": ["--acp"]}}}
/// ]}"#.parse()?;
/// let robot = registry.get("robot").expect("it is listed");
/// let command = robot.command(None)?;        // npx --yes @acme/robot@3.1.0 --acp
/// # assert_eq!(command.program(), "npx");
/// # Ok::<(), acp_client::RegistryError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Registry {
    /// The version of the list's format.
    pub version: Option<String>,
    /// The agents, in the order of the list.
    pub agents: Vec<RegistryAgent>,
    /// The entries that could not be read, with the reasons.
    pub skipped: Vec<String>,
}

/// An agent of a [`Registry`].
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RegistryAgent {
    /// Its id in the list.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// Its version.
    pub version: Option<String>,
    /// Its description, in a sentence.
    pub description: Option<String>,
    /// The address of its source.
    pub repository: Option<String>,
    /// The address of its description.
    pub website: Option<String>,
    /// Its authors.
    pub authors: Vec<String>,
    /// The SPDX identifier of its licence, or `proprietary`.
    pub license: Option<String>,
    /// The address of its icon, an SVG.
    pub icon: Option<String>,
    /// The ways to start it.
    pub distribution: Distribution,
}

/// The ways to get an agent: one or more.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Distribution {
    /// A package of npm, run by `npx`.
    pub npx: Option<Package>,
    /// A package of PyPI, run by `uvx`.
    pub uvx: Option<Package>,
    /// Programs by platform: `linux-x86_64`, `darwin-aarch64`, …
    pub binary: BTreeMap<String, Binary>,
}

/// An agent in a package.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Package {
    /// The package, as a rule with its version.
    pub package: String,
    /// The command in it, if its name differs from that of the package.
    pub cmd: Option<String>,
    /// Its arguments.
    pub args: Vec<String>,
    /// The variables that are added to its environment.
    pub env: BTreeMap<String, String>,
}

/// An agent as a program in an archive.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Binary {
    /// The address of the archive, or of the program itself.
    pub archive: String,
    /// The SHA-256 of the archive in hex, if the list has it.
    pub sha256: Option<String>,
    /// The program: a path in the unpacked archive, or an interpreter (`node`, `python`, `python3`,
    /// `java` or `ruby`) that runs a file of the archive.
    pub cmd: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// The variables that are added to its environment.
    pub env: BTreeMap<String, String>,
}

/// A registry that cannot be read, or an agent that cannot be started.
#[derive(Debug)]
#[non_exhaustive]
pub enum RegistryError {
    /// The text is not JSON.
    Json(ReadError),
    /// The list `agents` is missing.
    NoAgents,
    /// The text is not the entry of an agent, for this reason.
    NoEntry(String),
    /// The agent cannot be started this way.
    NoCommand {
        /// Its id.
        agent: String,
        /// The reason, and a way that works.
        problem: String,
    },
}

impl Registry {
    /// Returns the agent with this id.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&RegistryAgent> {
        self.agents.iter().find(|agent| agent.id == id)
    }

    /// Returns the name of this platform in registries, such as `linux-x86_64`.
    #[must_use]
    pub fn platform() -> String {
        platform()
    }
}

impl FromStr for Registry {
    type Err = RegistryError;

    /// Reads the list. It [skips](Self::skipped) entries that cannot be read and ignores unknown
    /// members.
    fn from_str(json: &str) -> Result<Self, RegistryError> {
        let list = acp_json::parse(json).map_err(RegistryError::Json)?;
        let Some(Node::Seq(entries)) = list.get("agents") else { return Err(RegistryError::NoAgents) };
        let mut registry = Self { version: text(&list, "version"), ..Self::default() };
        for (index, entry) in entries.iter().enumerate() {
            match RegistryAgent::read(entry) {
                Ok(agent) => registry.agents.push(agent),
                Err(problem) => {
                    let id = text(entry, "id").map(|id| format!(" (`{id}`)")).unwrap_or_default();
                    registry.skipped.push(format!("agents[{index}]{id}: {problem}"));
                }
            }
        }
        Ok(registry)
    }
}

impl FromStr for RegistryAgent {
    type Err = RegistryError;

    /// Reads one entry of the list, as its authors keep it in a file.
    fn from_str(json: &str) -> Result<Self, RegistryError> {
        let entry = acp_json::parse(json).map_err(RegistryError::Json)?;
        Self::read(&entry).map_err(RegistryError::NoEntry)
    }
}

impl RegistryAgent {
    /// Returns its program for this platform, if there is one.
    #[must_use]
    pub fn binary(&self) -> Option<&Binary> {
        self.distribution.binary.get(&platform())
    }

    /// Returns the command that starts it. That is its program, if `unpacked` names the folder of
    /// its unpacked archive and there is one for this platform. Otherwise it is its package, with
    /// `npx` or `uvx`, which must be on the path.
    ///
    /// An archive may hold a script instead of a program. Then its entry names one of the
    /// interpreters `node`, `python`, `python3`, `java` and `ruby`. The interpreter is the one on
    /// the path, unless the archive has a file of that name. Arguments that name files of the
    /// archive are made absolute, because the agent may be started in any folder.
    ///
    /// # Errors
    /// [`RegistryError::NoCommand`] if the agent is not available this way.
    pub fn command(&self, unpacked: Option<&Path>) -> Result<Command, RegistryError> {
        let ways = &self.distribution;
        let here = self.binary();
        if let Some((folder, binary)) = unpacked.zip(here) {
            return binary.command(folder).map_err(|problem| self.no_command(problem));
        }
        let package = ways.npx.as_ref().map(Package::npx).or_else(|| ways.uvx.as_ref().map(Package::uvx));
        package.ok_or_else(|| {
            self.no_command(match here {
                Some(binary) => format!("unpack {} and say where it is", binary.archive),
                None => format!("it is not made for {}", platform()),
            })
        })
    }

    fn no_command(&self, problem: String) -> RegistryError {
        RegistryError::NoCommand { agent: self.id.clone(), problem }
    }

    fn read(entry: &Node<'_>) -> Result<Self, String> {
        let required = |name: &str| text(entry, name).ok_or_else(|| format!("`{name}` must be a text"));
        let id = required("id")?;
        let ways = entry.get("distribution").ok_or("`distribution` is missing")?;
        let distribution = Distribution::read(ways)?;
        Ok(Self {
            name: text(entry, "name").unwrap_or_else(|| id.clone()),
            id,
            version: text(entry, "version"),
            description: text(entry, "description"),
            repository: text(entry, "repository"),
            website: text(entry, "website"),
            authors: texts(entry, "authors").unwrap_or_default(),
            license: text(entry, "license"),
            icon: text(entry, "icon"),
            distribution,
        })
    }
}

impl Distribution {
    fn read(node: &Node<'_>) -> Result<Self, String> {
        let package = |name: &str| node.get(name).map(Package::read).transpose();
        let mut ways = Self { npx: package("npx")?, uvx: package("uvx")?, binary: BTreeMap::new() };
        if let Some(Node::Map(platforms)) = node.get("binary") {
            for (platform, binary) in platforms {
                ways.binary.insert(platform.to_string(), Binary::read(binary)?);
            }
        }
        if ways == Self::default() {
            return Err("`distribution` has neither `npx` nor `uvx` nor `binary`".to_owned());
        }
        Ok(ways)
    }
}

impl Package {
    /// Returns `npx --yes PACKAGE ARGS…`. With `--yes` it asks no question, which nobody would see.
    #[must_use]
    pub fn npx(&self) -> Command {
        let runner = Command::new("npx").arg("--yes");
        self.run(runner, "--package")
    }

    /// Returns `uvx PACKAGE ARGS…`.
    #[must_use]
    pub fn uvx(&self) -> Command {
        self.run(Command::new("uvx"), "--from")
    }

    fn run(&self, runner: Command, from: &str) -> Command {
        let runner = match &self.cmd {
            Some(cmd) => runner.args([from, &self.package, cmd]),
            None => runner.arg(&self.package),
        };
        set_up(runner, &self.args, &self.env)
    }

    fn read(node: &Node<'_>) -> Result<Self, String> {
        let package = text(node, "package").ok_or("`package` must be a text")?;
        let cmd = text(node, "cmd");
        // The runner would take it for one of its own options.
        if [Some(&package), cmd.as_ref()]
            .into_iter()
            .flatten()
            .any(|word| word.starts_with('-') || word.is_empty())
        {
            return Err("`package` and `cmd` must not be empty or begin with `-`".to_owned());
        }
        Ok(Self { package, cmd, args: texts(node, "args")?, env: environment(node)? })
    }
}

/// The programs that need not be in an archive.
const INTERPRETERS: [&str; 5] = ["node", "python", "python3", "java", "ruby"];

impl Binary {
    fn command(&self, folder: &Path) -> Result<Command, String> {
        let program = Path::new(&self.cmd);
        let is_inside =
            program.components().all(|part| matches!(part, Component::CurDir | Component::Normal(_)));
        let names: Vec<_> = program.components().filter(|part| *part != Component::CurDir).collect();
        if !is_inside || names.is_empty() {
            return Err(format!("its program `{}` is not in its archive", self.cmd));
        }
        // The agent may be started in another folder.
        let folder = std::path::absolute(folder).map_err(|error| error.to_string())?;
        if INTERPRETERS.contains(&self.cmd.as_str()) && !folder.join(&self.cmd).is_file() {
            let args: Vec<_> = self.args.iter().map(|arg| in_archive(&folder, arg)).collect();
            return Ok(set_up(Command::new(&self.cmd), &args, &self.env));
        }
        let program = names.into_iter().fold(folder, |path, name| path.join(name));
        Ok(set_up(Command::new(program), &self.args, &self.env))
    }

    fn read(node: &Node<'_>) -> Result<Self, String> {
        Ok(Self {
            archive: text(node, "archive").ok_or("`archive` must be a text")?,
            sha256: text(node, "sha256"),
            cmd: text(node, "cmd").ok_or("`cmd` must be a text")?,
            args: texts(node, "args")?,
            env: environment(node)?,
        })
    }
}

/// Returns the path of a file of the archive that an argument names. Other arguments stay as they
/// are.
fn in_archive(folder: &Path, arg: &str) -> String {
    let is_inside =
        Path::new(arg).components().all(|part| matches!(part, Component::CurDir | Component::Normal(_)));
    let file = folder.join(arg);
    match file.to_str() {
        Some(path) if is_inside && file.is_file() => path.to_owned(),
        _ => arg.to_owned(),
    }
}

/// Returns the name of this platform in registries.
fn platform() -> String {
    let system = if OS == "macos" { "darwin" } else { OS };
    format!("{system}-{ARCH}")
}

fn set_up(command: Command, args: &[String], env: &BTreeMap<String, String>) -> Command {
    env.iter().fold(command.args(args), |command, (name, value)| command.env(name, value))
}

impl fmt::Display for RegistryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(error) => write!(f, "the registry is not JSON: {error}"),
            Self::NoAgents => f.write_str("the registry has no list `agents`"),
            Self::NoEntry(problem) => write!(f, "this is not the entry of an agent: {problem}"),
            Self::NoCommand { agent, problem } => {
                write!(f, "the agent `{agent}` cannot be started: {problem}")
            }
        }
    }
}

impl std::error::Error for RegistryError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Json(error) => Some(error),
            _ => None,
        }
    }
}
