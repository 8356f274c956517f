//! `acp inspect`: the address of its page, its end, and the bytes that pass.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Command, Stdio};

use serde_json::{Value, json};

fn inspect(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_acp"));
    command.arg("inspect").args(words);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Starts a command, and returns it with its stderr behind the address, and the host and the token.
fn start(words: &[&str]) -> (Child, BufReader<ChildStderr>, String, String) {
    let mut process = inspect(words).spawn().expect("acp runs");
    let mut err = BufReader::new(process.stderr.take().expect("is piped"));
    let (host, token) = address(&mut err);
    (process, err, host, token)
}

/// A page that this test is let in to.
pub(crate) struct Page {
    host: String,
    cookie: String,
}

impl Page {
    /// Opens the page whose address the program says on stderr.
    pub(crate) fn open(err: &mut impl BufRead) -> Self {
        let (host, token) = address(err);
        let cookie = cookie(&host, &token);
        Self { host, cookie }
    }

    pub(crate) fn get(&self, path: &str) -> Value {
        let answer = self.text(path);
        serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{path}: {error}: {answer}"))
    }

    pub(crate) fn text(&self, path: &str) -> String {
        let answer = ask(&self.host, &format!("GET {path} HTTP/1.1\r\nCookie: {}\r\n", self.cookie), "");
        answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).expect("a body")
    }

    /// Acts as a person, and returns the answer.
    fn act(&self, act: &Value) -> String {
        let (host, cookie) = (&self.host, &self.cookie);
        let head = format!("POST /api/act HTTP/1.1\r\nOrigin: http://{host}\r\nCookie: {cookie}\r\n");
        ask(host, &head, &act.to_string())
    }

    fn does(&self, act: &Value) {
        let answer = self.act(act);
        assert!(answer.starts_with("HTTP/1.1 200"), "{act}: {answer}");
    }

    /// Waits for a row, and returns all rows.
    pub(crate) fn until_rows(&self, wanted: impl Fn(&Value) -> bool) -> Vec<Value> {
        self.until(|| {
            let rows = self.get("/api/rows?after=0&limit=500")["rows"].as_array().expect("rows").clone();
            rows.iter().any(&wanted).then_some(rows)
        })
    }

    /// Waits until there is an answer, which is looked for at each growth.
    fn until<T>(&self, mut look: impl FnMut() -> Option<T>) -> T {
        let mut stream = BufReader::new(TcpStream::connect(&self.host).expect("it listens"));
        let head =
            format!("GET /api/events HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\n\r\n", self.host, self.cookie);
        stream.get_mut().write_all(head.as_bytes()).expect("it reads");
        // There is an event at the beginning, and one for each growth.
        for line in stream.lines().map(|line| line.expect("text")) {
            if line.starts_with("data:")
                && let Some(found) = look()
            {
                return found;
            }
        }
        panic!("it does not come")
    }
}

/// Reads the host and the token of the address that the program says.
fn address(err: &mut impl BufRead) -> (String, String) {
    let mut line = String::new();
    err.read_line(&mut line).expect("an address");
    let address = line.trim().strip_prefix("acp: open http://").unwrap_or_else(|| panic!("{line}"));
    let (host, token) = address.split_once("/#token=").expect("a token");
    (host.to_owned(), token.to_owned())
}

fn ask(host: &str, head: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(host).expect("it listens");
    let length = body.len();
    let request =
        format!("{head}Host: {host}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}");
    stream.write_all(request.as_bytes()).expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    answer
}

fn cookie(host: &str, token: &str) -> String {
    let head = format!("POST /login HTTP/1.1\r\nOrigin: http://{host}\r\n");
    let answer = ask(host, &head, &format!("{{\"token\":\"{token}\"}}"));
    let cookie = answer.lines().find_map(|line| line.strip_prefix("set-cookie: "));
    cookie.and_then(|cookie| cookie.split(';').next()).unwrap_or_else(|| panic!("{answer}")).to_owned()
}

