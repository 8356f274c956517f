//! `cargo xtask roundtrip`: values or recorded traffic through the generated types.

use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::workspace;

/// Builds and runs the binary `roundtrip` of acp-testkit, with the terminal or pipes of this
/// process.
///
/// A process of its own, because the generator must run when the types that it writes do not
/// compile.
///
/// # Errors
/// The binary does not build, or reports a failure, which it has explained.
pub fn run(args: &[String]) -> Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["run", "--quiet", "--package", "acp-testkit", "--all-features", "--bin", "roundtrip"])
        .arg("--manifest-path")
        .arg(workspace::root().join("Cargo.toml"))
        .arg("--")
        .args(args)
        .status()
        .context("cargo could not be started")?;
    if !status.success() {
        bail!("roundtrip ended with {status}");
    }
    Ok(())
}
