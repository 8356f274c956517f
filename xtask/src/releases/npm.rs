//! Schema files from a published package.

use std::{path::Path, process::Command};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;

use super::import::Delivery;

const PACKAGE: &str = "@agentclientprotocol/sdk";

/// The schema files of a published release of the official TypeScript SDK, which carries the
/// canonical ones.
///
/// `version` may be a dist-tag such as `latest`; what the package itself states is recorded.
pub(super) fn fetch(version: &str) -> Result<Delivery> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+');
    ensure!(
        version.starts_with(|c: char| c.is_ascii_alphanumeric()) && version.chars().all(plain),
        "--npm takes a version such as 2.4.0, not {version:?}"
    );
    let folder = tempfile::tempdir().context("cannot create a temporary folder")?;
    let packed = run(folder.path(), npm(), &["pack", "--loglevel=error", &format!("{PACKAGE}@{version}")])
        .context("`npm pack` failed; check the version and the network, or import a folder with --dir")?;
    let tarball = packed.lines().last().unwrap_or_default().trim();
    run(folder.path(), "tar", &["xzf", tarball]).context("the npm package cannot be unpacked")?;
    let package = folder.path().join("package");
    let release = stated_version(&package)?;
    let source = format!("npm:{PACKAGE}@{release}");
    Delivery::from_folder(&package.join("schema"), release, source)
}

fn stated_version(package: &Path) -> Result<String> {
    let manifest =
        std::fs::read(package.join("package.json")).context("the npm package has no package.json")?;
    let manifest: Value = serde_json::from_slice(&manifest).context("the package.json is not JSON")?;
    let version = manifest.get("version").and_then(Value::as_str);
    Ok(version.context("the package.json states no version")?.to_owned())
}

/// Windows starts `.cmd` scripts only under their full name.
fn npm() -> &'static str {
    if cfg!(windows) { "npm.cmd" } else { "npm" }
}

fn run(folder: &Path, program: &str, arguments: &[&str]) -> Result<String> {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .output()
        .with_context(|| format!("cannot start {program}; is it installed?"))?;
    if !output.status.success() {
        bail!("{program} ended with {}:\n{}", output.status, String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
