//! Idle sessions, in one process and in two.

use acp_agent::store::{Entry, Journal};
use acp_agent::types::SessionId;
use serde_json::{Value, json};

use super::read;
use super::turn::{Client, turn};

/// More sessions than a process keeps the files of.
const OTHERS: usize = 20;

fn check_error(answer: &Value, code: i64, name: &str) {
    assert_eq!(answer["error"]["code"], code, "{answer}");
    assert!(answer["error"]["message"].as_str().unwrap().contains(name), "{answer}");
}

fn ended(answer: &Value) -> bool {
    answer["result"]["stopReason"] == "end_turn"
}

#[test]
fn a_thousand_open_sessions_need_few_files() {
    let folder = tempfile::tempdir().unwrap();
    let mut client = Client::start_after("ulimit -n 64", folder.path());
    let sessions: Vec<_> = (0..1000).map(|_| client.new_session()).collect();
    for session in sessions.iter().step_by(10).chain(&sessions[..30]) {
        let (updates, answer) = client.turn(session, "3");
        assert!(updates == 3 && ended(&answer), "{answer}");
    }
    // These turns run at the same time.
    for (id, session) in (10_000..).zip(&sessions[..30]) {
        client.prompt(id, session, "3");
    }
    let mut answers = 0;
    while answers < 30 {
        let message = client.recv();
        if message.get("id").is_some() {
            assert!(ended(&message), "{message}");
            answers += 1;
        }
    }
    for session in sessions.iter().step_by(100) {
        assert!(client.ask("session/close", session).1.get("result").is_some());
    }
    client.close();
}

/// Uses so many other sessions that the process closes the files of its idle ones.
fn use_others(client: &mut Client) {
    for _ in 0..OTHERS {
        let other = client.new_session();
        assert!(ended(&client.turn(&other, "1").1));
    }
}

#[tokio::test]
async fn an_idle_session_is_taken_up_by_one_process_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let (mut here, mut there) = (Client::start(folder.path()), Client::start(folder.path()));
    let session = here.new_session();
    assert!(ended(&here.turn(&session, "2").1));
    let refused = there.ask("session/resume", &session).1;
    check_error(&refused, -32600, "open elsewhere");
    assert_eq!(refused["error"]["data"]["acp-rs/store"], json!({"kind": "busy", "sessionId": session}));
    use_others(&mut here);
    // Nobody else has opened the session, so it goes on.
    assert!(ended(&here.turn(&session, "2").1));
    let mut expected = [turn("2", 2), turn("2", 2)].concat();
    use_others(&mut here);

    for round in 0..3 {
        // The other process resumes the session and has it open, so no handler runs here.
        let resumed = there.ask("session/resume", &session).1;
        assert!(resumed.get("result").is_some(), "{resumed}");
        assert!(ended(&there.turn(&session, "4").1));
        expected.extend(turn("4", 4));
        let (updates, answer) = here.turn(&session, "3");
        assert_eq!(updates, 0);
        check_error(&answer, -32600, "open elsewhere");
        check_error(&here.ask("session/load", &session).1, -32600, "open elsewhere");

        // The other process has closed the session. Still no handler runs here before the client
        // loads it.
        if round == 1 {
            use_others(&mut there);
        } else {
            assert!(there.ask("session/close", &session).1.get("result").is_some());
        }
        for _ in 0..2 {
            let (updates, answer) = here.turn(&session, "3");
            assert_eq!(updates, 0);
            check_error(&answer, -32600, "continued elsewhere");
            let data = &answer["error"]["data"]["acp-rs/store"];
            assert_eq!(data, &json!({"kind": "changed", "sessionId": session}));
        }
        let (updates, loaded) = here.ask("session/load", &session);
        assert!(loaded.get("result").is_some(), "{loaded}");
        assert_eq!(updates, expected.len());
        assert!(ended(&here.turn(&session, "3").1));
        expected.extend(turn("3", 3));
        use_others(&mut here);
    }
    let records = read(&Journal::at(folder.path()), &SessionId::from(session)).await.unwrap();
    let left: Vec<Entry> = records.iter().map(|record| record.entry().unwrap()).collect();
    assert!(left == expected, "records are missing, or not in order");
    here.close();
    there.close();
}

/// Two agents have the same session, idle, and both get a prompt at the same time.
#[tokio::test]
async fn two_processes_never_write_at_the_same_time() {
    let folder = tempfile::tempdir().unwrap();
    let mut clients = [Client::start(folder.path()), Client::start(folder.path())];
    let session = clients[0].new_session();
    assert!(ended(&clients[0].turn(&session, "5").1));
    let mut expected = turn("5", 5);
    let mut winner = 0;
    for round in 0..20 {
        use_others(&mut clients[winner]);
        let (updates, loaded) = clients[1 - winner].ask("session/load", &session);
        assert!(loaded.get("result").is_some(), "{loaded}");
        assert_eq!(updates, expected.len(), "round {round}");
        use_others(&mut clients[1 - winner]);

        for client in &mut clients {
            client.prompt(7, &session, "5");
        }
        let answers = clients.each_mut().map(|client| {
            loop {
                let message = client.recv();
                if message["id"] == 7 {
                    break message;
                }
            }
        });
        winner = answers.iter().position(ended).unwrap_or_else(|| panic!("{answers:?}"));
        // The turn of the other process has begun or ended.
        assert_eq!(answers[1 - winner]["error"]["code"], -32600, "{answers:?}");
        expected.extend(turn("5", 5));
    }
    let records = read(&Journal::at(folder.path()), &SessionId::from(session)).await.unwrap();
    let left: Vec<Entry> = records.iter().map(|record| record.entry().unwrap()).collect();
    assert!(left == expected, "records are missing, or not in order");
    clients.into_iter().for_each(Client::close);
}

#[tokio::test]
async fn a_session_that_was_deleted_elsewhere_is_unknown() {
    let folder = tempfile::tempdir().unwrap();
    let (mut here, mut there) = (Client::start(folder.path()), Client::start(folder.path()));
    let session = here.new_session();
    use_others(&mut here);
    there.call(2, "session/delete", &json!({"sessionId": session}));
    let (updates, answer) = here.turn(&session, "3");
    assert_eq!(updates, 0);
    check_error(&answer, -32002, &session);
    here.close();
    there.close();
}
