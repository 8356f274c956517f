//! A page in headless Chromium that drives our server: over WebSocket with a ticket, and over HTTP
//! with a token. The page comes from a server of this file, to which it reports.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use anyhow::Context as _;
use serde_json::{Map, Value};

use super::peers::Sdk;
use crate::interop::layout::Layout;
use crate::interop::print::print;
use crate::interop::process::Group;
use crate::interop::serving::Serving;

pub(super) const LINE: &str = "a page in Chromium -> ours";

const LIMIT: Duration = Duration::from_secs(90);

/// Any text does: it is known to the page and to the server.
const TOKEN: &str = "token-of-the-page";

/// The names under which Chromium is installed.
const PROGRAMS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// The result of the cases of the page.
pub(super) struct Found {
    /// The browser, or the reason why there is none.
    browser: Result<String, String>,
    /// Each case, and the reason why it failed.
    cases: Vec<(String, Option<String>)>,
}

impl Found {
    pub(super) fn not_run() -> Self {
        Self { browser: Err("it was left out".to_owned()), cases: Vec::new() }
    }

    /// Prints what came of it, and returns the failures.
    pub(super) fn told(&self) -> anyhow::Result<Vec<String>> {
        let browser = match &self.browser {
            Ok(browser) => browser,
            Err(reason) => {
                print(&format!("skip  {LINE}: {reason}"))?;
                return Ok(Vec::new());
            }
        };
        let mut failed = Vec::new();
        for (case, why) in &self.cases {
            match why {
                None => print(&format!("ok    {LINE}: {case}  ({browser})"))?,
                Some(why) => {
                    print(&format!("FAIL  {LINE}: {case}: {why}"))?;
                    failed.push(format!("{LINE}: {case}: {why}"));
                }
            }
        }
        Ok(failed)
    }

    pub(super) fn paragraph(&self) -> String {
        match &self.browser {
            Err(reason) => format!("A page in Chromium was not tried: {reason}.\n"),
            Ok(browser) => {
                let cell = |(case, failed): &(String, Option<String>)| match failed {
                    None => case.clone(),
                    Some(why) => format!("**{case} fails: {why}**"),
                };
                let cases: Vec<_> = self.cases.iter().map(cell).collect();
                format!("A page in {browser} drives our server: {}.\n", cases.join(", "))
            }
        }
    }
}

/// Opens the page, and waits for its report.
pub(super) fn run(layout: &Layout) -> anyhow::Result<Found> {
    let Some((program, version)) = PROGRAMS.into_iter().find_map(version) else {
        let reason = format!("none of {} is installed", PROGRAMS.join(", "));
        return Ok(Found { browser: Err(reason), cases: Vec::new() });
    };
    Sdk::Ours.install(layout)?;
    let logs = layout.installed("logs/remote/browser");
    fs::create_dir_all(&logs)?;
    let pages = TcpListener::bind("127.0.0.1:0").context("cannot listen on the loopback device")?;
    let origin = format!("http://{}", pages.local_addr()?);
    let mut server = Sdk::Ours.server(layout);
    server.args(["--origin", &origin, "--token", TOKEN]);
    let server = Serving::start(server, &logs.join("server"))?;
    let page = fs::read_to_string(layout.sources("browser").join("page.html"))?;
    let page = page.replace("{{agent}}", &format!("http://{}", server.address())).replace("{{token}}", TOKEN);
    let (reports, reported) = mpsc::channel();
    thread::spawn(move || {
        for socket in pages.incoming().map_while(Result::ok) {
            // A browser opens sockets that it does not use.
            let (page, reports) = (page.clone(), reports.clone());
            thread::spawn(move || serve(socket, &page, &reports));
        }
    });
    let profile = tempfile::tempdir()?;
    let mut browser = start(program, profile.path(), &origin, &logs)?;
    let report = reported.recv_timeout(LIMIT);
    Group(browser.id()).signal("KILL");
    browser.wait().ok();
    let cases = match report {
        Err(_) => vec![("the page".to_owned(), Some("it does not report".to_owned()))],
        Ok(report) => {
            let report: Map<String, Value> = serde_json::from_str(&report)?;
            report.into_iter().map(|(case, found)| (case, failure(&found))).collect()
        }
    };
    Ok(Found { browser: Ok(version), cases })
}

fn failure(found: &Value) -> Option<String> {
    let found = found.as_str().unwrap_or("it is not reported");
    (found != "ok").then(|| found.to_owned())
}

/// Returns the first line that a browser says about itself.
fn version(program: &'static str) -> Option<(&'static str, String)> {
    let output = Command::new(program).arg("--version").stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let words: Vec<&str> = text.lines().next()?.split_whitespace().take(2).collect();
    output.status.success().then(|| (program, words.join(" ")))
}

fn start(program: &str, profile: &Path, url: &str, logs: &Path) -> anyhow::Result<std::process::Child> {
    let mut browser = Command::new(program);
    browser.args([
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
    ]);
    browser.arg(format!("--user-data-dir={}", profile.display()));
    // It stays until it is ended, because it can be debugged.
    browser.arg("--remote-debugging-port=0").arg(url);
    browser.stdin(Stdio::null()).stdout(Stdio::null()).stderr(fs::File::create(logs.join("stderr.txt"))?);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut browser, 0);
    browser.spawn().with_context(|| format!("cannot start `{program}`"))
}

/// Answers a request of the browser: the page, or its report.
fn serve(mut socket: TcpStream, page: &str, reports: &mpsc::Sender<String>) -> Option<()> {
    let mut reader = BufReader::new(socket.try_clone().ok()?);
    let mut first = String::new();
    reader.read_line(&mut first).ok()?;
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        match line.trim_end().split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.trim().parse().ok()?;
            }
            Some(_) => {}
            None => break,
        }
    }
    let mut words = first.split_whitespace();
    let (status, body) = match (words.next()?, words.next()?) {
        ("GET", "/") => ("200 OK", page),
        ("POST", "/report") => {
            let mut report = vec![0; length];
            reader.read_exact(&mut report).ok()?;
            reports.send(String::from_utf8(report).ok()?).ok()?;
            ("200 OK", "")
        }
        _ => ("404 Not Found", ""),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    socket.write_all(head.as_bytes()).ok()?;
    socket.write_all(body.as_bytes()).ok()
}
