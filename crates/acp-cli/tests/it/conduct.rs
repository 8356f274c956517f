//! `acp conduct`: chains of this program's own commands.

use std::fs;
use std::io::Write as _;
use std::process::{Command, Output, Stdio};

const ACP: &str = env!("CARGO_BIN_EXE_acp");

fn acp(args: &[&str]) -> Output {
    Command::new(ACP).args(args).stdin(Stdio::null()).output().expect("acp runs")
}

/// Runs `acp` with lines on its stdin, which then ends.
fn fed(args: &[&str], lines: &[&str]) -> Output {
    let mut child = Command::new(ACP)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("acp runs");
    let mut stdin = child.stdin.take().expect("is piped");
    for line in lines {
        writeln!(stdin, "{line}").expect("acp reads");
    }
    drop(stdin);
    child.wait_with_output().expect("it ends")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

const PASS: [&str; 3] = [ACP, "conduct", "--as-proxy"];

#[test]
fn a_prompt_goes_through_a_chain() {
    let alone = acp(&["prompt", "hello", "--allow", "reject", "--", ACP, "demo-agent"]);
    assert!(alone.status.success(), "{}", text(&alone.stderr));
    let chain = [&[ACP, "conduct"][..], &PASS, &["--"], &PASS, &["--", ACP, "demo-agent"]].concat();
    let prompt = ["prompt", "hello", "--allow", "reject", "--"];
    let through = acp(&[&prompt[..], &chain].concat());
    assert!(through.status.success(), "{}", text(&through.stderr));
    assert_eq!(text(&through.stdout), text(&alone.stdout));
}

#[test]
fn a_chain_of_a_file_has_an_audit_and_a_policy() {
    let folder = tempfile::tempdir().expect("a folder");
    let audit = folder.path().join("audit");
    let file = folder.path().join("chain.toml");
    let rules = r#"rules = [{ verdict = "deny", reason = "no one knows why" }]"#;
    let text_of_file = format!(
        "[[proxy]]\naudit = {audit:?}\n[[proxy]]\n{rules}\n[[proxy]]\nname = \"pass\"\n\
         command = [{ACP:?}, \"conduct\", \"--as-proxy\"]\npolicy = \"optional\"\n\
         [agent]\ncommand = [{ACP:?}, \"demo-agent\"]\n"
    );
    fs::write(&file, text_of_file).expect("written");
    let file = file.to_str().expect("UTF-8");
    fs::write(folder.path().join("notes.txt"), "old").expect("written");
    let prompt = "Replace `old` with `new` in notes.txt";
    let cwd = folder.path().to_str().expect("UTF-8");
    let run = acp(&["prompt", prompt, "--cwd", cwd, "--allow", "once", "--", ACP, "conduct", "--file", file]);
    assert_eq!(
        fs::read_to_string(folder.path().join("notes.txt")).expect("read"),
        "old",
        "{}",
        text(&run.stdout)
    );
    let files: Vec<_> = fs::read_dir(&audit).expect("a folder").flatten().collect();
    assert_eq!(files.len(), 1);
    let verified = acp_proxy::Audit::verify(&files[0].path()).expect("not changed");
    // The command may be killed before its last line, once `acp prompt` has its answer.
    assert!(verified.records > 5, "{verified:?}");
    let record = fs::read_to_string(files[0].path()).expect("read");
    assert!(record.contains("\"verdict\":\"deny\"") && record.contains("no one knows why"), "{record}");
}

/// Decisions stand in the audit that is before the policy: that of the file if it has one.
#[test]
fn decisions_of_a_file_stand_in_the_audit_of_the_command() {
    for has_own in [false, true] {
        let folder = tempfile::tempdir().expect("a folder");
        let [outer, inner, file] = ["outer", "inner", "chain.toml"].map(|name| folder.path().join(name));
        let own = if has_own { format!("[[proxy]]\naudit = {inner:?}\n") } else { String::new() };
        let rules = r#"[[proxy]]
            rules = [{ verdict = "deny", reason = "no one knows why" }]"#;
        let agent = format!("[agent]\ncommand = [{ACP:?}, \"demo-agent\"]\n");
        fs::write(&file, format!("{own}{rules}\n{agent}")).expect("written");
        fs::write(folder.path().join("notes.txt"), "old").expect("written");
        let [cwd, outer, inner, file] =
            [folder.path(), &outer, &inner, &file].map(|path| path.to_str().expect("UTF-8"));
        let prompt =
            ["prompt", "Replace `old` with `new` in notes.txt", "--cwd", cwd, "--allow", "once", "--"];
        let chain = [ACP, "conduct", "--audit", outer, "--file", file];
        let run = acp(&[&prompt[..], &chain].concat());
        let decisions = |folder: &str| {
            let files: Vec<_> = fs::read_dir(folder).expect("a folder").flatten().collect();
            assert_eq!(files.len(), 1);
            let record = fs::read_to_string(files[0].path()).expect("read");
            record.matches("\"verdict\":\"deny\"").count()
        };
        let told = text(&run.stderr);
        assert_eq!(decisions(outer) > 0, !has_own, "{told}");
        assert!(!has_own || decisions(inner) > 0, "{told}");
    }
}

#[test]
fn a_component_that_cannot_be_started_is_named() {
    let line = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}"#;
    let run = fed(&["conduct", "/nonexistent/proxy", "--", ACP, "demo-agent"], &[line]);
    let answer = text(&run.stdout);
    assert!(answer.contains("-32603") && answer.contains("the proxy `proxy` failed"), "{answer}");
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
}

