//! Agents that are started once more for the other version, and the memory of the versions.

#![cfg(unix)]

use std::fs;
use std::path::Path;

use acp_client::{Agent, Command, Connect, KnownVersions, LocalFs, ProtocolVersion};

use super::BOTH;

/// An agent that writes down each version that it is asked for, in one line for each start, and
/// answers `$ANSWER`.
const AGENT: &str = r#"
echo >> "$LOG"
while read -r line; do
  id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
  case "$line" in
    *'"protocolVersion":2'*) printf '2 ' >> "$LOG"; answer=$SECOND ;;
    *) printf '1 ' >> "$LOG"; answer=$FIRST ;;
  esac
  [ "$answer" = exit ] && exit 0
  printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$answer"
  case "$answer" in *last*) exit 0 ;; esac
done
"#;

const FIRST: &str = r#""result":{"protocolVersion":1,"agentInfo":{"name":"a","version":"1"}}"#;
const LIAR: &str = r#""result":{"protocolVersion":2,"agentInfo":{"name":"a","version":"1"}}"#;
const SECOND: &str = r#""result":{"protocolVersion":2,"info":{"name":"a","version":"1"}}"#;
const REFUSED: &str = r#""error":{"code":-32602,"message":"bad params"}"#;
const REFUSED_AND_OVER: &str = r#""error":{"code":-32602,"message":"last words"}"#;
const ONLY_SECOND: &str = r#""error":{"code":-32022,"message":"no","data":{"requested":1,"supported":[2]}}"#;

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder") }
    }

    fn log(&self) -> std::path::PathBuf {
        self.folder.path().join("log")
    }

    /// A connection to the agent with these answers to a request for version 1 and for version 2.
    fn spawn(&self, first: &str, second: &str) -> Connect {
        let command = Command::new("/bin/sh").arg("-c").arg(AGENT);
        let command = command.env("LOG", self.log()).env("FIRST", first).env("SECOND", second);
        acp_client::spawn(command).versions(BOTH)
    }

    /// Returns the versions that the agent was asked for, a text for each start.
    fn starts(&self) -> Vec<String> {
        let log = fs::read_to_string(self.log()).expect("a log");
        log.lines().skip(1).map(|line| line.trim().to_owned()).collect()
    }
}

fn files(folder: &Path) -> LocalFs {
    LocalFs::rooted(folder).expect("a folder")
}

fn has_fault(agent: &Agent, part: &str) -> bool {
    agent.faults().iter().any(|fault| fault.contains(part))
}

#[tokio::test]
async fn an_agent_is_started_again_for_data_of_extensions() {
    let place = Place::new();
    let meta = acp_client::Meta::new().with("example.com/undo", true);
    let agent = place.spawn(FIRST, FIRST).capability_meta(meta).await.expect("connected");
    assert!(has_fault(&agent, "the agent was started again, for `_meta`"), "{:?}", agent.faults());
    agent.close().await;
    assert_eq!(place.starts(), ["2", "1"]);
}

#[tokio::test]
async fn an_agent_is_started_again_only_for_what_it_has_not_seen() {
    // The answers, if files are served, the starts, the version, and a part of a fault.
    let table = [
        (FIRST, SECOND, true, &["2"][..], 2, ""),
        (FIRST, FIRST, false, &["2"], 1, "the connection is kept"),
        (FIRST, FIRST, true, &["2", "1"], 1, "the agent was started again, for `fs.readTextFile`"),
        (FIRST, LIAR, false, &["2"], 1, "in the form of version 1"),
        (FIRST, LIAR, true, &["2", "1"], 1, "the agent was started again"),
        (FIRST, REFUSED, true, &["2 1"], 1, ""),
        (FIRST, REFUSED_AND_OVER, true, &["2", "1"], 1, ""),
    ];
    for (first, second, serves, starts, version, fault) in table {
        let place = Place::new();
        let connect = place.spawn(first, second);
        let connect = if serves { connect.fs(files(place.folder.path())) } else { connect };
        let agent = connect.await.expect("connected");
        let name = format!("{second} {serves}");
        assert_eq!(agent.protocol_version(), ProtocolVersion(version), "{name}");
        assert!(fault.is_empty() && agent.faults().is_empty() || has_fault(&agent, fault), "{name}");
        agent.close().await;
        assert_eq!(place.starts(), starts, "{name}");
    }
}

#[tokio::test]
async fn the_version_of_an_agent_is_remembered() {
    for (first, second, wanted) in [(FIRST, LIAR, "1"), (FIRST, SECOND, "2"), (ONLY_SECOND, SECOND, "2")] {
        let (place, known) = (Place::new(), KnownVersions::new());
        for _ in 0..2 {
            let connect = place.spawn(first, second).known_versions(&known).known_as("a 1");
            connect.fs(files(place.folder.path())).await.expect("connected").close().await;
        }
        assert_eq!(place.starts().last().map(String::as_str), Some(wanted), "{second}");
        assert_eq!(place.starts().len(), if wanted == "1" { 3 } else { 2 }, "{second}");
        assert_eq!(known.entries().len(), 1);
        let version = known.get("a 1").expect("known");
        assert_eq!(version.0.to_string(), wanted);
        // Another name is another agent, and the command is a name, too.
        let connect = place.spawn(first, second).known_versions(&known);
        connect.await.expect("connected").close().await;
        assert_eq!(place.starts().last().and_then(|start| start.chars().next()), Some('2'), "{second}");
        let (names, versions): (Vec<_>, Vec<_>) = known.entries().into_iter().unzip();
        assert!(names[0].starts_with("/bin/sh -c"), "{names:?}");
        assert_eq!(versions, [version, version]);
    }
}

#[tokio::test]
async fn an_agent_that_has_learned_a_version_is_spoken_to_in_it() {
    let place = Place::new();
    let known: KnownVersions = [("a".to_owned(), ProtocolVersion::V1)].into_iter().collect();
    let agent =
        place.spawn(ONLY_SECOND, SECOND).known_versions(&known).known_as("a").await.expect("connected");
    assert_eq!(agent.protocol_version(), ProtocolVersion::V2);
    agent.close().await;
    assert_eq!((place.starts(), known.get("a")), (vec!["1 2".to_owned()], Some(ProtocolVersion::V2)));
    known.forget("a");
    assert_eq!(known.get("a"), None);
}

#[tokio::test]
async fn the_words_of_both_starts_are_heard() {
    let (tell, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let place = Place::new();
    let command = Command::new("/bin/sh").arg("-c").arg(format!("echo started >&2\n{AGENT}"));
    let command = command.env("LOG", place.log()).env("FIRST", FIRST).env("SECOND", FIRST);
    let command = command.on_stderr(move |line| tell.send(line.to_owned()).unwrap_or_default());
    let agent = acp_client::spawn(command).versions(BOTH).fs(files(place.folder.path())).await;
    let agent = agent.expect("connected");
    for _ in 0..2 {
        assert_eq!(heard.recv().await.as_deref(), Some("started"));
    }
    agent.close().await;
    assert_eq!(heard.recv().await, None, "nobody else can call it");
}
