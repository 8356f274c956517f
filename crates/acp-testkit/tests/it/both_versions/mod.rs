//! One agent and one client, in both versions: the client has the same transcript at the end, apart
//! from ids.

mod agent;
mod queue;

use std::sync::Arc;

use acp_agent::Agent;
use acp_client::{
    Connect, Elicitation, ElicitationAnswer, Event, PermissionAnswer, PermissionPolicy, ProtocolVersion,
    Session, Transcript, Transport, Turn,
};
use serde_json::{Value, json};
use tokio::sync::Notify;

use self::agent::{Everything, stored};

const VERSIONS: [ProtocolVersion; 2] = [ProtocolVersion::V1, ProtocolVersion::V2];

/// Connects a client of one version.
async fn connect<A: Agent>(
    agent: A,
    version: ProtocolVersion,
    set_up: impl FnOnce(Connect) -> Connect,
) -> acp_client::Agent {
    let (client, served) = tokio::io::duplex(64 * 1024);
    tokio::spawn(acp_agent::serve(agent, acp_agent::Transport::from_stream(served)));
    let connect = set_up(acp_client::connect(Transport::from_stream(client)).versions([version]));
    let agent = connect.await.expect("connected");
    assert_eq!(agent.protocol_version(), version);
    agent
}

/// The transcript of a client, and the ends of its turns.
struct Seen {
    transcript: Transcript,
    ends: Vec<String>,
}

impl Seen {
    fn of(session: &Session) -> Self {
        Self { transcript: Transcript::for_session(session), ends: Vec::new() }
    }

    fn end(&mut self, ended: Result<acp_client::TurnResponse, acp_client::Error>) {
        self.ends.push(match ended {
            Ok(response) => response.stop_reason().map(ToString::to_string).unwrap_or_default(),
            Err(acp_client::Error::Agent { error, .. }) => format!("{} {}", error.code, error.message),
            Err(error) => panic!("{error}"),
        });
    }

    async fn read(&mut self, mut turn: Turn) {
        while let Some(event) = turn.next().await {
            self.transcript.fold(event);
        }
        self.end(turn.finish().await);
    }

    async fn prompt(&mut self, session: &Session, text: &str) {
        self.transcript.prompt(text);
        self.read(session.prompt(text).await.expect("sent")).await;
    }

    /// Returns it without what only one version has: ids, and the modes among the options.
    fn show(self) -> Value {
        let mut shown: Value = serde_json::from_str(&self.transcript.to_json()).unwrap();
        without_ids(&mut shown);
        if let Some(options) = shown.pointer_mut("/config/configOptions").and_then(Value::as_array_mut) {
            options.retain(|option| option["category"] != "mode");
        }
        json!({"transcript": shown, "ends": self.ends})
    }
}

fn without_ids(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for name in ["messageId", "sessionId", "updatedAt"] {
                members.remove(name);
            }
            members.values_mut().for_each(without_ids);
        }
        Value::Array(items) => items.iter_mut().for_each(without_ids),
        _ => {}
    }
}

/// Plays a scenario in both versions, and compares.
async fn same<F: Future<Output = Value>>(name: &str, scenario: impl Fn(ProtocolVersion) -> F) -> Value {
    let [first, second] = [scenario(VERSIONS[0]).await, scenario(VERSIONS[1]).await];
    assert_eq!(first, second, "{name}");
    first
}

async fn session(agent: &acp_client::Agent) -> Session {
    agent.new_session("/work").await.expect("opened")
}

/// Changes to files have another form in version 2. Reads both by the common reader.
fn with_changes(transcript: &Transcript) -> Vec<String> {
    let items =
        transcript.entries().filter_map(|(_, entry)| entry.as_tool_call()).flat_map(|run| &run.call.content);
    let changes = items.filter_map(acp_client::FileChanges::of).flat_map(|changes| changes.changes);
    changes.map(|change| format!("{:?} {}", change.operation, change.path)).collect()
}

fn without_diffs(mut shown: Value) -> Value {
    for entry in shown["transcript"]["entries"].as_array_mut().unwrap() {
        if let Some(items) = entry["content"].as_array_mut() {
            items.retain(|item| item["type"] != "diff");
        }
    }
    shown
}

#[tokio::test]
async fn turns_without_questions() {
    let prompts = [
        ["say", "again"],
        ["stream", "say"],
        ["plan", "plan"],
        ["session", "ask nothing"],
        ["error", "after it"],
        ["panic", "after it"],
        ["refuse", "after it"],
    ];
    for prompts in prompts {
        let shown = same(prompts[0], |version| async move {
            let agent = connect(Everything, version, |connect| connect).await;
            let session = session(&agent).await;
            let mut seen = Seen::of(&session);
            for prompt in prompts {
                seen.prompt(&session, prompt).await;
            }
            assert_eq!(agent.faults(), Vec::<String>::new(), "{prompts:?}");
            seen.show()
        })
        .await;
        let entries = shown["transcript"]["entries"].as_array().expect("entries");
        assert!(entries.len() >= 2, "{shown:#}");
    }
}

