//! nginx before replicas of `acp serve`, with the configuration of `docs/REMOTE.md`.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use acp_http::{Cookies, Remote, TlsOptions};

use super::{LONG, Server, acp};

/// Writes what nginx and its replicas need to the folder: a certificate and the tokens. Returns the
/// options of a client that trusts the certificate.
pub(super) fn secrets(folder: &Path) -> TlsOptions {
    let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).expect("made");
    fs::write(folder.join("cert.pem"), made.cert.pem()).expect("written");
    fs::write(folder.join("key.pem"), made.signing_key.serialize_pem()).expect("written");
    fs::write(folder.join("tokens"), "alice secret\n").expect("written");
    TlsOptions::new().root_certificates(made.cert.pem()).expect("it is PEM")
}

/// Prepares a replica at an address. The agent's command is missing.
pub(super) fn replica(address: &str, name: &str, folder: &Path) -> Command {
    let mut command = Command::new(acp());
    command.args(["serve", "--listen", address, "--replica", name, "--host", "127.0.0.1"]);
    command.args(["--proxy", "127.0.0.1", "--root", "/", "--token-file"]).arg(folder.join("tokens"));
    for limit in ["--connections-per-address", "--connections-per-principal"] {
        command.args([limit, "1000"]);
    }
    command
}

/// The part of the configuration within `http`, as the page has it.
fn configuration() -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/REMOTE.md");
    let page = fs::read_to_string(page).expect("the page");
    let block = page.split("```nginx\n").nth(1).and_then(|rest| rest.split("```").next());
    block.expect("a block of nginx").to_owned()
}

/// nginx, if this machine has it.
pub(super) struct Nginx {
    process: Child,
    port: u16,
}

impl Nginx {
    /// Starts it in front of these replicas, with the certificate that is in the folder. Only
    /// addresses and files differ from the page. Without nginx it says that the test is skipped.
    pub(super) fn start<'a>(folder: &Path, replicas: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        let program = ["nginx", "/usr/sbin/nginx"].into_iter().find(|program| {
            let version = Command::new(program).arg("-v").stderr(Stdio::null()).status();
            version.is_ok_and(|status| status.success())
        });
        let Some(program) = program else {
            let why = "skipped: there is no nginx on this machine (Debian: apt-get install nginx-light)";
            let _ = writeln!(std::io::stderr(), "{why}");
            return None;
        };
        let port = free_port();
        let mut inner = configuration();
        for (number, replica) in (1..).zip(replicas) {
            let page = format!("10.0.0.{number}:8080");
            assert!(inner.contains(&page), "the page has no {page}");
            inner = inner.replace(&page, replica);
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
            "pid {};\nerror_log {} info;\nevents {{ worker_connections 8192; }}\nhttp {{\naccess_log {};\n{folders}{inner}}}\n",
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
    pub(super) fn remote(&self, scheme: &str, tls: &TlsOptions) -> Remote {
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

/// Returns the number of connections of a replica.
pub(super) fn connections(replica: &Server) -> u64 {
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
