//! Every kind of line that an agent and a client write in version 1, byte for byte as recorded.
//!
//! The recordings lie beside this file, a line of the wire in a line. `RECORDINGS=overwrite` writes
//! them anew: do that only for a change of the wire that is meant.

mod editor;
mod everything;
mod kept;
mod scripts;

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use acp_agent::Serve;
use acp_client::tap::{Direction, Tap};
use acp_client::{Agent, Options, Transport};
use tokio::task::JoinHandle;

use self::editor::Editor;
use self::everything::Everything;
use self::kept::Kept;

/// Only a test that fails waits as long.
const PATIENCE: Duration = Duration::from_secs(60);

/// The lines that one side has written and read, in order.
#[derive(Clone, Default)]
struct Lines {
    written: Arc<Mutex<Vec<String>>>,
    read: Arc<Mutex<Vec<String>>>,
}

impl Lines {
    fn tap(&self) -> Tap {
        let lines = self.clone();
        Tap::raw(move |traffic| {
            let line = String::from_utf8(traffic.line.expect("a whole line").to_vec()).expect("text");
            let all = if traffic.direction == Direction::Out { &lines.written } else { &lines.read };
            all.lock().unwrap().push(line);
        })
    }

    fn written(&self) -> Vec<String> {
        self.written.lock().unwrap().clone()
    }

    fn read(&self) -> Vec<String> {
        self.read.lock().unwrap().clone()
    }
}

/// An agent and a client that are connected, with a tap on each side.
struct Pair {
    agent: Agent,
    served: JoinHandle<acp_agent::Result<()>>,
    of_agent: Lines,
    of_client: Lines,
}

impl Pair {
    async fn new(agent: impl acp_agent::Agent) -> Self {
        let (here, there) = Transport::duplex();
        let (of_agent, of_client) = (Lines::default(), Lines::default());
        let serve = Serve::new(agent).options(acp_agent::Options::default().tap(of_agent.tap()));
        let served = tokio::spawn(serve.over(there));
        let connect = acp_client::connect(here).info("editor", "7").client(Editor);
        let agent = connect.options(Options::default().tap(of_client.tap())).await.unwrap();
        Self { agent, served, of_agent, of_client }
    }

    /// Ends the connection and compares both sides with their recordings.
    async fn compare(self, name: &str) {
        self.agent.close().await;
        self.served.await.unwrap().unwrap();
        assert_eq!(self.of_client.read(), self.of_agent.written());
        assert_eq!(self.of_agent.read(), self.of_client.written());
        compare(&format!("{name}.agent.ndjson"), &self.of_agent.written());
        compare(&format!("{name}.client.ndjson"), &self.of_client.written());
    }
}

fn compare(file: &str, lines: &[String]) {
    let folder = [env!("CARGO_MANIFEST_DIR"), "tests", "it", "wire_recordings"].iter().collect::<PathBuf>();
    let path = folder.join(file);
    let panicked = lines.iter().find(|line| line.contains("failed unexpectedly"));
    assert_eq!(panicked, None, "a handler has panicked, which is no part of the script");
    let text: String = lines.iter().map(|line| without_wording(&without_chance(line)) + "\n").collect();
    if std::env::var("RECORDINGS").is_ok_and(|wish| wish == "overwrite") {
        std::fs::write(&path, &text).unwrap();
    }
    let recorded = std::fs::read_to_string(&path).unwrap().replace("\r\n", "\n");
    for (number, (now, then)) in text.lines().zip(recorded.lines()).enumerate() {
        assert_eq!(now, then, "line {} of {file}", number + 1);
    }
    assert_eq!(text.lines().count(), recorded.lines().count(), "the lines of {file}");
}

/// Replaces the ids that a process draws: sixteen hexadecimal digits or more, and the counter
/// behind them.
fn without_chance(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(start) = rest.find(|char: char| char.is_ascii_hexdigit()) {
        let (before, at) = rest.split_at(start);
        let digits = at.find(|char: char| !char.is_ascii_hexdigit()).unwrap_or(at.len());
        let (run, after) = at.split_at(digits);
        out.push_str(before);
        rest = after;
        if digits < 16 {
            out.push_str(run);
            continue;
        }
        out.push_str("ID");
        if let Some(counter) = rest.strip_prefix('_') {
            rest = counter.trim_start_matches(|char: char| char.is_ascii_digit());
        }
    }
    out + rest
}

/// Cuts the message of an error, whose wording may change.
fn without_wording(line: &str) -> String {
    const MESSAGE: &str = r#""message":""#;
    let Some(at) = line.find(r#""error":{"code":"#) else { return line.to_owned() };
    let Some(start) = line[at..].find(MESSAGE).map(|start| at + start + MESSAGE.len()) else {
        return line.to_owned();
    };
    let mut escaped = false;
    let end = line[start..].find(|char| {
        let ends = char == '"' && !escaped;
        escaped = char == '\\' && !escaped;
        ends
    });
    let end = end.map_or(line.len(), |end| start + end);
    format!("{}…{}", &line[..start], &line[end..])
}

async fn in_time(script: impl Future<Output = ()>) {
    tokio::time::timeout(PATIENCE, script).await.expect("the script hangs");
}

#[tokio::test]
async fn a_session_with_everything_is_as_recorded() {
    in_time(async {
        let pair = Pair::new(Everything).await;
        scripts::sessions(&pair.agent).await;
        scripts::turns(&pair.agent).await;
        scripts::errors(&pair.agent).await;
        pair.compare("everything").await;
    })
    .await;
}

#[tokio::test]
async fn a_stored_session_is_replayed_as_recorded() {
    in_time(async {
        let folder = tempfile::tempdir().unwrap();
        let first = Pair::new(Kept(folder.path().to_owned())).await;
        let id = scripts::stored(&first.agent).await;
        first.compare("stored").await;
        let second = Pair::new(Kept(folder.path().to_owned())).await;
        scripts::replayed(&second.agent, &id).await;
        second.compare("replayed").await;
    })
    .await;
}