#[tokio::test]
async fn tools_with_each_call_of_their_guard() {
    let shown = same("tools", |version| async move {
        let agent = connect(Everything, version, |connect| connect).await;
        let session = session(&agent).await;
        let mut seen = Seen::of(&session);
        seen.prompt(&session, "tools").await;
        assert_eq!(with_changes(&seen.transcript), ["Modify /work/a.txt"], "{version:?}");
        without_diffs(seen.show())
    })
    .await;
    assert_eq!(shown["transcript"]["entries"].as_array().map(Vec::len), Some(5), "{shown:#}");
}

#[tokio::test]
async fn questions_of_the_agent() {
    for answer in [PermissionAnswer::AllowOnce, PermissionAnswer::RejectOnce, PermissionAnswer::Cancelled] {
        let answer = &answer;
        let shown = same("ask", |version| async move {
            let given = answer.clone();
            let policy = PermissionPolicy::ask(move |_| std::future::ready(given.clone()));
            let agent = connect(Everything, version, |connect| connect.permissions(policy)).await;
            let session = session(&agent).await;
            let mut seen = Seen::of(&session);
            seen.prompt(&session, "ask").await;
            seen.show()
        })
        .await;
        assert!(shown["ends"][0].is_string(), "{shown:#}");
    }
    let shown = same("elicit", |version| async move {
        let forms = Elicitation::new().form(async |form| ElicitationAnswer::Accept(form.defaults()));
        let agent = connect(Everything, version, |connect| connect.elicitation(forms)).await;
        let session = session(&agent).await;
        let mut seen = Seen::of(&session);
        seen.prompt(&session, "elicit").await;
        seen.show()
    })
    .await;
    assert!(shown.to_string().contains("Ann"), "{shown:#}");
}

#[tokio::test]
async fn a_turn_that_is_cancelled() {
    let shown = same("cancel", |version| async move {
        let agent = connect(Everything, version, |connect| connect).await;
        let session = session(&agent).await;
        let mut seen = Seen::of(&session);
        let mut turn = session.prompt("wait").await.expect("sent");
        while let Some(event) = turn.next().await {
            let is_said = event.text().is_some();
            seen.transcript.fold(event);
            if is_said {
                turn.cancel().expect("sent");
            }
        }
        seen.end(turn.finish().await);
        seen.prompt(&session, "after it").await;
        seen.show()
    })
    .await;
    assert_eq!(shown["ends"], json!(["cancelled", "end_turn"]));
    // While it asks: the client answers the question itself.
    let shown = same("cancel a question", |version| async move {
        let asked = Arc::new(Notify::new());
        let tell = Arc::clone(&asked);
        let policy = PermissionPolicy::ask(move |_| {
            tell.notify_one();
            std::future::pending()
        });
        let agent = connect(Everything, version, |connect| connect.permissions(policy)).await;
        let session = session(&agent).await;
        let mut seen = Seen::of(&session);
        let turn = session.prompt("ask").await.expect("sent");
        asked.notified().await;
        turn.cancel().expect("sent");
        seen.read(turn).await;
        seen.show()
    })
    .await;
    assert_eq!(shown["ends"], json!(["cancelled"]));
}

#[tokio::test]
async fn modes_and_options_that_the_client_sets() {
    same("settings", |version| async move {
        let agent = connect(Everything, version, |connect| connect).await;
        let session = session(&agent).await;
        session.set_mode("code").await.expect("set");
        session.set_config_option("quick", true).await.expect("set");
        let mut seen = Seen::of(&session);
        seen.prompt(&session, "session").await;
        session.set_mode("none").await.expect_err("there is none");
        seen.show()
    })
    .await;
}

#[tokio::test]
async fn work_behind_a_turn_and_the_end_of_a_session() {
    same("behind", |version| async move {
        let agent = connect(Everything, version, |connect| connect).await;
        let session = session(&agent).await;
        let mut seen = Seen::of(&session);
        seen.prompt(&session, "behind").await;
        let mut updates = session.updates();
        while seen.transcript.plan().is_none() {
            let event = updates.next().await.expect("an event");
            if !matches!(event, Event::State(_)) {
                seen.transcript.fold(event);
            }
        }
        drop(updates);
        session.close().await.expect("closed");
        session.prompt("again").await.expect_err("it is closed");
        seen.show()
    })
    .await;
}

#[tokio::test]
async fn sessions_that_are_listed_and_opened_again() {
    let shown = same("stored", |version| async move {
        let agent = connect(stored(), version, |connect| connect).await;
        let session = session(&agent).await;
        let mut seen = Seen::of(&session);
        for prompt in ["say", "tools", "plan"] {
            seen.prompt(&session, prompt).await;
        }
        let id = session.id().clone();
        session.close().await.expect("closed");
        let mut list = agent.list_sessions();
        let listed = list.next().await.expect("one").expect("listed");
        assert_eq!((&listed.session_id, listed.cwd.as_str()), (&id, "/work"));
        let mut replay = agent.load_session(id.clone(), "/work").replay().await.expect("sent");
        let mut again = Transcript::new();
        while let Some(event) = replay.next().await {
            again.fold(event);
        }
        let session = replay.finish().await.expect("loaded");
        let mut again = Seen { transcript: again, ends: Vec::new() };
        again.prompt(&session, "and on").await;
        session.close().await.expect("closed");
        let session = agent.resume_session(id, "/work").await.expect("resumed");
        seen.prompt(&session, "and on").await;
        json!([without_diffs(seen.show()), without_diffs(again.show())])
    })
    .await;
    assert!(shown.to_string().contains("AND ON"), "{shown:#}");
}
