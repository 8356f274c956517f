//! The SDKs of other languages, installed on demand below `target/peers`. Their versions are in the
//! lock files of `peers/`.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};

/// Returns the command of the agent on the TypeScript SDK.
pub fn typescript() -> Result<Vec<OsString>> {
    require("node")?;
    let (sources, folder) = (sources("typescript"), folder("npm")?);
    // Node looks for packages from the script's own folder upwards.
    for file in ["package.json", "package-lock.json", "agent.mjs"] {
        fs::copy(sources.join(file), folder.join(file)).with_context(|| format!("copying {file}"))?;
    }
    once_per(&sources.join("package-lock.json"), &folder, || {
        let mut npm = Command::new("npm");
        npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"])
            .current_dir(&folder);
        step(npm)
    })?;
    Ok(vec!["node".into(), folder.join("agent.mjs").into()])
}

/// Returns the command of the agent on the Python SDK.
pub fn python() -> Result<Vec<OsString>> {
    let (sources, folder) = (sources("python"), folder("venv")?);
    let requirements = sources.join("requirements.txt");
    once_per(&requirements, &folder, || {
        require("python3")?;
        let mut venv = Command::new("python3");
        venv.args(["-m", "venv", "--clear"]).arg(&folder);
        step(venv)?;
        let mut pip = Command::new(folder.join("bin/python"));
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "-r"]);
        pip.arg(&requirements);
        step(pip)
    })?;
    Ok(vec![folder.join("bin/python").into(), sources.join("agent.py").into()])
}

fn sources(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("peers").join(name)
}

fn folder(name: &str) -> Result<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/peers").join(name);
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// Installs a peer, unless it is installed with equal pins.
fn once_per(pins: &Path, folder: &Path, install: impl FnOnce() -> Result<()>) -> Result<()> {
    let stamp = folder.join(".installed");
    let wanted = fs::read_to_string(pins).with_context(|| format!("reading {}", pins.display()))?;
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    install()?;
    Ok(fs::write(stamp, wanted)?)
}

fn require(program: &str) -> Result<()> {
    let version = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    ensure!(version.is_ok_and(|status| status.success()), "`{program}` is not installed");
    Ok(())
}

fn step(mut command: Command) -> Result<()> {
    let output = command.output().with_context(|| format!("starting {:?}", command.get_program()))?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    let line = complaint.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
    ensure!(output.status.success(), "{:?}: {line}", command.get_program());
    Ok(())
}
