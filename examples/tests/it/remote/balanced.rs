//! Three replicas of `acp serve` behind nginx, with the configuration of `docs/REMOTE.md`.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use acp_client::{ReconnectingAgent, ReconnectingSession, Restart};
use acp_http::{Cookies, Remote, TlsOptions};

use super::{Server, acp};

/// The longest time that the test waits for an event.
const LONG: Duration = Duration::from_secs(60);
const NAMES: [&str; 3] = ["a", "b", "c"];

/// The part of the configuration within `http`, as the page has it.
fn configuration() -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/REMOTE.md");
    let page = fs::read_to_string(page).expect("the page");
    let block = page.split("```nginx\n").nth(1).and_then(|rest| rest.split("```").next());
    block.expect("a block of nginx").to_owned()
}

/// nginx, if this machine has it.
struct Nginx {
    process: Child,
    port: u16,
}

impl Nginx {
    /// Starts it in front of these replicas, with the certificate that is in the folder. Only
    /// addresses and files differ from the page.
    fn start(folder: &Path, replicas: &[Server]) -> Option<Self> {
        let program = ["nginx", "/usr/sbin/nginx"].into_iter().find(|program| {
            Command::new(program)
                .arg("-v")
                .stderr(Stdio::null())
                .status()
                .is_ok_and(|status| status.success())
        })?;
        let port = free_port();
        let mut inner = configuration();
        for (number, replica) in (1..).zip(replicas) {
            let page = format!("10.0.0.{number}:8080");
            assert!(inner.contains(&page), "the page has no {page}");
            inner = inner.replace(&page, &replica.address);
        }
        let at = |name: &str| folder.join(name).display().to_string();
        for (of_page, here) in [
            ("listen 443 ssl;", format!("listen 127.0.0.1:{port} ssl;")),
            ("/etc/nginx/agents.example.pem", at("cert.pem")),
            ("/etc/nginx/agents.example.key", at("key.pem")),
        ] {
            assert!(inner.contains(of_page), "the page has no {of_page}");
            inner = inner.replace(of_page, &here);
        }
        let kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
        let folders: String = kinds.map(|kind| format!("{kind}_temp_path {};\n", at(kind))).concat();
        let whole = format!(
            "pid {};\nerror_log {} info;\nevents {{}}\nhttp {{\naccess_log {};\n{folders}{inner}}}\n",
            at("nginx.pid"),
            at("error.log"),
            at("access.log"),
        );
        fs::write(folder.join("nginx.conf"), whole).expect("written");
        let process = Command::new(program)
            .args(["-g", "daemon off; master_process off;", "-c", &at("nginx.conf"), "-p", &at("")])
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("nginx starts");
        let nginx = Self { process, port };
        let until = Instant::now() + LONG;
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            let log = fs::read_to_string(at("error.log")).unwrap_or_default();
            assert!(Instant::now() < until, "nginx does not listen: {log}");
        }
        Some(nginx)
    }

    /// A way to the replicas, without a cookie yet.
    fn remote(&self, scheme: &str, tls: &TlsOptions) -> Remote {
        let url = format!("{scheme}://127.0.0.1:{}/acp", self.port);
        let remote = if scheme == "wss" { acp_http::ws(url) } else { acp_http::http(url) };
        remote.tls(tls.clone()).bearer("secret").cookies(&Cookies::new())
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

/// Starts a replica at an address.
fn replica(address: &str, name: &str, folder: &Path) -> Server {
    let mut command = Command::new(acp());
    command.args(["serve", "--listen", address, "--replica", name, "--host", "127.0.0.1"]);
    command.args(["--proxy", "127.0.0.1", "--connections-per-address", "100", "--root", "/", "--token-file"]);
    command.arg(folder.join("tokens")).arg("--").arg(env!("CARGO_BIN_EXE_persistent_agent"));
    Server::start(command.arg(folder.join("sessions")))
}

/// Returns the number of connections of a replica.
fn connections(replica: &Server) -> u64 {
    let metrics = metrics(&replica.address);
    let value = metrics.lines().find_map(|line| line.strip_prefix("acp_connections ")?.parse().ok());
    value.unwrap_or_else(|| panic!("{metrics}"))
}

fn metrics(address: &str) -> String {
    let mut socket = std::net::TcpStream::connect(address).expect("it listens");
    let request = "GET /metrics HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer secret\r\nconnection: close\r\n\r\n";
    socket.write_all(request.as_bytes()).expect("is written");
    let mut answer = String::new();
    socket.read_to_string(&mut answer).expect("is read");
    answer
}

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
    let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).expect("made");
    fs::write(folder.join("cert.pem"), made.cert.pem()).expect("written");
    fs::write(folder.join("key.pem"), made.signing_key.serialize_pem()).expect("written");
    fs::write(folder.join("tokens"), "alice secret\n").expect("written");
    let tls = TlsOptions::new().root_certificates(made.cert.pem()).expect("it is PEM");
    let mut replicas: Vec<Server> = NAMES.iter().map(|name| replica("127.0.0.1:0", name, folder)).collect();
    let Some(nginx) = Nginx::start(folder, &replicas) else {
        let why = "skipped: there is no nginx on this machine (Debian: apt-get install nginx-light)";
        let _ = writeln!(std::io::stderr(), "{why}");
        return;
    };

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