#[test]
fn a_component_that_ends_ends_the_command() {
    let script = r#"read -r line
        printf '%s\n' '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}'
        read -r line
        echo "that was it" >&2
        exit 3"#;
    let lines = [
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/new","params":{}}"#,
    ];
    let mut child = Command::new(ACP)
        .args(["conduct", "sh", "-c", script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("acp runs");
    let mut stdin = child.stdin.take().expect("is piped");
    for line in lines {
        writeln!(stdin, "{line}").expect("acp reads");
    }
    // Its stdin stays open: the agent ends first.
    let run = child.wait_with_output().expect("it ends");
    drop(stdin);
    assert_eq!(run.status.code(), Some(1));
    assert!(text(&run.stdout).contains(r#""id":2,"error""#), "{}", text(&run.stdout));
    let said = text(&run.stderr);
    assert!(said.contains("the agent `sh` failed") && said.contains("status 3"), "{said}");
    assert!(said.contains("that was it"), "{said}");
}

#[test]
fn a_file_with_a_mistake_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("chain.toml");
    fs::write(&file, "[agent]\n").expect("written");
    let run = acp(&["conduct", "--file", file.to_str().expect("UTF-8")]);
    assert_eq!(run.status.code(), Some(1));
    assert!(text(&run.stderr).contains("`command` of `agent` is missing"), "{}", text(&run.stderr));
}

/// A shim that no agent has started says what to do.
#[test]
fn a_shim_without_its_environment_says_what_to_do() {
    let run = acp(&["mcp-shim"]);
    assert_eq!(run.status.code(), Some(2));
    let told = text(&run.stderr);
    assert!(told.contains("start `acp conduct PROXY -- AGENT` instead"), "{told}");
    assert_eq!(text(&run.stdout), "");
}

/// With an address and without a token, too. A conductor that is not there is named as such.
#[test]
fn a_shim_that_reaches_nobody_says_so() {
    for (token, wants) in
        [(None, "`ACP_MCP_SHIM_TOKEN` is missing"), (Some("x"), "the conductor cannot be reached")]
    {
        let mut command = Command::new(ACP);
        command.arg("mcp-shim").env("ACP_MCP_SHIM", "tcp:127.0.0.1:1").stdin(Stdio::null());
        if let Some(token) = token {
            command.env("ACP_MCP_SHIM_TOKEN", token);
        }
        let run = command.output().expect("acp runs");
        assert_eq!(run.status.code(), Some(1));
        assert!(text(&run.stderr).contains(wants), "{}", text(&run.stderr));
    }
}

/// A client of a program that speaks on its stdio.
#[cfg(all(unix, feature = "inspect"))]
struct Talk {
    stdin: std::process::ChildStdin,
    lines: std::io::Lines<std::io::BufReader<std::process::ChildStdout>>,
}

#[cfg(all(unix, feature = "inspect"))]
impl Talk {
    fn ask(&mut self, id: u32, method: &str, params: &serde_json::Value) -> serde_json::Value {
        let request = serde_json::json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        writeln!(self.stdin, "{request}").expect("it reads");
        loop {
            let line = self.lines.next().expect("it answers").expect("text");
            let mut message: serde_json::Value = serde_json::from_str(&line).expect("JSON");
            if message["id"] == id && message.get("method").is_none() {
                return message["result"].take();
            }
        }
    }
}

/// The page has a lane for each component with a connection, and each message stands on its own
/// connection. Sessions, counts, rules and exports are those of the client.
#[cfg(all(unix, feature = "inspect"))]
#[test]
fn a_chain_is_shown_with_its_components() {
    use std::io::{BufRead as _, BufReader};

    use serde_json::{Value, json};

    let args =
        [&["conduct", "--inspect"][..], &PASS[..], &["--"], &PASS, &["--", ACP, "demo-agent"]].concat();
    let mut command = Command::new(ACP);
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut process = command.spawn().expect("acp runs");
    let page = crate::inspect::Page::open(&mut BufReader::new(process.stderr.take().expect("is piped")));
    let stdin = process.stdin.take().expect("is piped");
    let lines = BufReader::new(process.stdout.take().expect("is piped")).lines();
    let mut talk = Talk { stdin, lines };
    let info = json!({"name": "test", "version": "1"});
    talk.ask(0, "initialize", &json!({"protocolVersion": 1, "clientInfo": info, "clientCapabilities": {}}));
    let folder = tempfile::tempdir().expect("a folder");
    let open = json!({"cwd": folder.path(), "mcpServers": []});
    let session = talk.ask(1, "session/new", &open)["sessionId"].clone();
    let text = json!([{"type": "text", "text": "hello"}]);
    talk.ask(2, "session/prompt", &json!({"sessionId": session, "prompt": text}));
    // Its answer has passed five connections when it is here.
    let rows = page.until_rows(|row| row["to"] == "client" && row["id"] == "2");
    assert_eq!(page.get("/api/state")["lanes"], json!(["client", "conductor", "acp", "acp 2", "acp 3"]));
    let between = |from: &str, to: &str| -> Vec<&str> {
        let rows =
            rows.iter().filter(|row| row["from"] == from && row["to"] == to && row["kind"] == "request");
        rows.filter_map(|row| row["method"].as_str()).collect()
    };
    let asked = ["session/new", "session/prompt"];
    assert_eq!(between("client", "conductor"), ["initialize", asked[0], asked[1]]);
    assert_eq!(between("conductor", "acp"), ["proxy/initialize", asked[0], asked[1]]);
    assert_eq!(between("acp", "conductor"), ["proxy/successor"; 3]);
    assert_eq!(between("conductor", "acp 3"), ["initialize", asked[0], asked[1]]);
    for row in rows.iter().filter(|row| row["kind"] == "response") {
        let pair = rows.iter().find(|asked| asked["seq"] == row["pair"]).expect("its request");
        assert_eq!((&pair["from"], &pair["to"]), (&row["to"], &row["from"]), "{row}");
    }
    // The messages of the client are counted once.
    let counted = page.get("/api/statistics")["methods"].as_array().expect("methods").clone();
    let prompts = counted.iter().find(|line| line["method"] == "session/prompt").expect("a line");
    assert_eq!(prompts["count"], 1);
    assert!(counted.iter().all(|line| line["method"] != "proxy/successor"));
    let sessions = page.get("/api/sessions");
    assert_eq!((&sessions[0]["id"], &sessions[0]["turns"]), (&session, &json!(1)));
    let items = page.get(&format!("/api/sessions/{}", session.as_str().expect("text")))["items"].clone();
    let said: Vec<&Value> =
        items.as_array().expect("items").iter().filter(|item| item["kind"] == "user").collect();
    assert_eq!(said.len(), 1, "{items}");
    let lane = page.get("/api/rows?after=0&limit=500&lane=acp%203")["rows"].as_array().expect("rows").len();
    assert!(lane > 0 && lane < rows.len());
    let recorded = page.text("/api/export?kind=redacted");
    assert!(recorded.contains("session/prompt") && !recorded.contains("proxy/"), "{recorded}");
    let diagram = page.text("/api/sequence.svg");
    assert!(["conductor", "acp 2", "acp 3"].iter().all(|lane| diagram.contains(&format!(">{lane}<"))));
    let marked: Vec<&Value> = rows.iter().filter(|row| row["marks"] != json!([])).collect();
    assert!(marked.is_empty(), "{marked:?}");
    drop(talk);
    assert!(process.wait().expect("it ends").success());
}
