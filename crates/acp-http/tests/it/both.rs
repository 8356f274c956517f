//! The client and the server with each other: a client and an agent as users write them.

use std::future::Future;
use std::sync::Mutex;

use acp_agent::store::MemoryStore;
use acp_agent::{StopReason, ToolCall, Turn, agent};
use acp_client::{Agent, AgentStatus, CloseReason, Error, PermissionPolicy, Session};
use acp_http::Remote;
use acp_http::server::{Listening, Options, Principal, Server};
use acp_rpc::CancellationToken;

/// Obeys a word: `count` says numbers, `ask` asks for permission between two words, and `wait`
/// waits to be cancelled, `die` ends the agent by a failure, and `leave` in order.
struct Obedient {
    sessions: MemoryStore,
    end: CancellationToken,
    leave: CancellationToken,
}

#[agent(store = self.sessions.clone())]
impl Obedient {
    async fn prompt(&self, turn: Turn) -> acp_agent::Result<StopReason> {
        match turn.text().as_str() {
            "count" => {
                for number in 0..COUNT {
                    turn.say(format!("{number} ")).await?;
                }
            }
            "ask" => {
                turn.say("before ").await?;
                let is_allowed = turn.ask(&ToolCall::execute("make")).await?.is_allowed();
                turn.say(if is_allowed { "allowed" } else { "rejected" }).await?;
            }
            "leave" => {
                self.leave.cancel();
                std::future::pending().await
            }
            "die" => {
                self.end.cancel();
                std::future::pending().await
            }
            _ => {
                turn.say("waiting").await?;
                turn.cancelled().await;
            }
        }
        Ok(StopReason::EndTurn)
    }
}

const COUNT: usize = 500;
const TOKEN: &str = "a token";

fn counted() -> String {
    (0..COUNT).map(|number| format!("{number} ")).collect()
}

/// A server of these agents, which share their sessions.
async fn serve() -> (Server, Listening) {
    let sessions = MemoryStore::new(usize::MAX);
    let options = Options::new().token(TOKEN, Principal::new("alice"));
    let server = Server::new(options, move |transport, remote| {
        let (end, leave) = (CancellationToken::new(), CancellationToken::new());
        let agent = Obedient { sessions: sessions.clone(), end: end.clone(), leave: leave.clone() };
        async move {
            tokio::select! {
                ended = acp_agent::serve(agent, transport) => drop(ended),
                () = end.cancelled() => remote.report_failure(),
                () = leave.cancelled() => {}
            }
        }
    });
    let listening = server.listen("127.0.0.1:0").await.unwrap();
    (server, listening)
}

/// The ways to a server.
#[derive(Clone, Copy, Debug)]
enum Way {
    WebSocket,
    Http1,
    Http2,
}

impl Way {
    fn to(self, listening: &Listening) -> Remote {
        let url = format!("http://{}/acp", listening.address());
        match self {
            Self::WebSocket => acp_http::ws(url),
            Self::Http1 => acp_http::http(url),
            Self::Http2 => acp_http::http(url).h2c(),
        }
    }

    async fn connect(self, listening: &Listening, policy: PermissionPolicy) -> Agent {
        let remote = self.to(listening).bearer(TOKEN);
        acp_client::connect(remote).permissions(policy).await.unwrap()
    }
}

async fn said(session: &Session, prompt: &str) -> (String, StopReason) {
    let mut turn = session.prompt(prompt).await.unwrap();
    let mut said = String::new();
    while let Some(event) = turn.next().await {
        if said.is_empty() && prompt == "wait" {
            turn.cancel().unwrap();
        }
        said.extend(event.text());
    }
    (said, turn.finish().await.unwrap().stop_reason.clone())
}

/// Runs a test by each way, on both runtimes of tokio.
fn each_way<F: Future<Output = ()>>(test: impl Fn(Way) -> F) {
    for way in [Way::WebSocket, Way::Http1, Way::Http2] {
        let mut builders =
            [tokio::runtime::Builder::new_current_thread(), tokio::runtime::Builder::new_multi_thread()];
        for builder in &mut builders {
            builder.enable_all().build().unwrap().block_on(test(way));
        }
    }
}

/// rm-ord-01: the answer of a prompt comes after its updates.
#[test]
fn turns_stream_ask_and_are_cancelled() {
    each_way(|way| async move {
        let (server, listening) = serve().await;
        for (policy, answer) in [
            (PermissionPolicy::allow_once(), "before allowed"),
            (PermissionPolicy::reject(), "before rejected"),
        ] {
            let agent = way.connect(&listening, policy).await;
            let session = agent.new_session("/work").await.unwrap();
            assert_eq!(said(&session, "count").await, (counted(), StopReason::EndTurn));
            assert_eq!(said(&session, "ask").await, (answer.to_owned(), StopReason::EndTurn));
            assert_eq!(said(&session, "wait").await, ("waiting".to_owned(), StopReason::Cancelled));
            agent.close().await;
        }
        server.shutdown(std::time::Duration::MAX).await;
    });
}

