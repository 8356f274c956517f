use acp_agent::{Result, StopReason, Turn, agent};

#[agent]
struct Bot;

struct Borrowed<'a>(&'a str);

#[agent]
impl<'a> Borrowed<'a> {
    async fn prompt(&self, _turn: Turn) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }
}

struct Elided<'a>(&'a str);

#[agent]
impl Elided<'_> {
    async fn prompt(&self, _turn: Turn) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }
}

trait Prompts {
    async fn prompt(&self, turn: Turn) -> Result<StopReason>;
}

struct Third;

#[agent]
impl Prompts for Third {
    async fn prompt(&self, _turn: Turn) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }
}

fn main() {}
