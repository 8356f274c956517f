//! The servers, each a process of its own.

mod floor;
mod official;
mod ours;

use std::io::{BufRead as _, BufReader, Read as _};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result, bail};
use tokio::net::TcpListener;
use tokio::runtime::Builder;

/// The maker of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Server {
    /// The libraries and bytes of ours, without the protocol.
    Floor,
    Ours,
    Official,
}

pub(crate) const ALL: [Server; 3] = [Server::Floor, Server::Ours, Server::Official];

/// The most connections at once.
pub(crate) const MOST: usize = 10_000;

impl Server {
    /// Returns its name in the tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Server::Floor => "floor",
            Server::Ours => "ours",
            Server::Official => "Rust SDK",
        }
    }

    fn word(self) -> &'static str {
        match self {
            Server::Floor => "floor",
            Server::Ours => "ours",
            Server::Official => "official",
        }
    }

    /// Starts the process.
    pub(crate) fn start(self) -> Result<Running> {
        let mut command = Command::new(std::env::current_exe()?);
        let mut process =
            command.args(["serve", self.word()]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        BufReader::new(process.stdout.take().context("no stdout")?).read_line(&mut line)?;
        let address = line.trim().parse().with_context(|| format!("{}: no address", self.name()))?;
        Ok(Running { process, address })
    }
}

/// A server that runs. Its drop ends it.
#[derive(Debug)]
pub(crate) struct Running {
    process: Child,
    pub(crate) address: SocketAddr,
}

impl Running {
    /// Returns the resident memory of the process, in bytes.
    pub(crate) fn resident(&self) -> Result<u64> {
        let statm = std::fs::read_to_string(format!("/proc/{}/statm", self.process.id()))?;
        let pages: u64 = statm.split(' ').nth(1).context("no resident pages")?.parse()?;
        Ok(pages * 4096)
    }

    /// Returns the time of processors that the process has taken, in seconds.
    pub(crate) fn processor_time(&self) -> Result<f64> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.process.id()))?;
        let rest = stat.rsplit(')').next().context("no stat")?;
        let fields: Vec<&str> = rest.split_whitespace().collect();
        let ticks = |index: usize| -> Result<f64> { Ok(fields.get(index).context("no time")?.parse()?) };
        Ok((ticks(11)? + ticks(12)?) / 100.0)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The main function of a server's process. It ends with its stdin.
pub(crate) fn serve(word: &str) -> Result<()> {
    std::thread::spawn(|| {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(0);
    });
    Builder::new_current_thread().enable_all().build()?.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        println!("{}", listener.local_addr()?);
        match word {
            "floor" => floor::serve(listener).await,
            "ours" => ours::serve(listener).await,
            "official" => official::serve(listener).await,
            other => bail!("no server `{other}`"),
        }
    })
}