#[test]
fn two_sessions_and_two_connections_do_not_meet() {
    each_way(|way| async move {
        let (_server, listening) = serve().await;
        let (one, two) = tokio::join!(
            way.connect(&listening, PermissionPolicy::reject()),
            way.connect(&listening, PermissionPolicy::allow_once())
        );
        let (first, second) = (one.new_session("/a").await.unwrap(), one.new_session("/b").await.unwrap());
        let third = two.new_session("/c").await.unwrap();
        let answers = tokio::join!(said(&first, "count"), said(&second, "ask"), said(&third, "ask"));
        let texts = [answers.0.0, answers.1.0, answers.2.0];
        assert_eq!(texts, [counted(), "before rejected".to_owned(), "before allowed".to_owned()]);
    });
}

/// A session outlives its connection: another one replays it before `session/load` is answered.
#[test]
fn a_session_is_loaded_by_another_connection() {
    each_way(|way| async move {
        let (_server, listening) = serve().await;
        let agent = way.connect(&listening, PermissionPolicy::reject()).await;
        let session = agent.new_session("/work").await.unwrap();
        said(&session, "count").await;
        let id = session.id().clone();
        agent.close().await;

        let agent = way.connect(&listening, PermissionPolicy::reject()).await;
        let mut replay = agent.load_session(id, "/work").replay().await.unwrap();
        let mut replayed = String::new();
        while let Some(event) = replay.next().await {
            replayed.extend(event.text());
        }
        let session = replay.finish().await.unwrap();
        assert!(replayed.ends_with(&counted()), "{replayed}");
        assert_eq!(said(&session, "count").await.0, counted());
    });
}

/// rm-rec-01: an agent that has gone is reached anew, and its session goes on.
#[test]
fn a_session_outlives_its_agent() {
    each_way(|way| async move {
        let (_server, listening) = serve().await;
        let remote = way.to(&listening).bearer(TOKEN);
        let connect = move || acp_client::connect(remote.clone());
        let agent = acp_client::reconnecting(connect).await.unwrap();
        let session = agent.new_session("/work").await.unwrap();
        for _ in 0..3 {
            let lost = session.prompt("die").await.unwrap().finish().await;
            assert!(matches!(lost, Err(Error::Closed { .. })), "{lost:?}");
            let mut turn = session.prompt("count").await.unwrap();
            let mut said = String::new();
            while let Some(event) = turn.next().await {
                said.extend(event.text());
            }
            turn.finish().await.unwrap();
            assert_eq!(said, counted());
        }
    });
}

/// rm-rec-02: an agent that ends in order is not reached anew.
#[test]
fn an_agent_that_has_left_does_not_come_back() {
    each_way(|way| async move {
        let (server, listening) = serve().await;
        let remote = way.to(&listening).bearer(TOKEN);
        let connect = move || acp_client::connect(remote.clone());
        let agent = acp_client::reconnecting(connect).await.unwrap();
        let session = agent.new_session("/work").await.unwrap();
        let lost = session.prompt("leave").await.unwrap().finish().await;
        assert!(matches!(lost, Err(Error::Closed { reason: CloseReason::Ended, .. })), "{lost:?}");
        assert_eq!(agent.status_is(|_| false).await, AgentStatus::GivenUp, "{way:?}");
        assert!(matches!(session.prompt("count").await, Err(Error::GivenUp { restarts: 0, .. })));
        assert_eq!(server.counts().opened, 1, "{way:?}");
    });
}

/// rm-rec-02: it is reached anew when its server goes away.
#[test]
fn a_server_that_goes_away_is_not_the_end() {
    each_way(|way| async move {
        let (server, listening) = serve().await;
        let (_other, next) = serve().await;
        let remotes = Mutex::new(vec![way.to(&next).bearer(TOKEN), way.to(&listening).bearer(TOKEN)]);
        let connect = move || acp_client::connect(remotes.lock().unwrap().pop().unwrap());
        let agent = acp_client::reconnecting(connect).await.unwrap();
        server.shutdown(std::time::Duration::MAX).await;
        let status = agent.status_is(|status| status != AgentStatus::Connected).await;
        assert_eq!(status, AgentStatus::Restarting { restart: 1 }, "{way:?}");
        agent.new_session("/work").await.unwrap();
    });
}

#[test]
fn a_wrong_token_is_refused_with_its_status() {
    each_way(|way| async move {
        let (_server, listening) = serve().await;
        let remote = way.to(&listening).bearer("another");
        let error = acp_client::connect(remote).await.unwrap_err();
        assert!(error.to_string().contains("401"), "{error}");
        assert!(!format!("{error:?}").contains("another"), "{error:?}");
    });
}
