use std::collections::BTreeMap;
use std::env::consts::{ARCH, OS};
use std::fmt;
use std::path::{Component, Path};
use std::str::FromStr;

use acp_json::{Node, ReadError};
use acp_rpc::Command;

use crate::launch::members::{environment, text, texts};

/// The public list of agents, as it is published in JSON: what they are, and how each is started.
///
/// This only reads it: fetching the list, and unpacking archives, is up to the caller. Agents in packages are fetched
/// by their package runner when it starts them, which may take longer than
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
    /// The entries that could not be read, and why.
    pub skipped: Vec<String>,
}

/// An agent of a [`Registry`].
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RegistryAgent {
    /// Its name in the list.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// Its version.
    pub version: Option<String>,
    /// What it is, in a sentence.
    pub description: Option<String>,
    /// Where its source is.
    pub repository: Option<String>,
    /// Where it is described.
    pub website: Option<String>,
    /// Who made it.
    pub authors: Vec<String>,
    /// The SPDX identifier of its licence, or `proprietary`.
    pub license: Option<String>,
    /// Where its icon is, an SVG.
    pub icon: Option<String>,
    /// How it is started.
    pub distribution: Distribution,
}

/// The ways in which an agent can be had: one or more.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Distribution {
    /// As a package of npm, run by `npx`.
    pub npx: Option<Package>,
    /// As a package of PyPI, run by `uvx`.
    pub uvx: Option<Package>,
    /// As a program, by platform: `linux-x86_64`, `darwin-aarch64`, …
    pub binary: BTreeMap<String, Binary>,
}

/// An agent in a package.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Package {
    /// The package, as a rule with its version.
    pub package: String,
    /// The command in it, if it is not the one that the package is named after.
    pub cmd: Option<String>,
    /// Its arguments.
    pub args: Vec<String>,
    /// What is added to its environment.
    pub env: BTreeMap<String, String>,
}

/// An agent as a program in an archive.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Binary {
    /// Where the archive is, or the program itself.
    pub archive: String,
    /// The SHA-256 of the archive in hex, if the list has it.
    pub sha256: Option<String>,
    /// The program: a path in the unpacked archive; or `node`, `python`, `python3`, `java` or `ruby`, which run a file of
    /// it.
    pub cmd: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// What is added to its environment.
    pub env: BTreeMap<String, String>,
}

/// Why a registry cannot be read, or no command made of an entry.
#[derive(Debug)]
#[non_exhaustive]
pub enum RegistryError {
    /// It is no JSON.
    Json(ReadError),
    /// It has no list `agents`.
    NoAgents,
    /// The agent cannot be started like this.
    NoCommand {
        /// Its id.
        agent: String,
        /// Why, and what would do.
        problem: String,
    },
}

impl Registry {
    /// The agent of this id.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&RegistryAgent> {
        self.agents.iter().find(|agent| agent.id == id)
    }
}

impl FromStr for Registry {
    type Err = RegistryError;

    /// Reads the list. Entries that cannot be read are [`skipped`](Self::skipped), members that are not known ignored.
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

impl RegistryAgent {
    /// What starts it: its program, if `unpacked` says where its archive was unpacked and there is one for this platform;
    /// else its package, with `npx` or `uvx`, which must be on the path.
    ///
    /// An archive may hold a script instead of a program: then its entry names one of the interpreters `node`, `python`,
    /// `python3`, `java` and `ruby`. Unless the archive has a file of that name, the interpreter is the one on the path,
    /// and arguments that name files of the archive are made absolute, as the agent may be started in any folder.
    ///
    /// # Errors
    /// [`RegistryError::NoCommand`]: it is not to be had like this.
    pub fn command(&self, unpacked: Option<&Path>) -> Result<Command, RegistryError> {
        let ways = &self.distribution;
        let here = ways.binary.get(&platform());
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
    /// `npx --yes PACKAGE ARGS…`: without a question, which nobody would see.
    #[must_use]
    pub fn npx(&self) -> Command {
        let runner = Command::new("npx").arg("--yes");
        self.run(runner, "--package")
    }

    /// `uvx PACKAGE ARGS…`.
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
        // The runner would take it for an option of its own.
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

/// The programs that an archive need not hold.
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

/// The path of a file of the archive that an argument names; any other argument as it is.
fn in_archive(folder: &Path, arg: &str) -> String {
    let is_inside =
        Path::new(arg).components().all(|part| matches!(part, Component::CurDir | Component::Normal(_)));
    let file = folder.join(arg);
    match file.to_str() {
        Some(path) if is_inside && file.is_file() => path.to_owned(),
        _ => arg.to_owned(),
    }
}

/// This platform, as registries name it.
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
            Self::Json(error) => write!(f, "the registry is no JSON: {error}"),
            Self::NoAgents => f.write_str("the registry has no list `agents`"),
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
