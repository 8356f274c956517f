use acp_agent::{Result, StopReason, Turn, agent};

struct Bot;

#[agent]
impl Bot {
    #[command]
    async fn no_arguments(&self) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }

    #[command("plan")]
    async fn no_description(&self) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }

    #[command("", "Has no name")]
    async fn no_name(&self) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }

    #[command("/edit", "Appends to a file")]
    async fn slash(&self) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }

    #[command("edit it", "Appends to a file")]
    async fn white_space(&self) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }

    #[command("test", " ", "Runs the tests")]
    async fn three_texts(&self) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }

    #[command("web", "Searches the web", hints = "QUERY")]
    async fn unknown_argument(&self) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }

    #[command("see", "Shows a file", input = "FILE")]
    async fn far_from_known(&self) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }

    #[command("ask", "Asks a question", hint = 3, hint = "A", hint = "B")]
    async fn hints(&self) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }
}

struct Twice;

#[agent]
impl Twice {
    #[command("undo", "Takes a step back")]
    async fn undo(&self) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }

    #[command("undo", "Takes a step back")]
    async fn back(&self) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }

    #[command("redo", "Takes a step forward")]
    #[ext("_bot/redo")]
    async fn redo(&self) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }
}

struct Signatures;

#[agent]
impl Signatures {
    #[command("a", "Returns nothing")]
    async fn a(&self, _turn: Turn) {}

    #[command("b", "Is not async")]
    fn b(&self, _turn: Turn) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }

    #[command("c", "Borrows")]
    async fn c(&self, _turn: &Turn, _input: &'static str) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }

    async fn prompt(&self, _input: &str) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }
}

fn main() {}
