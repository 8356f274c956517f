//! Installs and builds the two ends of a case. Versions are pinned by the files under
//! `xtask/interop/`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};

use super::case::Peer;
use super::layout::{Layout, cargo};
use super::mcp;
use super::process::{self, Ended};

const INSTALL_LIMIT: Duration = Duration::from_secs(300);
const BUILD_LIMIT: Duration = Duration::from_secs(900);

/// Builds what the cases need of `acp` and the example agents.
pub(crate) fn our_binaries(names: &BTreeSet<&str>, layout: &Layout) -> anyhow::Result<()> {
    if names.is_empty() {
        return Ok(());
    }
    let mut build = cargo();
    build.args(["build", "--quiet", "-p", "acp-cli", "-p", "examples"]).current_dir(layout.root());
    for name in names {
        build.args(["--bin", name]);
    }
    step(build, BUILD_LIMIT, layout)
}

/// Builds `acp`, and all examples for both versions of the protocol.
pub(crate) fn examples_of_both_versions(layout: &Layout) -> anyhow::Result<()> {
    let mut build = cargo();
    build.args(["build", "--quiet", "-p", "acp-cli", "-p", "examples", "--bins"]).current_dir(layout.root());
    build.args(["--features", "examples/v2,examples/tui"]);
    step(build, BUILD_LIMIT, layout)
}

/// Makes one peer ready to run; does nothing when it already is.
pub(crate) fn peer(peer: Peer, layout: &Layout) -> anyhow::Result<()> {
    match peer {
        Peer::TypeScript | Peer::TypeScriptMcp | Peer::TypeScriptExample | Peer::TypeScriptV2 => {
            typescript(layout)
        }
        Peer::Python => python(layout),
        Peer::RustSdk | Peer::RustSdkV2 => own_package("rust-sdk-peer", layout),
        // The agent behind the proxies is the scripted one, or `mcp_agent`.
        Peer::RustSdkProxies => {
            own_package("rust-sdk-peer", layout)?;
            over_acp(layout)?;
            own_package("rust-sdk-proxies", layout)
        }
    }
}

pub(super) fn typescript(layout: &Layout) -> anyhow::Result<()> {
    require_on_path("node")?;
    let sources = layout.sources("typescript");
    let folder = layout.installed("npm");
    fs::create_dir_all(&folder)?;
    // Node resolves a package from the importing file's own folder upwards, so the scripts have to
    // live beside `node_modules`.
    let scripts = [
        "agent.mjs",
        "client.mjs",
        "agent-v2.mjs",
        "client-v2.mjs",
        "mcp-agent.mjs",
        "mcp-client.mjs",
        "remote-client.mjs",
        "remote-server.mjs",
    ];
    for file in ["package.json", "package-lock.json"].into_iter().chain(scripts) {
        let source = sources.join(file);
        fs::copy(&source, folder.join(file)).with_context(|| format!("cannot copy {}", source.display()))?;
    }
    once_per(&sources.join("package-lock.json"), &folder.join(".installed"), || npm_ci(&folder, layout))
}

fn npm_ci(folder: &Path, layout: &Layout) -> anyhow::Result<()> {
    let mut npm = Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" });
    npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]).current_dir(folder);
    step(npm, INSTALL_LIMIT, layout)
}

pub(super) fn python(layout: &Layout) -> anyhow::Result<()> {
    let requirements = layout.sources("python").join("requirements.txt");
    python_environment(&requirements, &layout.installed("venv"), &layout.python(), layout)
}

fn python_environment(
    requirements: &Path,
    folder: &Path,
    python: &Path,
    layout: &Layout,
) -> anyhow::Result<()> {
    once_per(requirements, &folder.join(".installed"), || {
        let interpreter = if cfg!(windows) { "python" } else { "python3" };
        require_on_path(interpreter)?;
        let mut venv = Command::new(interpreter);
        venv.args(["-m", "venv", "--clear"]).arg(folder);
        step(venv, INSTALL_LIMIT, layout)?;
        let mut pip = Command::new(python);
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"]).arg(requirements);
        step(pip, INSTALL_LIMIT, layout)
    })
}

