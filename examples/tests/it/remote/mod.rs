//! Agents on the network: the examples for it, and the persistent agent and the coding agent behind
//! `acp serve`.

#[cfg(feature = "store")]
mod balanced;
#[cfg(feature = "store")]
mod nginx;
#[cfg(feature = "postgres")]
mod owners;
mod programs;
mod rules;
#[cfg(feature = "postgres")]
mod scaled;

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
#[cfg(feature = "store")]
use std::time::Duration;

/// The longest time that a test waits for an event.
#[cfg(feature = "store")]
const LONG: Duration = Duration::from_secs(60);

/// A program that serves, and ends with the test.
struct Server {
    process: Child,
    address: String,
}

impl Server {
    /// Starts a program, and waits until it tells its address.
    fn start(command: &mut Command) -> Self {
        let mut process = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
        let mut stderr = BufReader::new(process.stderr.take().expect("it was asked for"));
        let mut line = String::new();
        stderr.read_line(&mut line).expect("it tells");
        let address = line.split_once("://").and_then(|(_, rest)| rest.split('/').next());
        let address = address.unwrap_or_else(|| panic!("no address in `{line}`")).to_owned();
        // It must not wait for a reader.
        std::thread::spawn(move || std::io::copy(&mut stderr, &mut std::io::sink()));
        Self { process, address }
    }

    fn url(&self, scheme: &str) -> String {
        format!("{scheme}://{}/acp", self.address)
    }

    fn kill(&mut self) {
        self.process.kill().expect("it can be killed");
        self.process.wait().expect("it was started here");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Returns the program `acp`, which is beside the examples. If it is missing, it is built.
fn acp() -> PathBuf {
    let program = Path::new(env!("CARGO_BIN_EXE_remote_agent")).with_file_name("acp");
    let program = program.with_extension(std::env::consts::EXE_EXTENSION);
    if !program.is_file() {
        let folder = program.parent().and_then(Path::parent).expect("a target folder");
        let built = Command::new(env!("CARGO"))
            .args(["build", "--quiet", "--package", "acp-cli", "--target-dir"])
            .arg(folder)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .status();
        assert!(built.expect("cargo runs").success());
    }
    program
}
