//! Starts an agent and prompts it once.

use std::io::Write as _;

use acp_client::v1::ToolKind;
use acp_client::{Command, LocalFs, PermissionPolicy};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(text), Some(program)) = (args.next(), args.next()) else {
        return Err("usage: {{name}} PROMPT AGENT [ARGS…]".into());
    };
    let cwd = std::env::current_dir()?;
    let agent = acp_client::spawn(Command::new(program).args(args))
        .info("{{name}}", env!("CARGO_PKG_VERSION"))
        // The files below this folder, and no others.
        .fs(LocalFs::rooted(&cwd)?)
        // Reading is allowed, all else is not. `PermissionPolicy::ask` asks the user.
        .permissions(
            PermissionPolicy::by_kind([(ToolKind::Read, PermissionPolicy::allow_once())])
                .or(PermissionPolicy::reject()),
        )
        .await?;
    let mut out = std::io::stdout();
    let mut written = Ok(());
    let stopped = {{crate}}::prompt(&agent, &cwd, &text, |piece| {
        if written.is_ok() {
            written = out.write_all(piece.as_bytes()).and_then(|()| out.flush());
        }
    })
    .await?;
    written?;
    writeln!(out, "\n[{stopped}]")?;
    agent.close().await;
    Ok(())
}
