//! An agent on the network, over WebSocket and HTTP: `remote_agent 127.0.0.1:8080 FOLDER`
//!
//! The variable `REMOTE_TOKENS` has a token for each user, such as `alice=secret bob=other`. Users
//! see their own sessions only, which are in the folder. `remote_client` is a client for it.

use std::io::{Write, stderr};
use std::path::PathBuf;
use std::time::Duration;

use acp_agent::store::Journal;
use acp_agent::{Result, StopReason, Turn, agent};
use acp_http::server::{Options, Policy, Principal, Server};

/// The agent of one connection.
struct Greeter {
    user: Principal,
    sessions: Journal,
}

#[agent(name = "remote_agent", store = self.sessions.clone())]
impl Greeter {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        turn.say(format!("{}, you said: {}", self.user.name(), turn.text())).await?;
        Ok(StopReason::EndTurn)
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    if let Err(error) = run().await {
        let _ = writeln!(stderr(), "{error}");
        std::process::exit(1);
    }
}

async fn run() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args_os().skip(1);
    let address = args.next().and_then(|address| address.into_string().ok());
    let given = address.zip(args.next().map(PathBuf::from));
    let (address, folder) = given.ok_or("usage: remote_agent ADDRESS FOLDER")?;
    let tokens = std::env::var("REMOTE_TOKENS")?;

    // A client may work in the current folder, and starts no commands.
    let mut options = Options::new().policy(Policy::new().root(".")?);
    for token in tokens.split_whitespace() {
        let (user, token) = token.split_once('=').ok_or("a token has a user: alice=secret")?;
        options = options.token(token, Principal::new(user));
    }
    // Each connection has an agent of its own. The transport is all that it learns of the network.
    let server = Server::new(options, move |transport, remote| {
        let sessions = Journal::at(folder.join(remote.principal.name()));
        acp_agent::serve(Greeter { user: remote.principal, sessions }, transport)
    });
    let listening = server.listen(address).await?;
    writeln!(stderr(), "listening on ws://{}/acp", listening.address())?;

    tokio::signal::ctrl_c().await?;
    // Turns that run have a while to end, and then everything ends.
    listening.shutdown(Duration::from_secs(10)).await;
    Ok(())
}
