//! `acp inspect`: a page about a connection, on loopback.

use std::fs::File;
use std::future::pending;
use std::io::{self, BufReader};
use std::net::SocketAddr;
use std::path::Path;

use acp_inspect::{Driver, Inspector, Source as Kind, Store};
use acp_testkit::recordings::{Tape, TapeOptions};
use tokio::task::spawn_blocking;

use crate::args::inspect::{InspectArgs, Source};
use crate::args::value::Protocol;
use crate::commands::tap;
use crate::interrupt::Interrupts;
use crate::named::Named;
use crate::outcome::{Failure, exit, tell};

/// Shows the connection until it, or the user, has ended, and returns the exit code.
pub(crate) async fn run(args: InspectArgs) -> Result<u8, Failure> {
    match args.source {
        Source::Recording(file) => recording(args.listen, &file).await,
        Source::Agent(agent) => live(args.listen, &agent).await,
        Source::Driven(agent, protocol) => driven(args.listen, &agent, protocol).await,
    }
}

async fn recording(listen: SocketAddr, file: &Path) -> Result<u8, Failure> {
    let mut interrupts = Interrupts::listen()?;
    let name = file.display().to_string();
    let named = |error: io::Error| format!("`{name}` cannot be shown: {error}");
    let opened = BufReader::new(File::open(file).map_err(named)?);
    let store = Store::new()?;
    serve(inspector(listen, &store, Kind::Recording, &name).await?);
    let reading = async {
        let reader = store.clone();
        // A person may look at the beginning of a long recording while the rest is read.
        let malformed = spawn_blocking(move || reader.read(opened)).await??;
        if malformed > 0 {
            tell(&format!("acp: {malformed} lines of {name} are no records, and are left out"));
        }
        pending::<Result<u8, Failure>>().await
    };
    tokio::select! {
        biased;
        _ = interrupts.next() => Ok(exit::CANCELLED),
        ended = reading => ended,
    }
}

async fn live(listen: SocketAddr, agent: &Named) -> Result<u8, Failure> {
    let store = Store::new()?;
    serve(inspector(listen, &store, Kind::Live, "the agent of this connection").await?);
    let (code, _) = tap::pass(agent, "`acp inspect`", || Tape::start_into(store.sink(), options())).await?;
    code
}

/// Speaks with an agent for a person at the page, who may look at it after the agent has ended.
async fn driven(listen: SocketAddr, agent: &Named, protocol: Protocol) -> Result<u8, Failure> {
    let mut interrupts = Interrupts::listen()?;
    let found = agent.find()?;
    let store = Store::new()?;
    let driver = Driver::new(std::env::current_dir()?).versions(protocol.versions().iter().copied());
    let inspector = inspector(listen, &store, Kind::Live, "an agent, with this page as its client").await?;
    let parts = found.transport()?.into_parts();
    serve(inspector.driven_by(&driver));
    let tape = Tape::start_into(store.sink(), options())?;
    let talk = async {
        match driver.run(&tape, parts.reader, parts.writer).await {
            Ok(()) => tell("acp: the agent has ended. The page stays until Ctrl-C"),
            Err(error) => {
                tell(&format!("acp: the connection has ended: {error}. The page stays until Ctrl-C"))
            }
        }
        // The rest is written on the thread of the tape.
        drop(tape);
        pending::<()>().await;
    };
    tokio::select! {
        biased;
        _ = interrupts.next() => {}
        () = talk => {}
    }
    if let Some(process) = parts.process {
        process.end().await;
    }
    Ok(exit::CANCELLED)
}

fn options() -> TapeOptions {
    TapeOptions::default().redaction(None).on_fault(|error| {
        tell(&format!("acp: the page lacks messages, and the connection goes on: {error}"));
    })
}

pub(super) async fn inspector(
    listen: SocketAddr,
    store: &Store,
    source: Kind,
    name: &str,
) -> io::Result<Inspector> {
    Inspector::listen(listen, store.clone(), source, name).await
}

/// Starts the server beside the work, and tells the user its address.
pub(super) fn serve(inspector: Inspector) {
    tell(&format!("acp: open {}", inspector.url()));
    tokio::spawn(inspector.serve());
}
