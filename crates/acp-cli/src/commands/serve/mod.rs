//! `acp serve`: an agent on the network, with a process for each connection.

mod agents;
mod metrics;
mod relay;
mod settings;

use std::sync::Arc;

use acp_http::server::{Listening, Server};

use self::agents::Agents;
use self::metrics::Metrics;
use crate::args::serve::ServeArgs;
use crate::interrupt::Interrupts;
use crate::outcome::{Failure, exit, tell};

/// Serves until a signal, and returns the exit code.
pub(crate) async fn run(args: ServeArgs) -> Result<u8, Failure> {
    let mut interrupts = Interrupts::listen()?;
    let command = settings::command(&args)?;
    let metrics = Arc::new(Metrics::default());
    let agents = Agents::new(command, args.principal_env.clone(), args.prestart, Arc::clone(&metrics));
    let counted = Arc::clone(&metrics);
    let options = settings::options(&args)?.metrics("/metrics", move |counts| counted.text(counts));
    let (relayed, limit) = (Arc::clone(&agents), settings::longest(&args));
    let server =
        Server::new(options, move |client, remote| relay::run(Arc::clone(&relayed), client, remote, limit));
    let listening = match server.listen(args.listen).await {
        Ok(listening) => listening,
        Err(error) => {
            let (code, problem) = settings::explain(&error, args.listen);
            tell(&format!("acp: {problem}"));
            return Ok(code);
        }
    };
    welcome(&args, &listening);
    let started = tokio::spawn(Arc::clone(&agents).keep_started());
    interrupts.next().await;
    started.abort();
    let code = drain(&args, &server, listening, &agents, &mut interrupts).await;
    Ok(code)
}

/// Tells where the server is, and who may use it.
fn welcome(args: &ServeArgs, listening: &Listening) {
    let scheme = if args.tls.is_some() { "wss" } else { "ws" };
    tell(&format!("acp: listening on {scheme}://{}{}", listening.address(), args.path));
    if args.token_file.is_none() {
        let whom = if args.listen.ip().is_loopback() { "every program of this machine" } else { "everybody" };
        tell(&format!("acp: {whom} can use the agent: `--token-file` says who may"));
    }
}

/// Lets running turns end, and then ends all agents.
async fn drain(
    args: &ServeArgs,
    server: &Server,
    listening: Listening,
    agents: &Agents,
    interrupts: &mut Interrupts,
) -> u8 {
    let limit = args.limits.drain;
    match server.counts().connections {
        0 => {}
        count => tell(&format!("acp: ending; {count} connections have {limit:?} to finish what they do")),
    }
    let ending = async {
        listening.shutdown(limit).await;
        agents.end().await;
    };
    tokio::select! {
        biased;
        // Whatever runs is killed with the runtime.
        _ = interrupts.next() => exit::CANCELLED,
        () = ending => exit::DONE,
    }
}
