// Serves one request of every kind on a thread whose stack has as many KiB as the first argument
// says. The file before this one has `serve`.

use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

const REQUESTS: [(&str, &str); 11] = [
    ("initialize", r#"{"protocolVersion":1,"clientCapabilities":{}}"#),
    ("session/new", r#"{"cwd":"/project","mcpServers":[]}"#),
    ("session/load", r#"{"sessionId":"old","cwd":"/project","mcpServers":[]}"#),
    ("session/resume", r#"{"sessionId":"older","cwd":"/project","mcpServers":[]}"#),
    ("session/list", "{}"),
    ("session/set_mode", r#"{"sessionId":"old","modeId":"ask"}"#),
    ("session/set_config_option", r#"{"sessionId":"old","configId":"model","value":"large"}"#),
    ("session/prompt", r#"{"sessionId":"old","prompt":[{"type":"text","text":"hello"}]}"#),
    ("authenticate", r#"{"methodId":"key"}"#),
    ("session/close", r#"{"sessionId":"old"}"#),
    ("session/delete", r#"{"sessionId":"older"}"#),
];

fn main() {
    let kib: usize = std::env::args().nth(1).and_then(|word| word.parse().ok()).expect("the stack in KiB");
    let thread = std::thread::Builder::new().stack_size(kib * 1024).spawn(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        // It is on the heap, so that the stack of the runtime's argument is not counted.
        runtime.block_on(Box::pin(async {
            let (here, there) = tokio::io::duplex(64 * 1024);
            tokio::spawn(Box::pin(serve(there)));
            let (reader, mut writer) = tokio::io::split(here);
            let mut lines = BufReader::new(reader).lines();
            for (id, (method, params)) in REQUESTS.iter().enumerate() {
                let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{params}}}\n");
                writer.write_all(line.as_bytes()).await.expect("the agent reads");
                loop {
                    let line = lines.next_line().await.expect("the agent writes").expect("an answer");
                    if line.contains("\"id\":") {
                        break;
                    }
                }
            }
        }));
    });
    thread.expect("a thread").join().expect("it ran");
}
