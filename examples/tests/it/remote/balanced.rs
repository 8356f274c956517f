//! Three replicas of `acp serve` behind nginx, with the configuration of `docs/REMOTE.md`.

use std::time::{Duration, Instant};

use acp_client::{ReconnectingAgent, ReconnectingSession, Restart};
use acp_http::TlsOptions;

use super::nginx::{Nginx, connections, replica, secrets};
use super::{LONG, Server};

const NAMES: [&str; 3] = ["a", "b", "c"];

async fn said(session: &ReconnectingSession, prompt: &str) -> Result<String, acp_client::Error> {
    let mut turn = session.prompt(prompt).await?;
    let mut said = String::new();
    while let Some(event) = turn.next().await {
        said.extend(event.text());
    }
    turn.finish().await?;
    Ok(said)
}

/// Sends a prompt until its turn is not lost with a replica.
async fn insist(session: &ReconnectingSession, prompt: &str) -> String {
    let mut lost = 0;
    loop {
        let said = tokio::time::timeout(LONG, said(session, prompt)).await.expect("it hangs");
        match said {
            Ok(said) => return said,
            // It may learn of the loss by this prompt.
            Err(acp_client::Error::Closed { .. }) if lost < 3 => lost += 1,
            Err(error) => panic!("{error}"),
        }
    }
}

/// A client that connects again comes to the same replica. Others come to the next ones.
async fn comes_back_by_its_cookie(nginx: &Nginx, tls: &TlsOptions, replicas: &[Server]) {
    for scheme in ["wss", "https"] {
        let remote = nginx.remote(scheme, tls);
        let mut agents = Vec::new();
        for _ in 0..4 {
            let connect = acp_client::connect(remote.clone()).initialize_timeout(LONG);
            agents.push(connect.await.expect("it connects"));
        }
        let mut taken: Vec<u64> = replicas.iter().map(connections).collect();
        taken.sort_unstable();
        assert_eq!(taken, [0, 0, 4], "{scheme}");
        for agent in agents {
            agent.close().await;
        }
        let until = Instant::now() + LONG;
        while replicas.iter().map(connections).sum::<u64>() > 0 {
            assert!(Instant::now() < until, "agents end with their connections");
        }
    }
}

#[tokio::test]
async fn clients_go_on_when_a_replica_is_killed() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let tls = secrets(folder);
    let start = |name: &&str| {
        let mut replica = replica("127.0.0.1:0", name, folder);
        replica.arg("--").arg(env!("CARGO_BIN_EXE_persistent_agent"));
        Server::start(replica.arg(folder.join("sessions")))
    };
    let mut replicas: Vec<Server> = NAMES.iter().map(start).collect();
    let Some(nginx) = Nginx::start(folder, replicas.iter().map(|replica| &*replica.address)) else { return };

    comes_back_by_its_cookie(&nginx, &tls, &replicas).await;
    // Six clients, on all replicas, over both ways.
    let mut clients: Vec<(ReconnectingAgent, ReconnectingSession)> = Vec::new();
    for number in 0..6 {
        let remote = nginx.remote(if number % 2 == 0 { "wss" } else { "https" }, &tls);
        let agent = acp_client::reconnecting(move || acp_client::connect(remote.clone()))
            // The agents of a replica that is killed leave their sessions a moment later.
            .restart(Restart::times(3).first_delay(Duration::from_secs(1)))
            .await
            .expect("it connects");
        let session = agent.new_session("/work").await.expect("a session");
        // Messages of a connection over HTTP find its replica again and again.
        for note in ["one", "two"] {
            let text = format!("{note} of {number}");
            let said = tokio::time::timeout(LONG, said(&session, &text)).await;
            said.expect("it hangs").expect("a turn");
        }
        clients.push((agent, session));
    }
    let taken: Vec<u64> = replicas.iter().map(connections).collect();
    assert_eq!(taken.iter().sum::<u64>(), 6, "{taken:?}");
    assert!(taken.iter().all(|count| *count == 2), "each has its share: {taken:?}");

    // One replica after the other is killed.
    for number in 0..2 {
        let counts: Vec<u64> = replicas.iter().map(connections).collect();
        assert!(counts[0] > 0, "{counts:?}");
        let mut killed = replicas.remove(0);
        killed.kill();
        let left: u64 = replicas.iter().map(connections).sum();
        assert!(left >= counts[1..].iter().sum(), "it costs its own connections only: {counts:?}, {left}");
        for (client, (_, session)) in clients.iter().enumerate() {
            // The session knows all that was said before, wherever it is now.
            let known = insist(session, "What do you know?").await;
            let notes = format!("one of {client}\ntwo of {client}");
            assert!(known.starts_with(&notes), "after {number}: {known}");
        }
        let left: u64 = replicas.iter().map(connections).sum();
        assert_eq!(left, 6, "all are back");
    }
    for (agent, _) in clients {
        agent.close().await;
    }
}
