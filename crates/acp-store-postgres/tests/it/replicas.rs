//! Replicas of an agent over one database. They are killed at random, and their clients go on with
//! another one.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use acp_agent::{Result, Router, Serve, StopReason, Transport, Turn, op};
use acp_store_postgres::{Options, PostgresStore};
use serde_json::{Value, json};
use testkit::{Dice, ScriptedPeer};
use tokio::net::{UnixListener, UnixStream};

use crate::server::{Server, server_or_skip};
use crate::store;

const URL: &str = "ACP_POSTGRES_TEST_REPLICA";
const SOCKET: &str = "ACP_POSTGRES_TEST_SOCKET";
const REPLICAS: usize = 3;
/// The number of messages that the agent says in a turn.
const SAID: usize = 5;

/// The prompt whose turn does not end by itself.
pub(crate) const FOREVER: &str = "forever";

/// Says a few messages, with the prompt and their numbers.
async fn say(_: &(), turn: Turn) -> Result<StopReason> {
    let prompt = turn.text();
    if prompt == FOREVER {
        turn.say("begun").await?;
        std::future::pending::<()>().await;
    }
    for number in 0..SAID {
        turn.say(format!("{prompt}.{number}")).await?;
        tokio::task::yield_now().await;
    }
    Ok(StopReason::EndTurn)
}

/// Runs in the child processes: serves the agent on a socket, until it is killed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replica() {
    let (Some(url), Some(socket)) = (std::env::var_os(URL), std::env::var_os(SOCKET)) else { return };
    let options = Options::new(url.to_str().unwrap()).unwrap().lease(Duration::from_secs(1)).connections(6);
    let store = PostgresStore::connect(&options).await.unwrap();
    let agent = Arc::new(Router::new("said", "1.0.0", ()).on::<op::Prompt, _>(say).store(store));
    let listener = UnixListener::bind(socket).unwrap();
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        tokio::spawn(Serve::shared(Arc::clone(&agent)).principal("ann").over(Transport::from_stream(stream)));
    }
}

/// A replica, and the socket of its present process.
pub(crate) struct Replica {
    folder: PathBuf,
    pub(crate) process: Child,
    starts: usize,
}

