//! Clients and agents of different versions: what each is offered, and who keeps the sessions.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use acp_agent::types::{AuthMethod, AuthMethodAgent, StringPropertySchema};
use acp_agent::{
    Elicitation, ElicitationAnswer, Form, NewSession, Opened, Options, Session, StopReason, ToolCall, Turn,
    agent,
};
use acp_cli::bridge::{Bridge, BridgeError};
use acp_client::v1::ElicitationContentValue;
use acp_client::{
    Connect, Event, LocalFs, LocalTerminals, Map, Maybe, PermissionPolicy, ProtocolVersion, Transport,
    Updates,
};
use tokio::task::JoinHandle;

/// An agent that keeps no sessions.
struct Plain;

#[agent(name = "plain", prompt(image), mcp(http), additional_directories)]
impl Plain {
    async fn auth_methods(&self) -> acp_agent::Result<Vec<AuthMethod>> {
        Ok(vec![AuthMethodAgent::new("key", "Key").into()])
    }

    async fn authenticate(&self, elicitation: Elicitation) -> acp_agent::Result<()> {
        let form = Form::new("The key?").required("key", StringPropertySchema::new());
        match elicitation.elicit(form).await? {
            ElicitationAnswer::Accept(values) if values.text("key") == Some("Ada") => Ok(()),
            _ => Err(acp_agent::Error::auth_required()),
        }
    }

    async fn new_session(&self, _open: NewSession) -> acp_agent::Result<Opened<AtomicUsize>> {
        Ok(Opened::new(AtomicUsize::new(0)))
    }

    async fn prompt(&self, turn: Turn, prompts: Session<AtomicUsize>) -> acp_agent::Result<StopReason> {
        let text = turn.text();
        match text.split_once(' ').unwrap_or((&text, "")) {
            ("count", _) => turn.say(format!("{}", prompts.fetch_add(1, Ordering::Relaxed))).await?,
            ("offers", _) => {
                let offered = turn.client().capabilities();
                let files = (offered.fs.read_text_file, offered.fs.write_text_file);
                let name = turn.client().info().map(|info| info.name.clone());
                turn.say(format!("{files:?} {} {name:?}", offered.terminal)).await?;
            }
            ("read", path) => {
                let files = turn.fs().ok_or_else(|| acp_agent::Error::not_offered("fs"))?;
                turn.say(files.read_text(path).await?).await?;
            }
            ("run", word) => {
                let terminals = turn.terminals().ok_or_else(|| acp_agent::Error::not_offered("terminal"))?;
                turn.say(terminals.command("echo").arg(word).run().await?.output).await?;
            }
            ("background", _) => {
                let updates = turn.session_updates().clone();
                tokio::spawn(async move {
                    let call = acp_agent::types::ToolCallUpdate::from(&ToolCall::edit("Later"));
                    let options = [acp_agent::types::PermissionOption::new(
                        "yes",
                        "Yes",
                        acp_agent::types::PermissionOptionKind::AllowOnce,
                    )];
                    let request = acp_agent::types::RequestPermissionRequest::new(
                        updates.session_id().clone(),
                        call,
                        options.to_vec(),
                    );
                    let answer = updates.client().request_permission(&request).await;
                    let title = answer
                        .map_or_else(|error| error.to_string(), |answer| format!("{:?}", answer.outcome));
                    updates.title(title).await
                });
            }
            _ => return Ok(StopReason::Refusal),
        }
        Ok(StopReason::EndTurn)
    }
}

fn plain() -> Transport {
    let (near, far) = Transport::duplex();
    tokio::spawn(acp_agent::serve_with(Arc::new(Plain), far, Options::default()));
    near
}

/// Serves a bridge to the agent, changed by `set_up`.
fn bridged(
    to: ProtocolVersion,
    agent: Transport,
    set_up: impl FnOnce(Bridge) -> Bridge,
) -> (Connect, JoinHandle<Result<(), BridgeError>>) {
    let (near, far) = Transport::duplex();
    let bridge = set_up(Bridge::new(acp_client::connect(agent).versions([to])));
    let served = tokio::spawn(bridge.serve(far));
    (acp_client::connect(near).info("plays", "1"), served)
}

