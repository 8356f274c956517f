//! A crate made for one measurement: it depends on one of the two type crates and decodes every
//! message.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use tempfile::TempDir;

/// One of the two sides.
pub(crate) struct Side {
    /// Its name in the table.
    pub(crate) name: &'static str,
    dependencies: &'static [(&'static str, &'static str)],
    prelude: &'static str,
}

pub(crate) const OURS: Side = Side {
    name: "acp-types",
    dependencies: &[("acp-types", r#"{ path = "{project}/crates/acp-types" }"#)],
    prelude: "use acp_types::{from_str, v1 as types};",
};

pub(crate) const OFFICIAL: Side = Side {
    name: "official",
    dependencies: &[
        ("agent-client-protocol-schema", r#"{ version = "=1.15.1", default-features = false }"#),
        ("serde_json", r#""1""#),
    ],
    prelude: "use agent_client_protocol_schema::v1 as types;\nuse serde_json::from_str;",
};

/// The crate on disk, in a directory that is removed with this value.
pub(crate) struct Probe {
    directory: TempDir,
}

impl Probe {
    /// Makes a crate that decodes every message of one of the two sides.
    pub(crate) fn new(side: &Side) -> Result<Self> {
        let library = format!("{}\n{}", side.prelude, include_str!("messages.rs"));
        Self::with(side.dependencies, &[("lib.rs", &library), ("main.rs", MAIN)])
    }

    /// Writes a crate with these dependencies and sources. The versions of its dependencies are the
    /// versions in this package's lock file.
    pub(crate) fn with(dependencies: &[(&str, &str)], sources: &[(&str, &str)]) -> Result<Self> {
        let directory = tempfile::tempdir()?;
        let benches = Path::new(env!("CARGO_MANIFEST_DIR"));
        let project = benches.parent().context("benches/ is in the project")?;
        let mut manifest = MANIFEST.to_owned();
        for (name, source) in dependencies {
            let source = source.replace("{project}", &project.display().to_string());
            manifest.push_str(&format!("{name} = {source}\n"));
        }
        let src = directory.path().join("src");
        std::fs::create_dir(&src)?;
        std::fs::write(directory.path().join("Cargo.toml"), manifest)?;
        for (name, text) in sources {
            std::fs::write(src.join(name), text)?;
        }
        std::fs::copy(benches.join("Cargo.lock"), directory.path().join("Cargo.lock"))?;
        Ok(Probe { directory })
    }

    /// Returns the number of crates of all dependencies, procedural macros and build scripts
    /// included.
    pub(crate) fn crates(&self) -> Result<usize> {
        let mut command = self.cargo(&["tree", "--edges", "normal,build", "--prefix", "none"]);
        let output = command.stderr(Stdio::inherit()).output()?;
        ensure!(output.status.success(), "cargo tree failed");
        let text = String::from_utf8(output.stdout)?;
        let name = |line: &str| line.split_whitespace().take(2).collect::<Vec<_>>().join(" ");
        let names: BTreeSet<String> = text.lines().map(name).filter(|name| !name.is_empty()).collect();
        Ok(names.len() - 1)
    }

    /// Checks the library and all its dependencies, from nothing.
    pub(crate) fn clean_check(&self) -> Result<Duration> {
        self.clean()?;
        self.time(&["check", "--lib"])
    }

    /// Builds the program and all its dependencies in debug, from nothing.
    pub(crate) fn clean_build(&self) -> Result<Duration> {
        self.clean()?;
        self.time(&["build"])
    }

    /// Builds the program in release, and returns its path.
    pub(crate) fn build_release(&self) -> Result<PathBuf> {
        self.time(&["build", "--release"])?;
        Ok(self.target().join("release/probe"))
    }

    /// Builds the program in debug, and returns its path.
    pub(crate) fn build_debug(&self) -> Result<PathBuf> {
        self.time(&["build"])?;
        Ok(self.target().join("debug/probe"))
    }

    /// Builds only the library in debug. Its dependencies are there.
    pub(crate) fn build_library(&self) -> Result<Duration> {
        self.time(&["build", "--lib"])?;
        let path = self.directory.path().join("src/lib.rs");
        std::fs::write(&path, std::fs::read(&path)?)?;
        self.time(&["build", "--lib"])
    }

    fn clean(&self) -> Result<()> {
        if self.target().exists() {
            std::fs::remove_dir_all(self.target())?;
        }
        Ok(())
    }

    fn time(&self, arguments: &[&str]) -> Result<Duration> {
        let start = Instant::now();
        let status = self.cargo(arguments).arg("--quiet").status()?;
        ensure!(status.success(), "cargo {} failed", arguments.join(" "));
        Ok(start.elapsed())
    }

    fn cargo(&self, arguments: &[&str]) -> Command {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command.args(arguments).arg("--offline").current_dir(self.directory.path());
        // A second build of an equal text must not find the results of the first one.
        command.env("CARGO_TARGET_DIR", self.target()).env("CARGO_INCREMENTAL", "0");
        command
    }

    fn target(&self) -> PathBuf {
        self.directory.path().join("target")
    }
}

const MANIFEST: &str = r#"
[package]
name = "probe"
version = "0.0.0"
edition = "2024"
[workspace]
[profile.release]
lto = "thin"
codegen-units = 4
strip = true
[dependencies]
"#;

const MAIN: &str = r#"
fn main() {
    let mut arguments = std::env::args().skip(1);
    let (name, json) = (arguments.next().unwrap_or_default(), arguments.next().unwrap_or_default());
    std::process::exit(if probe::decodes(&name, &json) { 0 } else { 1 });
}
"#;
