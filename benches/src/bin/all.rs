//! Runs every comparison, one after the other; arguments are passed on to each.

use std::process::Command;

use anyhow::{Result, bail};

const COMPARISONS: [&str; 3] = ["types", "connections", "weight"];

fn main() -> Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut failed = Vec::new();
    for name in COMPARISONS {
        println!("\n# {name}\n");
        let mut command = Command::new(&cargo);
        command.args(["run", "--release", "--quiet", "--bin", name, "--"]).args(std::env::args_os().skip(1));
        if !command.current_dir(env!("CARGO_MANIFEST_DIR")).status()?.success() {
            failed.push(name);
        }
    }
    if failed.is_empty() { Ok(()) } else { bail!("failed: {}", failed.join(", ")) }
}
