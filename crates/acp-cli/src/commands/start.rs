//! An agent that is started for a few requests.

use std::io;
use std::path::PathBuf;

use acp_client::{Agent, Connect, Error, PermissionPolicy};

use crate::args::connection::ConnectionArgs;
use crate::outcome::{Failure, exit, tell};
use crate::output::Output;

/// Starts the agent, does the work with it and ends it, within the time that there is.
pub(crate) async fn with_agent<W>(
    args: &ConnectionArgs,
    prepare: impl FnOnce(Connect) -> Connect,
    work: W,
) -> Result<u8, Failure>
where
    W: AsyncFnOnce(&Agent, &mut Output) -> Result<u8, Failure>,
{
    let whole = async {
        let agent = start(args, prepare).await?;
        let mut output = Output::new();
        let code = work(&agent, &mut output).await?;
        agent.close().await;
        Ok(code)
    };
    let done = match args.timeout {
        Some(limit) => match tokio::time::timeout(limit, whole).await {
            Ok(done) => done,
            Err(_) => {
                tell("acp: the time is up");
                return Ok(exit::TIMED_OUT);
            }
        },
        None => whole.await,
    };
    overdue(done)
}

/// Makes the end of an agent that did not start in time an end of the time.
pub(crate) fn overdue(done: Result<u8, Failure>) -> Result<u8, Failure> {
    match done {
        Err(failure) if matches!(failure.downcast_ref(), Some(Error::InitializeTimeout { .. })) => {
            tell(&format!("acp: {failure}"));
            Ok(exit::TIMED_OUT)
        }
        done => done,
    }
}

async fn start(args: &ConnectionArgs, prepare: impl FnOnce(Connect) -> Connect) -> Result<Agent, Failure> {
    let (connect, outcome) = args.agent.find()?.connect(false);
    let connect =
        connect.info("acp", env!("CARGO_PKG_VERSION")).versions(args.protocol.versions().iter().copied());
    let connect = prepare(connect.permissions(PermissionPolicy::reject()));
    let connect = match args.init_timeout {
        Some(limit) => connect.initialize_timeout(limit),
        None => connect,
    };
    outcome.settle(connect.await).await
}

/// Returns the folder of a session, which is here unless another one is named.
pub(crate) fn folder(args: &ConnectionArgs) -> io::Result<PathBuf> {
    std::path::absolute(args.cwd.as_deref().unwrap_or(std::path::Path::new(".")))
}