#[test]
fn a_recording_is_shown_until_ctrl_c() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("r.ndjson");
    let record = "{\"time\":1,\"direction\":\"out\",\"kind\":\"request\",\"method\":\"initialize\",\"id\":0,\"bytes\":46,\
                  \"body\":{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\"}}\n";
    fs::write(&file, record).expect("is written");
    let (mut process, mut err, host, token) = start(&[file.to_str().expect("text")]);
    let cookie = cookie(&host, &token);
    let state = ask(&host, &format!("GET /api/state HTTP/1.1\r\nCookie: {cookie}\r\n"), "");
    assert!(state.contains("\"source\":\"recording\"") && state.contains("r.ndjson"), "{state}");
    let pid = rustix::process::Pid::from_child(&process);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("it is there");
    assert_eq!(process.wait().expect("it ends").code(), Some(130));
    let mut rest = String::new();
    err.read_to_string(&mut rest).expect("text");
    assert_eq!(rest, "", "one address is all that it says");
}

#[test]
fn bytes_pass_unchanged_and_are_shown() {
    let input = b"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\"}\r\n\xff\xfe\nplain\n";
    let script = "head -c 57; read go; exit 7";
    let (mut process, mut err, host, token) = start(&["--", "sh", "-c", script]);
    let mut stdin = process.stdin.take().expect("is piped");
    stdin.write_all(input).expect("it reads");
    let mut out = BufReader::new(process.stdout.take().expect("is piped"));
    let mut echoed = vec![0; input.len()];
    out.read_exact(&mut echoed).expect("the bytes come back");
    assert_eq!(echoed, input);
    let cookie = cookie(&host, &token);
    let events = {
        let mut stream = BufReader::new(TcpStream::connect(&host).expect("it listens"));
        let head = format!("GET /api/events HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n\r\n");
        stream.get_mut().write_all(head.as_bytes()).expect("it reads");
        stream.lines().map(|line| line.expect("text")).find(|line| line.contains("\"messages\":6"))
    };
    assert!(events.is_some(), "three lines of each side");
    stdin.write_all(b"go\n").expect("it reads");
    assert_eq!(process.wait().expect("it ends").code(), Some(7));
    let mut rest = String::new();
    err.read_to_string(&mut rest).expect("text");
    assert_eq!(rest, "");
}

#[test]
fn a_recording_that_is_not_there_is_named() {
    let output = inspect(&["/nonexistent/r.ndjson"]).output().expect("acp runs");
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.starts_with("acp: `/nonexistent/r.ndjson` cannot be shown: "), "{said}");
}

