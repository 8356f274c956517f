//! Errors about files that a client of this project refuses, in the words of the agent.

use acp_agent::{Result, StopReason, Turn, agent};
use acp_client::LocalFs;

struct Reader;

#[agent]
impl Reader {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        let error = turn.workspace().read_text(turn.text()).await.expect_err("it cannot be read");
        turn.say(error.to_string()).await?;
        Ok(StopReason::EndTurn)
    }
}

#[tokio::test]
async fn the_file_and_the_session_are_named_once() {
    let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (ours, theirs) = acp_agent::Transport::duplex();
    tokio::spawn(acp_agent::serve(Reader, ours));
    let agent = acp_client::connect(theirs).client(LocalFs::session_roots()).await.unwrap();
    let session = agent.new_session(folder.path()).await.unwrap();
    for (path, problem) in [
        (folder.path().join("none.txt"), "`path` does not exist (code -32002)"),
        (folder.path().to_owned(), "`path` is a directory (code -32602)"),
        (outside.path().join("x"), "`path` lies outside of the directories that are served (code -32602)"),
    ] {
        let path = path.to_str().unwrap();
        let mut turn = session.prompt(path).await.unwrap();
        let mut said = String::new();
        while let Some(event) = turn.next().await {
            said.extend(event.text());
        }
        let place = format!("`{path}` was not read (session `{}`)", session.id());
        assert_eq!(said, format!("{place}: `fs/read_text_file` failed at the client: {problem}"));
    }
}
