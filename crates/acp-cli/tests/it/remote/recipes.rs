//! The recipes of `docs/REMOTE.md` for systemd and for containers: their commands start a server
//! that does as they say.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use super::{AGENT, OBEDIENT, Served, with_stderr};

/// A block of the page.
fn block(language: &str) -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/REMOTE.md");
    let page = fs::read_to_string(page).expect("the page");
    let block = page.split(&format!("```{language}\n")).nth(1).and_then(|rest| rest.split("```").next());
    block.unwrap_or_else(|| panic!("a block of {language}")).to_owned()
}

/// Runs the words of a recipe. Only addresses, files and the agent differ from the page.
fn serves(words: &[String]) {
    let folder = tempfile::tempdir().expect("a folder");
    let tokens = folder.path().join("tokens");
    fs::write(&tokens, "alice secret\n").expect("written");
    let split = words.iter().position(|word| word == "--").expect("an agent");
    let mut command = Command::new(env!("CARGO_BIN_EXE_acp"));
    for word in &words[..split] {
        match word.as_str() {
            "127.0.0.1:8080" => command.arg("127.0.0.1:0"),
            "0.0.0.0:8080" => command.arg("0.0.0.0:0"),
            "/var/lib/acp" => command.arg(folder.path()),
            word if word.ends_with("/tokens") => command.arg(&tokens),
            word => command.arg(word),
        };
    }
    command.args(["--", "sh", "-c", &format!("{AGENT}{OBEDIENT}")]);
    let mut served = Served::run(with_stderr(command));
    served.address.set_ip([127, 0, 0, 1].into());
    assert_eq!(served.get("/healthz", "").0, 200);
    let host = "host: agents.example\r\n";
    assert_eq!(served.get("/metrics", host).0, 401, "it needs the token");
    assert_eq!(served.get("/metrics", &format!("{host}authorization: Bearer secret\r\n")).0, 200);
    served.signal("-TERM");
    assert_eq!(served.code(), Some(0));
}

#[test]
fn the_unit_of_systemd() {
    let unit = block("ini").replace("\\\n", " ");
    let start =
        unit.lines().find_map(|line| line.strip_prefix("ExecStart=/usr/local/bin/acp ")).expect("a start");
    serves(&start.split_whitespace().map(str::to_owned).collect::<Vec<_>>());

    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("acp.service");
    let here = unit.replace("/usr/local/bin/acp", env!("CARGO_BIN_EXE_acp"));
    fs::write(&file, here).expect("written");
    let verify = Command::new("systemd-analyze").args(["verify", "--man=no"]).arg(&file).output();
    let Ok(verified) = verify else {
        let why = "skipped: there is no systemd-analyze on this machine (Debian: apt-get install systemd)";
        let _ = writeln!(std::io::stderr(), "{why}");
        return;
    };
    let told = String::from_utf8_lossy(&verified.stderr);
    let about_it: Vec<&str> = told.lines().filter(|line| line.contains("acp.service")).collect();
    assert!(verified.status.success() && about_it.is_empty(), "{told}");
}

#[test]
fn the_container() {
    let file = block("dockerfile").replace("\\\n", " ");
    let list = |name: &str| -> Vec<String> {
        let words = file.lines().find_map(|line| line.strip_prefix(name)).expect("words");
        serde_json::from_str(words.trim()).expect("a list")
    };
    let words = [list("ENTRYPOINT"), list("CMD")].concat();
    let (init, words) = words.split_at(3);
    assert_eq!(init, ["tini", "--", "acp"]);
    serves(words);
}
