//! Three replicas of `acp serve` behind nginx, with one database. They are killed at random, some
//! with all agents at once, and their clients go on with another one.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use acp_client::{Agent, Error, Event, ReconnectingSession, Restart};
use acp_http::{Remote, Undelivered};
use acp_testkit::Dice;
use rustix::process::{Pid, Signal, kill_process};

use super::nginx::{Nginx, connections, replica, secrets};
use super::{LONG, Server};

#[allow(
    dead_code,
    unreachable_pub,
    unused_imports,
    unused_macros,
    clippy::print_stderr,
    reason = "the server of the store's own tests"
)]
#[path = "../../../../crates/acp-store-postgres/tests/it/server.rs"]
pub(super) mod server;

pub(super) const AGENT: &str = env!("CARGO_BIN_EXE_postgres_agent");
/// The seconds after which the sessions of an agent that was killed are free.
const LEASE: &str = "2";

/// A replica that starts again at its address.
struct Replica<'f> {
    name: &'static str,
    folder: &'f Path,
    database: String,
    server: Server,
}

impl<'f> Replica<'f> {
    fn new(name: &'static str, folder: &'f Path, database: &str) -> Self {
        let server = Self::serve("127.0.0.1:0", name, folder, database);
        Self { name, folder, database: database.to_owned(), server }
    }

    fn serve(address: &str, name: &str, folder: &Path, database: &str) -> Server {
        let mut command = replica(address, name, folder);
        Server::start(command.args(["--", AGENT, database, LEASE]))
    }

    fn start_again(&mut self) {
        self.server = Self::serve(&self.server.address, self.name, self.folder, &self.database);
    }

    /// Kills the replica. Its agents end in good order, and give their sessions up.
    fn kill(&mut self) {
        self.server.kill();
    }

    /// Kills the replica and all its agents, as the loss of a machine does.
    fn lose(&mut self) {
        let agents = children(self.server.process.id());
        self.server.kill();
        for agent in agents {
            // It may have ended with the replica.
            let _ = kill_process(agent, Signal::KILL);
        }
    }
}

/// Returns the processes that this one has started.
fn children(parent: u32) -> Vec<Pid> {
    let processes = fs::read_dir("/proc").expect("the processes").flatten();
    let mut found = Vec::new();
    for process in processes {
        let Some(id) = process.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let Ok(stat) = fs::read_to_string(process.path().join("stat")) else { continue };
        // `id (name) state parent …`, and a name may have anything.
        let of = stat.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(1));
        if of.is_some_and(|of| of == parent.to_string()) {
            found.extend(Pid::from_raw(id));
        }
    }
    found
}

/// A prompt, what the client has seen of the answer, and whether the turn came to its end.
struct Said {
    prompt: String,
    answer: String,
    is_whole: bool,
}

/// Has turns on one session, whatever becomes of its replicas. Returns all that was said.
async fn talk(session: &ReconnectingSession, client: usize, turns: usize, ended: &AtomicUsize) -> Vec<Said> {
    let (mut said, mut done) = (Vec::new(), 0);
    let until = Instant::now() + LONG * 10;
    while done < turns {
        assert!(Instant::now() < until, "client {client} has {done} of {turns} turns");
        let prompt = format!("{}. prompt of client {client} on its way through the replicas", said.len());
        let mut answer = String::new();
        let outcome = turn(session, &prompt, &mut answer).await;
        match &outcome {
            Ok(()) => {
                done += 1;
                ended.fetch_add(1, Ordering::AcqRel);
            }
            // The turn is lost with its replica, or the session is still the dead one's.
            Err(Error::Closed { .. } | Error::NotRestored { .. }) => {}
            // The load balancer cannot tell whether the dead one had it.
            Err(Error::Agent { error, .. }) if Undelivered::of(error).is_some() => {}
            Err(error) => panic!("client {client}: {error}"),
        }
        said.push(Said { prompt, answer, is_whole: outcome.is_ok() });
    }
    said
}

async fn turn(session: &ReconnectingSession, prompt: &str, answer: &mut String) -> Result<(), Error> {
    let mut turn = session.prompt(prompt).await?;
    while let Some(event) = turn.next().await {
        answer.extend(event.text());
    }
    turn.finish().await.map(drop)
}

/// Reads the session anew. Returns each prompt with its answer.
async fn stored(remote: Remote, session: &ReconnectingSession) -> Vec<(String, String)> {
    let agent = acp_client::connect(remote).initialize_timeout(LONG).await.expect("it connects");
    let until = Instant::now() + LONG;
    let stored = loop {
        match load(&agent, session).await {
            Ok(stored) => break stored,
            // The agent of the connection before has it until it has ended.
            Err(Error::Agent { .. }) if Instant::now() < until => {
                tokio::time::sleep(Duration::from_millis(20)).await
            }
            Err(error) => panic!("{error}"),
        }
    };
    agent.close().await;
    stored
}