async fn said(session: &acp_client::Session, text: &str) -> String {
    let mut turn = session.prompt(text).await.expect("it is sent");
    let mut said = String::new();
    while let Some(event) = turn.next().await {
        said.push_str(event.text().unwrap_or_default());
    }
    match turn.finish().await {
        Ok(done) => assert_eq!(done.stop_reason(), Some(&StopReason::EndTurn)),
        Err(error) => said = error.to_string(),
    }
    said
}

const V1: ProtocolVersion = ProtocolVersion::V1;
const V2: ProtocolVersion = ProtocolVersion::V2;

#[tokio::test]
async fn an_agent_is_offered_what_the_client_offers() {
    let folder = tempfile::tempdir().expect("a folder");
    let cwd = folder.path().canonicalize().expect("it exists");
    std::fs::write(cwd.join("a"), "text").expect("written");
    let read = format!("read {}", cwd.join("a").display());
    let files = || LocalFs::rooted(&cwd).expect("it exists");

    // Nothing of its own, a client of version 1.
    let (connect, _) = bridged(V1, plain(), |bridge| bridge);
    let agent = connect.await.expect("it answers");
    let session = agent.new_session(&cwd).await.expect("it is opened");
    assert_eq!(said(&session, "offers").await, "(false, false) false Some(\"plays\")");
    assert!(said(&session, &read).await.contains("fs"));

    // Files and terminals of the client.
    let (connect, _) = bridged(V1, plain(), |bridge| bridge);
    let agent = connect.fs(files()).terminals(LocalTerminals::new()).await.expect("it answers");
    let session = agent.new_session(&cwd).await.expect("it is opened");
    assert_eq!(said(&session, "offers").await, "(true, true) true Some(\"plays\")");
    assert_eq!(said(&session, &read).await, "text");
    #[cfg(unix)]
    assert_eq!(said(&session, "run hello").await, "hello\n");
}

#[tokio::test]
async fn a_client_of_version_2_gets_what_the_bridge_serves() {
    let folder = tempfile::tempdir().expect("a folder");
    let cwd = folder.path().canonicalize().expect("it exists");
    std::fs::write(cwd.join("a"), "text").expect("written");
    let read = format!("read {}", cwd.join("a").display());
    for (serves, offers) in [(false, "(false, false) false"), (true, "(true, true) true")] {
        let (connect, _) = bridged(V1, plain(), |bridge| {
            if !serves {
                return bridge;
            }
            bridge.serve_files(LocalFs::session_roots()).serve_terminals(LocalTerminals::new())
        });
        let agent = connect.versions([V2]).await.expect("it answers");
        assert_eq!(agent.protocol_version(), V2);
        let session = agent.new_session(&cwd).await.expect("it is opened");
        assert_eq!(said(&session, "offers").await, format!("{offers} Some(\"plays\")"));
        assert_eq!(said(&session, &read).await == "text", serves);
        // The one that serves keeps to the session's directories.
        assert_ne!(
            said(&session, "read /etc/hostname").await,
            std::fs::read_to_string("/etc/hostname").unwrap_or_default()
        );
        #[cfg(unix)]
        assert_eq!(said(&session, "run hello").await == "hello\n", serves);
    }
}

#[tokio::test]
async fn the_bridge_keeps_the_sessions_of_an_agent_that_keeps_none() {
    let (connect, _) = bridged(V1, plain(), |bridge| bridge);
    let agent = connect.versions([V2]).await.expect("it answers");
    let session = agent.new_session("/w").await.expect("it is opened");
    assert_eq!(said(&session, "count").await, "0");
    let listed = agent.list_sessions().next().await.expect("there is one").expect("it is readable");
    assert_eq!(&listed.session_id, session.id());
    session.close().await.expect("it is closed");
    let mut replay = agent.load_session(session.id().clone(), "/w").replay().await.expect("it is sent");
    let mut events = Vec::new();
    while let Some(event) = replay.next().await {
        events.push(event);
    }
    let text = |event: &Event| match event {
        Event::UserMessage(chunk) | Event::Message(chunk) => chunk.content.as_text().map(str::to_owned),
        Event::MessageReplaced { content: Some(content), .. } => {
            content.first()?.as_text().map(str::to_owned)
        }
        _ => None,
    };
    assert_eq!(events.iter().filter_map(text).collect::<Vec<_>>(), ["count", "0"], "{events:?}");
    // It is the session that the agent had.
    let loaded = replay.finish().await.expect("it is loaded");
    assert_eq!(said(&loaded, "count").await, "1");
    let resumed = agent.resume_session(session.id().clone(), "/w").await.expect("it is resumed");
    assert_eq!(said(&resumed, "count").await, "2");
}

