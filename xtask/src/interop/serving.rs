//! A server over HTTP, from its start to its end.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use anyhow::Context as _;

use super::process::{Group, STDERR, STDOUT};

/// Generous: a loaded machine with two cores starts Node or Python in seconds.
const START_LIMIT: Duration = Duration::from_secs(120);

/// It is ended when this is dropped.
pub(super) struct Serving {
    child: Child,
    address: SocketAddr,
}

impl Serving {
    /// Starts a server, and waits until it prints its address, `http://127.0.0.1:…`, as a line of
    /// its own.
    pub(super) fn start(mut command: Command, logs: &Path) -> anyhow::Result<Self> {
        fs::create_dir_all(logs)?;
        let program = Path::new(command.get_program()).display().to_string();
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(File::create(logs.join(STDERR))?);
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().with_context(|| format!("cannot start `{program}`"))?;
        let stdout = child.stdout.take();
        let mut log = File::create(logs.join(STDOUT))?;
        let (addresses, received) = mpsc::channel();
        thread::spawn(move || {
            // To its end, so that the server never waits for room.
            for line in
                stdout.into_iter().flat_map(|stdout| BufReader::new(stdout).lines()).map_while(Result::ok)
            {
                writeln!(log, "{line}").ok();
                if let Some(address) = line.strip_prefix("http://").and_then(|address| address.parse().ok()) {
                    addresses.send(address).ok();
                }
            }
        });
        // From here on it is ended whatever happens.
        let mut serving = Self { child, address: SocketAddr::from(([127, 0, 0, 1], 0)) };
        serving.address = received
            .recv_timeout(START_LIMIT)
            .with_context(|| format!("`{program}` does not say where it listens: see {}", logs.display()))?;
        Ok(serving)
    }

    pub(super) const fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        Group(self.child.id()).signal("KILL");
        self.child.wait().ok();
    }
}
