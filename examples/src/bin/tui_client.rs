//! A terminal UI for any agent: `tui_client -- my-agent --acp`

use acp_client::{Command, LocalFs, LocalTerminals};
use examples::tui_client::connection::Connection;
use examples::tui_client::screen;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), examples::Failure> {
    let mut args = std::env::args_os().skip(1).skip_while(|arg| arg == "--");
    let program = args.next().ok_or("usage: tui_client -- AGENT [ARGS…]")?;
    let cwd = std::env::current_dir()?;
    let connect = examples::in_version(acp_client::spawn(Command::new(program).args(args)))
        .info("tui-client", env!("CARGO_PKG_VERSION"))
        .fs(LocalFs::rooted(&cwd)?)
        .terminals(LocalTerminals::new());
    let mut connection = Connection::open(connect, &cwd);
    let shown = screen::run(&mut connection).await;
    connection.close().await;
    Ok(shown?)
}
