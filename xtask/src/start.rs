//! `cargo xtask start`: the time of `acp --help`, beside that of an empty program.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use crate::workspace;

/// The runs of each program. They alternate, so that both have the same load of the machine.
const RUNS: usize = 300;

/// The most that `acp --help` may take, as a multiple of the empty program.
const BAR: f64 = 2.0;

/// Measures, prints the figures, and fails above the bar.
///
/// # Errors
/// A program cannot be built or run, or the start takes too long.
pub fn run(args: &[String]) -> Result<()> {
    ensure!(args.is_empty(), "`cargo xtask start` takes no arguments");
    let root = workspace::root();
    cargo(&root, &["build", "--release", "--quiet", "-p", "acp-cli"])?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let acp = target.join("release").join(format!("acp{}", std::env::consts::EXE_SUFFIX));
    let empty = empty(&target.join("start"))?;
    let (mut ours, mut least) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        least.push(time(Command::new(&empty))?);
        let mut help = Command::new(&acp);
        help.arg("--help");
        ours.push(time(help)?);
    }
    let (ours, least) = (median(ours), median(least));
    let ratio = ours.as_secs_f64() / least.as_secs_f64();
    println!("acp --help         {:.2} ms", ours.as_secs_f64() * 1e3);
    println!("an empty program   {:.2} ms", least.as_secs_f64() * 1e3);
    println!("ratio              {ratio:.2}");
    println!("size of acp        {:.1} MB", fs::metadata(&acp)?.len() as f64 / 1e6);
    println!("crates of acp      {}", crates(&root)?);
    ensure!(ratio <= BAR, "the start takes {ratio:.2} times as long as that of an empty program");
    Ok(())
}

/// Builds a program that does nothing.
fn empty(folder: &Path) -> Result<PathBuf> {
    fs::create_dir_all(folder)?;
    let (source, program) = (folder.join("empty.rs"), folder.join("empty"));
    fs::write(&source, "fn main() {}\n")?;
    let built = Command::new("rustc").args(["-O", "-o"]).arg(&program).arg(&source).status()?;
    ensure!(built.success(), "the empty program cannot be built");
    Ok(program)
}

fn time(mut command: Command) -> Result<Duration> {
    let start = Instant::now();
    let status = command.stdout(Stdio::null()).status()?;
    let took = start.elapsed();
    ensure!(status.success(), "{command:?} failed");
    Ok(took)
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// Counts the crates that the program is made of, with itself.
fn crates(root: &Path) -> Result<usize> {
    let args = ["tree", "-p", "acp-cli", "-e", "normal", "--prefix", "none", "--format", "{p}"];
    let tree = cargo(root, &args)?;
    let names: BTreeSet<&str> = tree.lines().map(|line| line.trim_end_matches(" (*)")).collect();
    Ok(names.len())
}

fn cargo(root: &Path, args: &[&str]) -> Result<String> {
    let output = Command::new("cargo").current_dir(root).args(args).stderr(Stdio::inherit()).output();
    let output = output.context("cargo cannot be started")?;
    if !output.status.success() {
        bail!("`cargo {}` failed", args.join(" "));
    }
    Ok(String::from_utf8(output.stdout)?)
}
