//! Runs a command beside a stand-in for its model. The address is in `STUB`, where the recipes for
//! real agents look for it.
//!
//! It has tools in namespaces, which the stand-in of the recipes has not.

use acp_testkit::model::{ModelStub, Profile};
use tokio::process::Command;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<std::process::ExitCode> {
    let mut words = std::env::args_os().skip(1);
    let program = words.next().ok_or("usage: with_model COMMAND [ARGUMENT…]")?;
    let stub = ModelStub::start(&Profile::generic()).await?;
    let status = Command::new(program).args(words).env("STUB", stub.url()).status().await?;
    Ok(u8::try_from(status.code().unwrap_or(1)).unwrap_or(1).into())
}
