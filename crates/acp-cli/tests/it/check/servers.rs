//! The MCP servers that the checker gives to an agent, as processes.

use std::fs;

use super::check;

/// An agent that starts the last MCP server of a session, says one thing to it, and writes its
/// answer into a file.
fn starts_one(answers: &str) -> String {
    r#"read line; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{}}}'
       while read -r line; do
         id=$(printf %s "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
         case "$line" in *check-mcp-side*)
           command=$(printf %s "$line" | sed 's/.*"command":"\([^"]*\)".*/\1/')
           args=$(printf %s "$line" | sed 's/.*"args":\[\([^]]*\)\].*/\1/' | tr -d '"' | tr , ' ')
           printf '%s\n' 'noise' '{"jsonrpc":"2.0","id":"a","method":"initialize","params":{}}' \
             '{"jsonrpc":"2.0","method":"notifications/initialized"}' \
             '{"jsonrpc":"2.0","id":2,"method":"tools/list"}' '{"jsonrpc":"2.0","id":3,"method":"x"}' |
             "$command" $args >> 'ANSWERS';;
         esac
         echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"sessionId\":\"s$id\"}}"
       done"#
        .replace("ANSWERS", answers)
}

#[test]
fn a_server_that_is_started_says_so_and_one_that_is_left_out_is_missed() {
    let folder = tempfile::tempdir().expect("a folder");
    let answers = folder.path().join("answers");
    let script = starts_one(&answers.display().to_string());
    let rules =
        ["--rule=v1-mcp-01", "--rule=v1-mcp-03", "--strict", "--timeout=2", "--", "sh", "-c", &script];
    let (output, text) = check(&rules);
    assert_eq!(output.status.code(), Some(1), "{text}");
    let all = text.lines().find(|line| line.starts_with("all ")).expect("a table");
    assert_eq!(all.split_whitespace().collect::<Vec<_>>(), ["all", "1", "1", "0", "0"], "{text}");
    assert!(text.contains("\nwarning v1-mcp-03 (SHOULD): "), "{text}");
    assert!(text.contains("  of two MCP servers the agent does not connect to `acp-check-one`\n"), "{text}");

    let answers = fs::read_to_string(&answers).expect("written");
    let answers: Vec<serde_json::Value> =
        answers.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    // Each of the two servers that were started.
    assert_eq!(answers.len(), 6, "{answers:?}");
    assert_eq!(
        (&answers[0]["id"], &answers[0]["result"]["serverInfo"]["name"]),
        (&"a".into(), &"acp-check".into())
    );
    assert_eq!(answers[1]["result"]["tools"], serde_json::json!([]));
    assert_eq!(answers[2]["error"]["code"], -32601);
}

#[test]
fn an_agent_that_starts_no_server_may_have_no_use_for_one() {
    let script = starts_one("none").replace("check-mcp-side", "nothing");
    let rules = ["--rule=v1-mcp-01", "--rule=v1-mcp-03", "--timeout=0.4", "--", "sh", "-c", &script];
    let (output, text) = check(&rules);
    assert_eq!(output.status.code(), Some(0), "{text}");
    let all = text.lines().find(|line| line.starts_with("all ")).expect("a table");
    assert_eq!(all.split_whitespace().collect::<Vec<_>>(), ["all", "0", "0", "2", "0"], "{text}");
}
