//! The components of tests as processes: this test program, started again.
//!
//! A test in this file is such a component. Without its variable it does nothing.

use std::io::{BufRead as _, Write as _};
use std::process::exit;

use acp_proxy::{Observed, Proxy};
use acp_rpc::Command;
use serde_json::{Value, json};

/// The variable that makes this program a component.
const ROLE: &str = "ACP_PROXY_TEST_ROLE";
/// The variable that says at which message the component exits.
const DIES_AT: &str = "ACP_PROXY_TEST_DIES_AT";
/// The variable that names a file which exists once the component has died.
const DIES_ONCE: &str = "ACP_PROXY_TEST_DIES_ONCE";

/// The status with which a component dies.
pub(crate) const STATUS: i32 = 7;

/// Returns the command of a component that exits at a message of this method, or at its start.
pub(crate) fn component(role: &str, dies_at: Option<&str>) -> Command {
    let program = std::env::current_exe().unwrap();
    let words = ["programs::component_of_a_test", "--exact", "--nocapture", "--test-threads=1", "-q"];
    let command = Command::new(program).args(words).env(ROLE, role);
    match dies_at {
        Some(dies_at) => command.env(DIES_AT, dies_at),
        None => command.env_remove(DIES_AT),
    }
}

/// Lets a component die only in its first life. The file must not exist.
pub(crate) fn once(command: Command, file: &std::path::Path) -> Command {
    command.env(DIES_ONCE, file)
}

#[test]
fn component_of_a_test() {
    if let Some(ended) = acp_proxy::shim_main() {
        if let Err(problem) = ended {
            let _ = writeln!(std::io::stderr(), "{problem}");
            exit(1);
        }
        exit(0);
    }
    let Ok(role) = std::env::var(ROLE) else { return };
    die_at("start");
    match role.as_str() {
        "proxy" => proxy(),
        "agent" => agent(),
        "tools" => tools(),
        "mcp-agent" => crate::bridge::agent(),
        role => panic!("{role}"),
    }
    exit(0);
}

fn die_at(method: &str) {
    if std::env::var(DIES_AT).as_deref() != Ok(method) {
        return;
    }
    if let Ok(file) = std::env::var(DIES_ONCE)
        && std::fs::File::create_new(file).is_err()
    {
        return;
    }
    std::io::stderr().write_all(b"the last words\n").unwrap();
    exit(STATUS);
}

/// A proxy that lets everything pass, in its place below a conductor.
fn proxy() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let proxy = Proxy::new("inner").observe(|message| {
        let is_answer = matches!(message, Observed::Result { .. } | Observed::Error { .. });
        if !is_answer {
            die_at(message.method());
        }
    });
    let _ = runtime.block_on(proxy.run(Vec::<std::ffi::OsString>::new()));
}

/// A proxy with a server, in its place below a conductor.
fn tools() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let proxy = crate::bridge::notes().observe(|message| {
        let is_answer = matches!(message, Observed::Result { .. } | Observed::Error { .. });
        if !is_answer {
            die_at(message.method());
        }
    });
    let _ = runtime.block_on(proxy.run(Vec::<std::ffi::OsString>::new()));
}

/// An agent that asks for permission and sends an update in each turn.
fn agent() {
    let mut waiting = Value::Null;
    for line in std::io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let id = message["id"].clone();
        die_at(message["method"].as_str().unwrap_or("answer"));
        match message["method"].as_str() {
            Some("initialize") => answer(&id, &json!({"protocolVersion": 1})),
            Some("session/new") => answer(&id, &json!({"sessionId": message["params"]["cwd"]})),
            Some("session/prompt") => {
                waiting = id;
                let session = &message["params"]["sessionId"];
                say(json!({"method": "session/update", "params": {"sessionId": session, "n": 1}}));
                say(
                    json!({"id": 1, "method": "session/request_permission", "params": {"sessionId": session}}),
                );
            }
            Some("_ping") => answer(&id, &json!("pong")),
            None if id == 1 => answer(&waiting, &json!({"stopReason": "end_turn"})),
            _ => {}
        }
    }
}

fn answer(id: &Value, result: &Value) {
    say(json!({"id": id, "result": result}));
}

fn say(mut message: Value) {
    message["jsonrpc"] = "2.0".into();
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "{message}").unwrap();
    stdout.flush().unwrap();
}