/// The conformance tool of MCP.
pub(crate) fn conformance(layout: &Layout) -> anyhow::Result<()> {
    require_on_path("node")?;
    let (sources, folder) = (layout.sources("conformance"), layout.installed("conformance"));
    fs::create_dir_all(&folder)?;
    for file in ["package.json", "package-lock.json"] {
        let source = sources.join(file);
        fs::copy(&source, folder.join(file)).with_context(|| format!("cannot copy {}", source.display()))?;
    }
    once_per(&sources.join("package-lock.json"), &folder.join(".installed"), || npm_ci(&folder, layout))
}

/// MCP servers.
pub(crate) fn mcp_servers(layout: &Layout) -> anyhow::Result<()> {
    require_on_path("node")?;
    let (sources, folder) = (layout.sources("mcp-servers"), layout.installed("mcp"));
    fs::create_dir_all(folder.join("root"))?;
    for file in ["package.json", "package-lock.json", "server.mjs", "loopback.cjs", "server.py"] {
        let source = sources.join(file);
        fs::copy(&source, folder.join(file)).with_context(|| format!("cannot copy {}", source.display()))?;
    }
    once_per(&sources.join("package-lock.json"), &folder.join(".installed"), || npm_ci(&folder, layout))?;
    for version in ["v1", "v2"] {
        let requirements = sources.join(format!("requirements-{version}.txt"));
        python_environment(
            &requirements,
            &folder.join(version),
            &mcp::python(&folder.join(version)),
            layout,
        )?;
    }
    own_package("rmcp-peers", layout)
}

/// Our end of the cases that are about MCP servers.
pub(crate) fn mcp_driver(layout: &Layout) -> anyhow::Result<()> {
    own_package("mcp-driver", layout)
}

/// Our ends of the cases about MCP over ACP.
pub(crate) fn over_acp(layout: &Layout) -> anyhow::Result<()> {
    own_package("over-acp", layout)
}

/// Our ends of the cases about version 2.
pub(crate) fn versions(layout: &Layout) -> anyhow::Result<()> {
    own_package("versions", layout)
}

/// Our ends of the cases over a network.
pub(super) fn remote(layout: &Layout) -> anyhow::Result<()> {
    own_package("remote", layout)
}

/// Both ends on the official Rust SDK of the cases over a network.
pub(super) fn remote_rust_sdk(layout: &Layout) -> anyhow::Result<()> {
    own_package("remote-rust-sdk", layout)
}

/// Builds a package outside our workspace. They all share a target folder.
fn own_package(name: &str, layout: &Layout) -> anyhow::Result<()> {
    let mut build = cargo();
    build.args(["build", "--quiet", "--locked", "--manifest-path"]);
    build.arg(layout.sources(name).join("Cargo.toml"));
    build.arg("--target-dir").arg(layout.installed("target"));
    step(build, BUILD_LIMIT, layout)
}

/// Runs `install` unless the stamp holds the current text of the file that pins the versions.
fn once_per(pins: &Path, stamp: &Path, install: impl FnOnce() -> anyhow::Result<()>) -> anyhow::Result<()> {
    let wanted = fs::read_to_string(pins).with_context(|| format!("cannot read {}", pins.display()))?;
    if fs::read_to_string(stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    install()?;
    fs::write(stamp, wanted).with_context(|| format!("cannot write {}", stamp.display()))
}

fn require_on_path(program: &str) -> anyhow::Result<()> {
    let version = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    ensure!(version.is_ok_and(|status| status.success()), "`{program}` is not installed");
    Ok(())
}

/// One command of an installation; its complaint becomes the error.
pub(crate) fn step(command: Command, limit: Duration, layout: &Layout) -> anyhow::Result<()> {
    let program = Path::new(command.get_program()).display().to_string();
    let logs = layout.installed("logs/install");
    fs::create_dir_all(&logs)?;
    let outcome = process::run(command, limit, &logs, None)?;
    let complaint = fs::read_to_string(logs.join(process::STDERR)).unwrap_or_default();
    match outcome.ended {
        Ended::Exited(status) if status.success() => Ok(()),
        Ended::Exited(status) => bail!("`{program}` ended with {status}: {}", summary(&complaint)),
        Ended::TimedOut => bail!("`{program}` took longer than {} s", limit.as_secs()),
    }
}

/// The first line that names an error, or else the last line: enough to know why.
fn summary(complaint: &str) -> &str {
    let mut lines = complaint.lines().map(str::trim).filter(|line| !line.is_empty());
    let error = lines.clone().find(|line| line.to_ascii_lowercase().contains("error"));
    error.or_else(|| lines.next_back()).unwrap_or("it said nothing")
}
