//! Our scripted agent over HTTP and WebSocket (see ../../../README.md). Prints its address.

use acp_agent::store::MemoryStore;
use acp_agent::{Error, StopReason, ToolCall, Turn, agent};
use acp_http::server::{Options, Principal, Server};

/// The sessions of all connections are in one store.
struct Scripted(MemoryStore);

#[agent(store = self.0.clone())]
impl Scripted {
    async fn prompt(&self, turn: Turn) -> acp_agent::Result<StopReason> {
        match turn.text().as_str() {
            "stream" => {
                for word in ["one ", "two ", "three"] {
                    turn.say(word).await?;
                }
            }
            "permission" => {
                let is_allowed = turn.ask(&ToolCall::execute("make")).await?.is_allowed();
                turn.say(if is_allowed { "answer: opt-yes" } else { "answer: opt-no" }).await?;
            }
            "wait" => {
                turn.say("waiting").await?;
                turn.cancelled().await;
                return Ok(StopReason::Cancelled);
            }
            _ => return Err(Error::invalid_params("the prompt is not a known script word")),
        }
        Ok(StopReason::EndTurn)
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A recorder stands before it, with a port of its own.
    let mut options = Options::new().any_host().connections_per_address(1_000);
    // `--origin <origin> --token <token>`: its pages may use the server, with this token.
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let value = arguments.next().ok_or("an option needs a value")?;
        options = match argument.as_str() {
            "--origin" => options.origin(&value).tickets("/acp/ticket"),
            "--token" => options.token(&value, Principal::new("page")),
            other => return Err(format!("unknown option `{other}`").into()),
        };
    }
    let sessions = MemoryStore::new(usize::MAX);
    let run = move |transport, _| acp_agent::serve(Scripted(sessions.clone()), transport);
    let listening = Server::new(options, run).listen("127.0.0.1:0").await?;
    println!("http://{}", listening.address());
    listening.ended().await;
    Ok(())
}
