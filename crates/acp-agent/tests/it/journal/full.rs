//! A full disk, made by a limit on the size of files.

use acp_agent::store::{Entry, Journal};
use acp_agent::types::SessionId;
use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};

use super::read;
use super::turn::{Client, turn};

/// Limits the size of the agent's files. `None` removes the limit.
fn limit(client: &Client, bytes: Option<u64>) {
    let maximum = getrlimit(Resource::Fsize).maximum;
    let id = Pid::from_child(&client.child);
    prlimit(Some(id), Resource::Fsize, Rlimit { current: bytes.or(maximum), maximum }).unwrap();
}

#[tokio::test]
async fn a_session_goes_on_when_the_disk_has_room_again() {
    let folder = tempfile::tempdir().unwrap();
    // Without this trap, the signal XFSZ would end the process at the first failing write.
    let mut client = Client::start_after("trap '' XFSZ", folder.path());
    let session = client.new_session();
    let (id, journal) = (SessionId::from(session.as_str()), Journal::at(folder.path()));
    let mut before = Vec::new();
    for round in 0..2 {
        let answer = client.turn(&session, "5").1;
        assert_eq!(answer["result"]["stopReason"], "end_turn", "{answer}");
        before.extend(turn("5", 5));

        // There is room for the beginning of a turn, and not for all of it.
        let length = std::fs::metadata(folder.path().join(format!("{session}.journal"))).unwrap().len();
        limit(&client, Some(length + 100_000));
        let (updates, answer) = client.turn(&session, "9");
        assert_eq!((updates, &answer["error"]["code"]), (9, &(-32603).into()), "{answer}");
        let left = read(&journal, &id).await.unwrap();
        let kept: Vec<Entry> = left.iter().map(|record| record.entry().unwrap()).collect();
        let all = [before.clone(), turn("9", 9)].concat();
        assert!(kept.len() > before.len() && all.starts_with(&kept), "round {round}: {} records", kept.len());

        // The records of a small turn would fit. But there is less room than a turn needs to start.
        let length = std::fs::metadata(folder.path().join(format!("{session}.journal"))).unwrap().len();
        limit(&client, Some(length + 20_000));
        for _ in 0..2 {
            let (updates, answer) = client.turn(&session, "2");
            assert_eq!((updates, &answer["error"]["code"]), (0, &(-32603).into()), "{answer}");
            for method in ["session/resume", "session/load"] {
                let (updates, answer) = client.ask(method, &session);
                assert!(answer.get("result").is_some(), "{answer}");
                assert_eq!(updates, if method == "session/load" { kept.len() } else { 0 });
            }
        }
        limit(&client, None);
        before = kept;
    }
    assert_eq!(client.turn(&session, "3").1["result"]["stopReason"], "end_turn");
    before.extend(turn("3", 3));
    client.close();
    let records = read(&journal, &id).await.unwrap();
    let left: Vec<Entry> = records.iter().map(|record| record.entry().unwrap()).collect();
    assert!(left == before, "records are missing, or not in order");
}
