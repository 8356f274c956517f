//! The rules of the protocol over the network: the coding agent behind `acp serve`.

use std::process::Command;

use super::{Server, acp};

#[test]
fn the_coding_agent_keeps_the_rules_over_the_network() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut serve = Command::new(acp());
    serve.args(["serve", "--listen", "127.0.0.1:0", "--allow-commands", "--root"]).arg(folder.path());
    serve.args(["--connections-per-address", "64", "--", env!("CARGO_BIN_EXE_coding_agent")]);
    let server = Server::start(&mut serve);
    for scheme in ["ws", "http"] {
        let json = folder.path().join("report.json");
        let output = Command::new(acp())
            .args(["check", "agent", "--url", &server.url(scheme), "--cwd"])
            .arg(folder.path())
            .arg("--json")
            .arg(&json)
            .output()
            .expect("it runs");
        let text = String::from_utf8_lossy(&output.stdout);
        let err = String::from_utf8_lossy(&output.stderr);
        // Nothing is broken. Some rules cannot be judged without a model.
        assert!(matches!(output.status.code(), Some(0 | 3)), "{scheme}: {text}{err}");
        let report: serde_json::Value =
            serde_json::from_slice(&std::fs::read(&json).expect("a report")).expect("JSON");
        let outcomes = report["rules"].as_array().expect("rules");
        let passed = outcomes.iter().filter(|outcome| outcome["verdict"] == "pass").count();
        assert!(passed > 40, "{scheme}: {passed} passed\n{text}");
    }
}
