//! The stack that it takes to serve every method, in a debug build.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Result, ensure};

use crate::probe::Probe;

/// The largest stack that is tried, in KiB.
const MOST: usize = 4096;
/// The precision of the result, in KiB.
const STEP: usize = 4;

const OURS: &[(&str, &str)] = &[
    ("acp-agent", r#"{ path = "{project}/crates/acp-agent" }"#),
    ("tokio", r#"{ version = "1", features = ["io-util", "macros", "rt", "time", "net"] }"#),
];
const OFFICIAL: &[(&str, &str)] = &[
    ("agent-client-protocol", r#""=5.0.0""#),
    ("tokio", r#"{ version = "1", features = ["io-util", "macros", "rt", "time", "net"] }"#),
    ("tokio-util", r#"{ version = "0.7", features = ["compat"] }"#),
];

/// Returns the smallest sufficient stack, in KiB: ours and the official crate's.
pub(crate) fn needed() -> Result<[usize; 2]> {
    let client = include_str!("../../../peers/rust/stack.rs");
    let ours = include_str!("../../../peers/rust/every_ours.rs");
    let official = include_str!("../../../peers/rust/every_official.rs");
    let needed = |dependencies, agent: &str| {
        let probe = Probe::with(dependencies, &[("main.rs", &format!("{agent}\n{client}"))])?;
        smallest(&probe.build_debug()?)
    };
    Ok([needed(OURS, ours)?, needed(OFFICIAL, official)?])
}

fn smallest(program: &Path) -> Result<usize> {
    ensure!(serves(program, MOST)?, "{} KiB of stack are not enough", MOST);
    let (mut too_small, mut enough) = (0, MOST);
    while enough - too_small > STEP {
        let middle = (too_small + enough) / 2;
        if serves(program, middle)? { enough = middle } else { too_small = middle }
    }
    Ok(enough)
}

fn serves(program: &Path, kib: usize) -> Result<bool> {
    let mut command = Command::new(program);
    command.arg(kib.to_string()).stdout(Stdio::null()).stderr(Stdio::null());
    Ok(command.status()?.success())
}