#[test]
fn with_drive_the_page_is_the_client_until_ctrl_c() {
    // The agent says what it has read, as a notification.
    let script = r#"while read -r line; do case $line in *initialize*) echo '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}';;
        *_hello*) echo '{"jsonrpc":"2.0","method":"_heard"}'; echo "this is stderr" >&2;; *_end*) exit 3;; esac; done"#;
    let (mut process, mut err, host, token) = start(&["--drive", "--", "sh", "-c", script]);
    let cookie = cookie(&host, &token);
    let act = |act: &str| {
        let head = format!("POST /api/act HTTP/1.1\r\nOrigin: http://{host}\r\nCookie: {cookie}\r\n");
        ask(&host, &head, act)
    };
    assert!(act(r#"{"act":"send","text":"{\"method\":\"_hello\"}"}"#).starts_with("HTTP/1.1 200"));
    let mut line = String::new();
    err.read_line(&mut line).expect("text");
    assert!(line.contains("this is stderr"), "{line}");
    assert!(act(r#"{"act":"send","text":"{\"method\":\"_end\"}"}"#).starts_with("HTTP/1.1 200"));
    let mut line = String::new();
    err.read_line(&mut line).expect("text");
    assert_eq!(line, "acp: the agent has ended. The page stays until Ctrl-C\n");
    // All of it can still be read.
    let mut stream = BufReader::new(TcpStream::connect(&host).expect("it listens"));
    let head = format!("GET /api/events HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n\r\n");
    stream.get_mut().write_all(head.as_bytes()).expect("it reads");
    let mut events = stream.lines().map(|line| line.expect("text"));
    assert!(events.any(|line| line.contains("\"ended\":true") && line.contains("\"messages\":5")));
    let answer = act(r#"{"act":"open"}"#);
    assert!(answer.starts_with("HTTP/1.1 409") && answer.contains("the agent has ended"), "{answer}");
    let pid = rustix::process::Pid::from_child(&process);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("it is there");
    assert_eq!(process.wait().expect("it ends").code(), Some(130));
    assert_eq!(process.stdout.take().map(|mut out| out.read_to_end(&mut Vec::new()).unwrap()), Some(0));
}

/// Waits for the answer to a request, and returns its row.
fn answered(page: &Page, method: &str) -> Value {
    let is_answer = |row: &Value| row["kind"] == "response" && row["method"] == method;
    page.until_rows(is_answer).into_iter().find(is_answer).expect("it has come")
}

#[test]
fn turns_are_driven_in_the_version_that_is_asked_for() {
    let acp = env!("CARGO_BIN_EXE_acp");
    let first = [acp, "bridge", "--to", "2", "--", acp, "demo-agent"];
    for (options, agent, version) in [
        (&[][..], &[acp, "demo-agent"][..], 1),
        (&["--protocol", "1"], &[acp, "demo-agent"], 1),
        (&["--protocol", "2"], &[acp, "demo-agent"], 2),
        (&["--protocol", "auto"], &[acp, "demo-agent"], 2),
        (&["--protocol", "1"], &first, 1),
    ] {
        let mut process =
            inspect(&[&["--drive"], options, &["--"], agent].concat()).spawn().expect("acp runs");
        let mut err = BufReader::new(process.stderr.take().expect("is piped"));
        let page = Page::open(&mut err);
        answered(&page, "initialize");
        assert_eq!(page.get("/api/state")["version"], version, "{options:?}");
        page.does(&json!({"act":"open"}));
        let session = answered(&page, "session/new")["session"].as_str().expect("an id").to_owned();
        page.does(&json!({"act":"prompt","session":session,"text":"Hello"}));
        let items = page.until(|| {
            let items = page.get(&format!("/api/sessions/{session}?after=0"))["items"].take();
            let has_end = items.as_array().expect("a list").iter().any(|item| item["kind"] == "end");
            has_end.then_some(items)
        });
        let said = ["user", "agent", "end"].map(|kind| {
            let mut of_kind = items.as_array().expect("a list").iter().filter(|item| item["kind"] == kind);
            let (first, second) = (of_kind.next(), of_kind.next());
            assert!(second.is_none(), "{kind} is said once: {items}");
            first.map(|item| item["text"].as_str().unwrap_or_default().to_owned()).unwrap_or_default()
        });
        assert_eq!([&said[0], &said[2]], ["Hello", "end_turn"], "{items}");
        assert!(said[1].starts_with("Say what to change"), "{items}");
        // Nothing of it breaks a rule.
        for row in page.until_rows(|_| true) {
            assert_eq!(row["marks"], json!([]), "{row}");
        }
        let pid = rustix::process::Pid::from_child(&process);
        rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("it is there");
        assert_eq!(process.wait().expect("it ends").code(), Some(130));
    }
}

#[test]
fn an_agent_of_another_version_than_the_one_asked_for_gets_no_session() {
    let script =
        r#"read -r line; echo '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}'; read -r line"#;
    let words = ["--drive", "--protocol", "2", "--", "sh", "-c", script];
    let mut process = inspect(&words).spawn().expect("acp runs");
    let mut err = BufReader::new(process.stderr.take().expect("is piped"));
    let page = Page::open(&mut err);
    answered(&page, "initialize");
    let answer = page.act(&json!({"act":"open"}));
    assert!(answer.starts_with("HTTP/1.1 409") && answer.contains("speaks version 1"), "{answer}");
    let pid = rustix::process::Pid::from_child(&process);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("it is there");
    assert_eq!(process.wait().expect("it ends").code(), Some(130));
}

#[test]
fn an_agent_that_is_driven_ends_with_the_page() {
    let script = "read -r line; echo \"pid $$\" >&2; read -r line; read -r line";
    let (mut process, mut err, _host, _token) = start(&["--drive", "--", "sh", "-c", script]);
    let mut line = String::new();
    err.read_line(&mut line).expect("text");
    assert!(line.contains("pid "), "{line}");
    let pid = rustix::process::Pid::from_child(&process);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("it is there");
    assert_eq!(process.wait().expect("it ends").code(), Some(130));
    let agent = line.rsplit(' ').next().and_then(|pid| pid.trim().parse().ok()).expect("a number");
    let agent = rustix::process::Pid::from_raw(agent).expect("a process");
    assert!(rustix::process::test_kill_process(agent).is_err(), "it is gone");
}
