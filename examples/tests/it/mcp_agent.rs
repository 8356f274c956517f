//! The agent with the tools of MCP servers, driven by a client.

use acp_client::v1::{McpServerStdio, StopReason};
use acp_client::{Command, Event};

/// An MCP server of a few lines of shell. Its only tool repeats its arguments.
pub(crate) const SERVER: &str = r#"
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case "$line" in
    *'"method":"initialize"'*)
      result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}' ;;
    *'"method":"tools/list"'*)
      result='{"tools":[{"name":"echo","description":"Says it again.\nMore.","inputSchema":{"type":"object"}}]}' ;;
    *'"method":"tools/call"'*)
      said=$(printf '%s' "$line" | sed 's/.*"arguments":{"say":"\([a-z]*\)".*/\1/')
      result='{"content":[{"type":"text","text":"'$said'"}]}' ;;
    *) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}\n' "${id:-null}"; continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

async fn run(prompt: &str) -> String {
    let agent = acp_client::spawn(Command::new(env!("CARGO_BIN_EXE_mcp_agent"))).await.unwrap();
    let server = McpServerStdio::new("sh", "/bin/sh", ["-c".to_owned(), SERVER.to_owned()], []);
    let session = agent.new_session(std::env::temp_dir()).mcp_server(server).await.unwrap();
    let mut turn = session.prompt(prompt).await.unwrap();
    let mut said = String::new();
    while let Some(event) = turn.next().await {
        if let Event::ToolCall(call) = &event {
            said.push_str(&format!("[{}] ", call.title));
        }
        said.extend(event.text());
    }
    assert_eq!(turn.finish().await.unwrap().stop_reason, StopReason::EndTurn);
    agent.close().await;
    said
}

#[cfg(unix)]
#[tokio::test]
async fn it_lists_and_calls_the_tools_of_its_servers() {
    assert_eq!(run("tools").await, "- `sh__echo`: Says it again.\n");
    assert_eq!(run("servers").await, "- `sh` speaks MCP 2025-11-25\n");
    assert_eq!(run(r#"sh__echo {"say": "hello"}"#).await, "[echo] hello");
}