impl Replica {
    pub(crate) fn start(folder: &Path, url: &str, starts: usize) -> Self {
        std::fs::create_dir_all(folder).unwrap();
        let process = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "replicas::replica", "--nocapture"])
            .env(URL, url)
            .env(SOCKET, folder.join("new"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Replica { folder: folder.to_owned(), process, starts }
    }

    /// Connects to the agent, once it listens.
    pub(crate) async fn client(&self) -> ScriptedPeer {
        loop {
            if let Ok(stream) = UnixStream::connect(self.folder.join("new")).await {
                let mut peer = ScriptedPeer::from_stream(stream);
                peer.call("initialize", json!({"protocolVersion": 1})).await.unwrap();
                return peer;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Kills the process, and starts another one.
    fn restart(&mut self, url: &str) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
        let _ = std::fs::remove_file(self.folder.join("new"));
        *self = Replica::start(&self.folder.clone(), url, self.starts + 1);
    }
}

impl Drop for Replica {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A client with one session, which it takes from replica to replica.
struct Client {
    sockets: Vec<PathBuf>,
    dice: Dice,
    session: Option<Value>,
    /// The prompts so far, and whether they were answered.
    prompts: Vec<(String, bool)>,
    /// The number of times that another connection has taken the session up.
    taken_up: usize,
}

impl Client {
    /// Connects to some replica, with the session. Retries until one is there and has it.
    async fn connect(&mut self) -> ScriptedPeer {
        loop {
            if let Some(peer) = self.try_connect().await {
                return peer;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn try_connect(&mut self) -> Option<ScriptedPeer> {
        let socket = self.dice.pick(&self.sockets).clone();
        let mut peer = ScriptedPeer::from_stream(UnixStream::connect(socket).await.ok()?);
        peer.call("initialize", json!({"protocolVersion": 1})).await.ok()?;
        let Some(session) = &self.session else {
            let opened = peer.call("session/new", json!({"cwd": "/work", "mcpServers": []})).await.ok()?;
            self.session = Some(opened["result"]["sessionId"].clone()).filter(Value::is_string);
            return self.session.is_some().then_some(peer);
        };
        let params = json!({"sessionId": session, "cwd": "/work", "mcpServers": []});
        // While the lease of the dead replica lasts, this is `Busy`.
        peer.call("session/load", params).await.ok()?.result()?;
        self.taken_up += 1;
        let loaded: Vec<String> = peer
            .take_notifications()
            .iter()
            .filter(|message| message["params"]["update"]["content"]["text"].is_string())
            .map(|message| {
                let update = &message["params"]["update"];
                let kind = update["sessionUpdate"].as_str().unwrap().trim_end_matches("_message_chunk");
                format!("{kind} {}", update["content"]["text"].as_str().unwrap())
            })
            .collect();
        self.check(&loaded);
        Some(peer)
    }

    /// Fails unless the session is what the client has seen: each answered turn is whole, in order,
    /// and once. Of a turn that was not answered, a beginning is there.
    fn check(&self, loaded: &[String]) {
        let mut rest = loaded;
        for (prompt, is_answered) in &self.prompts {
            let whole = [format!("user {prompt}")];
            let said = (0..SAID).map(|number| format!("agent {prompt}.{number}"));
            let whole: Vec<String> = whole.into_iter().chain(said).collect();
            let found = whole.iter().zip(rest).take_while(|(whole, found)| whole == found).count();
            assert!(!is_answered || found == whole.len(), "{prompt} is not whole: {loaded:?}");
            rest = &rest[found..];
        }
        assert!(rest.is_empty(), "{rest:?} comes twice or out of order in {loaded:?}");
    }

    async fn run(mut self, turns: usize, answered: Arc<AtomicUsize>) -> usize {
        let mut peer = self.connect().await;
        let mut done = 0;
        while done < turns {
            let prompt = format!("p{}", self.prompts.len());
            let params = json!({"sessionId": self.session, "prompt": [{"type": "text", "text": prompt}]});
            let answer = peer.call("session/prompt", params).await;
            let is_answered = answer.is_ok_and(|answer| answer["result"]["stopReason"] == "end_turn");
            peer.take_notifications();
            self.prompts.push((prompt, is_answered));
            if is_answered {
                done += 1;
                answered.fetch_add(1, Ordering::AcqRel);
            } else {
                peer = self.connect().await;
            }
        }
        peer.close().await;
        self.connect().await.close().await;
        self.taken_up
    }
}

/// Runs clients on replicas that are killed at random moments.
async fn check(clients: usize, turns: usize, kills: usize) {
    let server = server_or_skip!(Server::shared());
    let database = server.database();
    store(&database).await;
    let url = database.url();
    let folder = tempfile::tempdir().unwrap();
    let of = |number: usize| folder.path().join(number.to_string());
    let mut replicas: Vec<Replica> =
        (0..REPLICAS).map(|number| Replica::start(&of(number), &url, 1)).collect();
    let sockets: Vec<PathBuf> = (0..REPLICAS).map(|number| of(number).join("new")).collect();
    let answered = Arc::new(AtomicUsize::new(0));
    let running: Vec<_> = (0..clients)
        .map(|number| {
            let client = Client {
                sockets: sockets.clone(),
                dice: Dice::new(number as u64),
                session: None,
                prompts: Vec::new(),
                taken_up: 0,
            };
            tokio::spawn(client.run(turns, Arc::clone(&answered)))
        })
        .collect();
    let dice = Dice::new(4711);
    for kill in 0..kills {
        // At some moment in this part of all turns.
        let part = clients * turns / (kills + 1);
        let at = part * kill + dice.index(part.max(1));
        while answered.load(Ordering::Acquire) < at
            && !running.iter().all(tokio::task::JoinHandle::is_finished)
        {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let replica = dice.index(REPLICAS);
        replicas[replica].restart(&url);
    }
    let mut taken_up = 0;
    for client in running {
        taken_up += client.await.unwrap();
    }
    // Each client looks once at its end. The others are those that lost their replica.
    assert!(taken_up > clients, "no session was taken up by another replica");
    let starts: usize = replicas.iter().map(|replica| replica.starts).sum();
    assert_eq!(starts, REPLICAS + kills);
    eprintln!("{clients} clients, {kills} kills, {} sessions taken up elsewhere", taken_up - clients);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_go_on_when_their_replica_is_killed() {
    let is_full = std::env::var_os("ACP_TESTS").is_some_and(|tests| tests == "full");
    if is_full { check(200, 20, 30).await } else { check(12, 6, 4).await }
}
