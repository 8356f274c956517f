//! `acp bridge`: an agent on stdin and stdout, made of an agent of the other version.

use acp_cli::bridge::{Bridge, Login};
use acp_client::{LocalFs, LocalTerminals, Transport};

use crate::args::bridge::BridgeArgs;
use crate::interrupt::Interrupts;
use crate::outcome::{Failure, exit, tell};

/// Serves the client until it goes, and returns the exit code.
pub(crate) async fn run(args: &BridgeArgs) -> Result<u8, Failure> {
    let login = Login::asked()?;
    let agent = args.agent.find()?;
    if let Some(login) = login {
        let command = agent.into_command("a login in a terminal")?;
        // The terminal is the agent's, and so is Ctrl-C.
        let ended = login.command(&command).status()?;
        return Ok(ended.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(exit::ERROR));
    }
    let mut interrupts = Interrupts::listen()?;
    let (connect, outcome) = agent.connect(true);
    let connect = connect.versions([args.to]);
    let connect = match args.init_timeout {
        Some(limit) => connect.initialize_timeout(limit),
        None => connect,
    };
    let mut bridge = Bridge::new(connect).terminal_logins().on_fault(|fault| tell(&format!("acp: {fault}")));
    if args.serve_fs {
        bridge = bridge.serve_files(LocalFs::session_roots().create_directories());
    }
    if args.serve_terminals {
        bridge = bridge.serve_terminals(LocalTerminals::new());
    }
    let bridge = bridge.until(async move {
        interrupts.next().await;
    });
    match bridge.serve(Transport::stdio()?).await {
        Ok(()) => Ok(exit::DONE),
        Err(acp_cli::bridge::BridgeError::Connect(error)) => Err(outcome.explain(error)),
        Err(error) => Err(error.into()),
    }
}
