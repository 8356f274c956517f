//! `acp inspect`: a page about a connection, on loopback.

use std::fs::File;
use std::future::pending;
use std::io::{self, BufReader};
use std::net::SocketAddr;
use std::path::Path;

use acp_inspect::{Inspector, Source as Kind, Store};
use acp_testkit::recordings::{Tape, TapeOptions};
use tokio::task::spawn_blocking;

use crate::args::inspect::{InspectArgs, Source};
use crate::commands::tap;
use crate::interrupt::Interrupts;
use crate::named::Named;
use crate::outcome::{Failure, exit, tell};

/// Shows the connection until it, or the user, has ended, and returns the exit code.
pub(crate) async fn run(args: InspectArgs) -> Result<u8, Failure> {
    match args.source {
        Source::Recording(file) => recording(args.listen, &file).await,
        Source::Agent(agent) => live(args.listen, &agent).await,
    }
}

async fn recording(listen: SocketAddr, file: &Path) -> Result<u8, Failure> {
    let mut interrupts = Interrupts::listen()?;
    let name = file.display().to_string();
    let named = |error: io::Error| format!("`{name}` cannot be shown: {error}");
    let opened = BufReader::new(File::open(file).map_err(named)?);
    let store = Store::new()?;
    serve(listen, &store, Kind::Recording, &name).await?;
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
    serve(listen, &store, Kind::Live, "the agent of this connection").await?;
    let options = TapeOptions::default().redaction(None).on_fault(|error| {
        tell(&format!("acp: the page lacks messages, and the connection goes on: {error}"));
    });
    let (code, _) = tap::pass(agent, "`acp inspect`", || Tape::start_into(store.sink(), options)).await?;
    code
}

/// Starts the server beside the work, and tells the user its address.
async fn serve(listen: SocketAddr, store: &Store, source: Kind, name: &str) -> Result<(), Failure> {
    let inspector = Inspector::listen(listen, store.clone(), source, name).await?;
    tell(&format!("acp: open {}", inspector.url()));
    tokio::spawn(inspector.serve());
    Ok(())
}
