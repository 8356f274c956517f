//! The child process that serves its stdin and stdout.

#![allow(clippy::print_stdout, reason = "stray prints are the subject")]

use std::io::Read;
use std::process::{Command, Stdio};

use acp_json::{Node, Value};
use acp_rpc::transport::Stdio as Wire;
use acp_rpc::{
    CloseReason, Delivery, Error, Options, Peer, Reply, Request, Service, Task, Transport, connect,
};
use rustix::stdio::{stdin, stdout};

use super::is_nonblocking;

pub(crate) fn run(guard: bool) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let transport = Wire::new().guard(guard).open().unwrap();
        let reason = connect(transport, Agent, Options::default()).1.await;
        if let CloseReason::Io(error) = reason {
            eprintln!("{:?}", error.kind());
        }
    });
    say("given back");
    if std::env::var_os("ACP_RPC_TEST_READS_ON").is_some() {
        let mut line = String::new();
        std::io::stdin().read_line(&mut line).unwrap();
        say(&format!("read {line}"));
    }
}

/// Answers one request with the sizes of the pipes as they were made for it.
#[cfg(target_os = "linux")]
pub(crate) fn measure() {
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).unwrap();
    let request: serde_json::Value = serde_json::from_str(&line).unwrap();
    let sizes = [super::pipe_size(stdin()), super::pipe_size(stdout())];
    println!("{}", serde_json::json!({ "jsonrpc": "2.0", "id": request["id"], "result": sizes }));
}

/// Prints like a library that does not know about the wire.
fn say(text: &str) {
    println!("{text}");
}

struct Agent;

impl Service for Agent {
    fn request(&self, method: &str, params: Node<'_>, request: Request) -> Result<Task, Error> {
        let params: Value = acp_json::read(params).unwrap();
        let result = match method {
            "echo" => params,
            "close" => {
                request.peer.close();
                Value::NULL
            }
            "print" => {
                say("a stray print");
                Value::NULL
            }
            "run" => {
                let script = "cat; echo printed by a child";
                let status = Command::new("/bin/sh").args(["-c", script]).status().unwrap();
                Value::from(status.success())
            }
            "let_a_child_print" => {
                let mut child = Command::new("/bin/sh");
                let status = child.args(["-c", "echo printed by a child"]).stdin(Stdio::null()).status();
                Value::from(status.unwrap().success())
            }
            "are_nonblocking" => Value::new(&[is_nonblocking(stdin()), is_nonblocking(stdout())]).unwrap(),
            "read" => {
                let mut text = String::new();
                std::io::stdin().read_to_string(&mut text).unwrap();
                Value::from(text)
            }
            "chatter" => {
                let chatter = "for i in $(seq 1 20000); do echo chatter >&2; done";
                let mut child = Command::new("/bin/sh");
                let status = child.args(["-c", chatter]).stdin(Stdio::null()).status().unwrap();
                (0..20_000).for_each(|_| eprintln!("chatter"));
                Value::from(status.success())
            }
            "open_again" => Value::from(Transport::stdio().unwrap_err().to_string()),
            _ => return Err(Error::method_not_found(method)),
        };
        Ok(Box::pin(async move { Ok(Reply::new(result)) }))
    }

    fn notification(&self, _: &str, _: Node<'_>, _: &Peer) -> Delivery {
        Delivery::Ignore
    }
}