async fn load(agent: &Agent, session: &ReconnectingSession) -> Result<Vec<(String, String)>, Error> {
    let mut replay = agent.load_session(session.id().clone(), "/work").replay().await?;
    let mut stored: Vec<(String, String)> = Vec::new();
    while let Some(event) = replay.next().await {
        match event {
            Event::UserMessage(chunk) => {
                let text = chunk.content.as_text().expect("a text").to_owned();
                stored.push((text, String::new()));
            }
            event => {
                let text = event.text().unwrap_or_default();
                stored.last_mut().expect("a prompt comes first").1.push_str(text);
            }
        }
    }
    replay.finish().await?;
    Ok(stored)
}

/// Fails unless each turn that came to its end is stored as the client has seen it, and each other
/// one is a beginning or is not there. All in their order, and once.
fn compare(client: usize, said: &[Said], stored: Vec<(String, String)>) {
    let all = format!("{stored:#?}");
    let mut stored = stored.into_iter().peekable();
    for Said { prompt, answer, is_whole } in said {
        let whole = format!("You said: {prompt}");
        match stored.next_if(|(of, _)| of == prompt) {
            Some((_, kept)) if *is_whole => {
                assert!(kept == whole && *answer == whole, "{client}: {kept}, {answer}")
            }
            Some((_, kept)) => assert!(whole.starts_with(&kept), "{client}: {kept}"),
            None => assert!(
                !is_whole,
                "{client} has seen an answer to `{prompt}`, and it is not stored there: {all}"
            ),
        }
    }
    assert_eq!(stored.next(), None, "{client}: it comes twice or out of order");
}

/// Kills replicas, each after so many more turns. Returns the number of sessions that were on them.
async fn kill_at_random(
    replicas: &mut [Replica<'_>],
    clients: usize,
    turns: usize,
    kills: usize,
    ended: &AtomicUsize,
) -> u64 {
    let (dice, mut moved) = (Dice::new(4711), 0);
    let until = Instant::now() + LONG * 10;
    for kill in 0..kills {
        let part = clients * turns / (kills + 1);
        let at = part * kill + dice.index(part.max(1));
        while ended.load(Ordering::Acquire) < at {
            assert!(Instant::now() < until, "the turns do not go on");
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let index = dice.index(replicas.len());
        moved += connections(&replicas[index].server);
        if kill % 2 == 0 {
            replicas[index].kill()
        } else {
            replicas[index].lose()
        }
        // At times it is back at once. Else all clients are elsewhere first.
        if !dice.one_in(3) {
            let others = || replicas.iter().enumerate().filter(|(other, _)| *other != index);
            while others().map(|(_, replica)| connections(&replica.server)).sum::<u64>() < clients as u64 {
                assert!(Instant::now() < until, "clients of replica {index} do not come back");
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
        replicas[index].start_again();
    }
    moved
}

async fn check(clients: usize, turns: usize, kills: usize) {
    let Some(postgres) = server::Server::start() else { return };
    let Some(bouncer) = server::Bouncer::before(&postgres) else { return };
    let database = postgres.database();
    let migrated = Command::new(AGENT).args([&database.url(), "--migrate"]).status();
    assert!(migrated.expect("it starts").success());
    let url = bouncer.to(&database).url();
    let folder = tempfile::tempdir().expect("a folder");
    let tls = secrets(folder.path());
    let mut replicas = ["a", "b", "c"].map(|name| Replica::new(name, folder.path(), &url));
    let Some(nginx) = Nginx::start(folder.path(), replicas.iter().map(|replica| &*replica.server.address))
    else {
        return;
    };

    let ended = Arc::new(AtomicUsize::new(0));
    let mut sessions = Vec::new();
    for client in 0..clients {
        let remote = nginx.remote(if client % 2 == 0 { "wss" } else { "https" }, &tls);
        let again = Restart::times(100).max_delay(Duration::from_secs(1));
        let agent =
            acp_client::reconnecting(move || acp_client::connect(remote.clone()).initialize_timeout(LONG));
        let agent = agent.restart(again).await.expect("it connects");
        sessions.push(agent.new_session("/work").await.expect("a session"));
    }
    let mut talks = Vec::new();
    for (client, session) in sessions.iter().cloned().enumerate() {
        let ended = Arc::clone(&ended);
        talks.push(tokio::spawn(async move { talk(&session, client, turns, &ended).await }));
    }
    let moved = kill_at_random(&mut replicas, clients, turns, kills, &ended).await;
    assert!(moved > 0, "no session was on a replica that was killed");

    let mut lost = 0;
    for (client, (talk, session)) in talks.into_iter().zip(sessions).enumerate() {
        let said = talk.await.expect("it talks");
        session.agent().close().await;
        lost += said.iter().filter(|said| !said.is_whole).count();
        let scheme = if client % 2 == 0 { "https" } else { "wss" };
        compare(client, &said, stored(nginx.remote(scheme, &tls), &session).await);
    }
    let told = writeln!(
        std::io::stderr(),
        "{clients} clients, {kills} kills, {moved} sessions moved, {lost} turns lost on the way"
    );
    told.expect("it is written");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_go_on_with_the_same_database_when_their_replica_is_killed() {
    let is_full = std::env::var_os("ACP_TESTS").is_some_and(|tests| tests == "full");
    if is_full { check(200, 10, 12).await } else { check(12, 5, 3).await }
}