#[tokio::test]
async fn a_client_of_version_1_gets_only_what_the_agent_has() {
    let (connect, _) = bridged(V1, plain(), |bridge| bridge);
    let agent = connect.await.expect("it answers");
    let offered = agent.capabilities();
    assert!(offered.prompt_capabilities.image && !offered.prompt_capabilities.audio);
    assert!(offered.mcp_capabilities.http && !offered.load_session);
    let sessions = &offered.session_capabilities;
    assert!(sessions.additional_directories.is_some() && sessions.list.is_none() && sessions.close.is_none());
    assert!(offered.auth.logout.is_none());
}

#[tokio::test]
async fn questions_outside_of_turns_reach_the_client() {
    for (to, client) in [(V1, V1), (V1, V2), (V2, V1), (V2, V2)] {
        let (connect, _) = bridged(to, plain(), |bridge| bridge);
        let key = acp_client::Elicitation::new().form(async |form: acp_client::FormElicitation| {
            assert_eq!(form.message, "The key?");
            let ada = ElicitationContentValue::String("Ada".into());
            acp_client::ElicitationAnswer::Accept(Map::from([("key", ada)]))
        });
        let connect = connect.versions([client]).elicitation(key).permissions(PermissionPolicy::allow_once());
        let agent = connect.await.expect("it answers");
        agent.authenticate("key").await.unwrap_or_else(|error| panic!("{to:?} {client:?}: {error}"));
        let session = agent.new_session("/w").await.expect("it is opened");
        let mut turn = session.prompt("background").await.expect("it is sent");
        let mut title = None;
        while let Some(event) = turn.next().await {
            title = title.or_else(|| titled(&event));
        }
        turn.finish().await.expect("it ends");
        let mut updates: Updates = session.updates();
        while title.is_none() {
            title = titled(&updates.next().await.expect("the title comes"));
        }
        assert!(title.is_some_and(|title| title.contains("yes")), "{to:?} {client:?}");
    }
}

fn titled(event: &Event) -> Option<String> {
    match event {
        Event::Info(info) => match &info.title {
            Maybe::Value(title) => Some(title.clone()),
            _ => None,
        },
        _ => None,
    }
}

#[tokio::test]
async fn an_agent_of_another_version_is_the_answer_to_initialize() {
    // It speaks version 1 only.
    let (near, far) = Transport::duplex();
    tokio::spawn(async move {
        let (_, agent) = acp_agent::peek_initialize(far).await.expect("it is readable");
        drop(agent);
    });
    let (connect, served) = bridged(V2, near, |bridge| bridge);
    let error = connect.await.expect_err("there is no agent").to_string();
    assert!(error.contains("initialize"), "{error}");
    assert!(matches!(served.await.expect("it ends"), Err(BridgeError::Connect(_))));
}

#[tokio::test]
async fn the_bridge_ends_with_either_side() {
    let (near, far) = Transport::duplex();
    let agent = tokio::spawn(acp_agent::serve_with(Arc::new(Plain), far, Options::default()));
    let (connect, served) = bridged(V1, near, |bridge| bridge);
    let client = connect.await.expect("it answers");
    agent.abort();
    let ended = served.await.expect("it ends");
    assert!(matches!(ended, Err(BridgeError::Ended { .. })), "{ended:?}");
    client.wait().await;

    let (near, far) = Transport::duplex();
    let agent = tokio::spawn(acp_agent::serve_with(Arc::new(Plain), far, Options::default()));
    let (connect, served) = bridged(V1, near, |bridge| bridge);
    connect.await.expect("it answers").close().await;
    served.await.expect("it ends").expect("in good order");
    agent.await.expect("it ends").expect("in good order");

    // A client that says nothing needs no agent.
    let (near, far) = Transport::duplex();
    drop(near);
    Bridge::new(acp_client::connect(plain())).serve(far).await.expect("in good order");
}
